import JSON
import Payments
import Providers

/// Reads the records of `push-live` in the worlds, of any resource, from JSON made for them.
struct LegMapping: ElementMapping {
    static let statuses = """
        raw_status,direction,when_kind,when_provider,when_method,state,rank,final,money,money_when_captured,after_held,after_taken,after_delivered,event,why
        approved,,,,,paid,10,no,taken,,,,,none,taken
        pending,,,,,pending,1,no,none,,,,,none,under way
        settled,,,,,settled,20,yes,none,,,,,none,done
        refunded,,,,,refunded,20,yes,returned,,,,,none,back
        failed,,,,,failed,30,yes,none,,,,,none,nothing came of it
        open,,,,,disputed,10,no,none,,,,,none,open
        lost,,,,,disputed,20,yes,returned,,,,,none,lost
        *,,,,,unknown,0,no,unknown,,,,,none,nobody knows

        """

    let resource: String
    let map: StatusMap

    init(_ resource: String) throws {
        self.resource = resource
        map = try StatusMap(csv: Self.statuses)
    }

    var redaction: Redaction { Redaction(paths: []) }
    var comparison: Redaction { Redaction(paths: []) }
    var known: KnownPaths {
        KnownPaths(["id", "parent", "at", "updated", "status", "amount", "kind", "direction", "refs"])
    }

    func identity(of element: JSONValue) -> RowIdentity {
        RowIdentity(id: element["id"]?.string, createdAt: element["at"]?.string.flatMap { Timestamp($0) })
    }

    func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        func text(_ name: String) -> String? { element[name]?.string }
        let status = text("status") ?? ""
        let direction = Direction(rawValue: text("direction") ?? "in") ?? .in
        var mapped = MappedTransaction(
            resource: resource, transactionID: text("id") ?? "",
            createdAt: text("at").flatMap { Timestamp($0) } ?? SmallWorld.start,
            direction: direction, rawStatus: status,
            reading: map.reading(status, StatusMap.Circumstances(direction: direction)))
        mapped.updatedAt = text("updated").flatMap { Timestamp($0) }
        mapped.parentID = text("parent")
        mapped.kind = text("kind")
        let amount = text("amount").flatMap { try? ExactDecimal($0) }
        switch resource {
        case "refund": mapped.returned = amount
        case "dispute": mapped.disputed = amount
        case "payout":
            mapped.delivered = amount
            mapped.deliveredCurrency = "EUR"
        case "settlement_line":
            mapped.charged = amount
            mapped.delivered = amount
            mapped.deliveredCurrency = "EUR"
            mapped.takenAt = mapped.createdAt
        default: mapped.charged = amount
        }
        mapped.chargedCurrency = "EUR"
        mapped.references = (text("refs") ?? "").split(separator: " ").compactMap { each in
            let sides = each.split(separator: "=", maxSplits: 1).map(String.init)
            return sides.count == 2 ? Reference(sides[0], sides[1]) : nil
        }
        return mapped
    }
}
