import JSON
import Payments

/// Intents, which are the payments.
///
/// - `charged` is `amount`: what the customer pays (cash_in), or what the Push account pays for them (cash_out), which is
///   `delivered` too. Nothing is delivered on cash_in: that the merchant was paid is the state settled.
/// - An approved intent is paid; how far its money has come stand the ledger's transactions inside it for. Where they are
///   left out it is merely paid: the lines have a list of their own, which says the same.
/// - A refund or dispute inside it is named and read by itself, with its amount and state; what a refund returned is told
///   here too.
extension PushMapping {
    func intent(_ record: Record) throws(RowFault) -> MappedTransaction {
        let reader = record.reader
        for name in ["refund", "dispute", "credential"] { try reader.checkObject(name) }
        guard let status = try reader.string("status") else { throw RowFault("missing: status") }
        let direction = try Self.direction(try reader.string("direction"))
        let (amount, currency) = try amount(reader)
        var mapped = start(record, direction, status: status, kind: try ledger(record))
        mapped.kind = try reader.string("type")
        mapped.paymentMethod = try reader.string("rail")
        mapped.charged = amount
        mapped.chargedCurrency = currency
        if direction == .out {
            mapped.delivered = amount
            mapped.deliveredCurrency = currency
        }
        mapped.returned = mapped.reading.money == .returned ? amount : try refunded(reader, currency)
        if mapped.reading.state == .disputed { mapped.disputed = amount }
        mapped.customerID = try reader.string("user_id")
        mapped.isTest = isTest(record.id)
        let names = [try reader.string("idempotency_key"), try reader.string("tag")].compactMap(\.self)
        let orders = names.compactMap(Self.order)
        mapped.references =
            Self.payment(record.id) + orders
            + [
                Reference("push:refund", try reader.string("refund.id")),
                Reference("push:dispute", try reader.string("dispute.id")),
            ].compactMap(\.self)
        if names.contains(where: { !OpaqueRule.plain.keeps($0) }) { mapped.flags.append("tag_refused") }
        if amount.isNegative { mapped.flags.append("negative_amount") }
        if let guarantee = try reader.cents("guarantee_amount"), !guarantee.isZero { mapped.flags.append("guaranteed") }
        if announcesAll, mapped.reading.event == .expected { mapped.flags.append("event_expected") }
        return mapped
    }

    /// What an approved refund inside the intent has given back; nil: there is none.
    private func refunded(_ reader: ElementReader, _ currency: String) throws(RowFault) -> ExactDecimal? {
        guard try reader.string("refund.status") == "approved", let cents = try reader.cents("refund.amount"),
            try reader.string("refund.currency") ?? currency == currency
        else { return nil }
        return try amount(cents, in: currency)
    }

    static func direction(_ word: String?) throws(RowFault) -> Direction {
        switch word {
        case "cash_in": return .in
        case "cash_out": return .out
        case nil: throw RowFault("missing: direction")
        default: throw RowFault("direction: neither cash_in nor cash_out")
        }
    }

    /// How far the transactions that the intent shows have come, as the status map calls it: `ledger_settled` when all
    /// are, `ledger_pending` when one is not yet; empty where they say nothing.
    private func ledger(_ record: Record) throws(RowFault) -> String {
        var statuses: Set<String> = []
        for element in try record.reader.list("transactions") {
            guard element.isObject else { throw ElementReader.changed("transactions[]", "object", element) }
            let reader = ElementReader(element: element)
            let source = try reader.string("source_id")
            guard try reader.string("type") ?? "intent" == "intent", source == nil || source == record.id else {
                continue
            }
            statuses.insert(try reader.string("status") ?? "")
        }
        if statuses == ["settled"] { return "ledger_settled" }
        return !statuses.isEmpty && statuses.isSubset(of: ["pending", "settled"]) ? "ledger_pending" : ""
    }
}
