import JSON
import Payments

/// The ledger: its transactions are settlement lines, its transfers payouts.
///
/// A line belongs to the record behind `source_id`; each is settled by one transfer, whose amount is the exact net of
/// its lines. In the older of the two ledgers a transfer makes a line of its own that offsets it (`transfer`, in no
/// sum), and lines name their `balance` instead of an `account_id`. Nothing shows a fee.
extension PushMapping {
    func line(_ record: Record) throws(RowFault) -> MappedTransaction {
        let reader = record.reader
        guard let status = try reader.string("status") else { throw RowFault("missing: status") }
        let (amount, currency) = try signed(reader)
        let source = try reader.string("source_id")
        let type = try reader.string("type")
        let kind = Self.kind(type, source: source, isNegative: amount.isNegative)
        // Only an intent's own line tells its direction, by its sign.
        let direction: Direction = kind == "charge" && amount.isNegative ? .out : .in
        var mapped = start(record, direction, status: status, kind: "\(kind ?? "unknown")_line")
        mapped.kind = kind ?? type
        if kind == nil { mapped.flags.append("type_unknown") }
        mapped.charged = amount
        mapped.chargedCurrency = currency
        mapped.delivered = amount
        mapped.deliveredCurrency = currency
        mapped.takenAt = try reader.date("date")
        if kind == "charge" {
            mapped.parentID = source
            mapped.isTest = isTest(source)
        }
        mapped.references = try lineReferences(reader)
        return mapped.checkingSign(try reader.cents("amount"), try reader.string("direction"))
    }

    func transfer(_ record: Record) throws(RowFault) -> MappedTransaction {
        let reader = record.reader
        let (amount, currency) = try signed(reader)
        // Today's transfers have no status; those of 2023 had.
        let status = try reader.string("status") ?? ""
        var mapped = start(record, amount.isNegative ? .in : .out, status: status)
        mapped.kind = try reader.string("direction")
        mapped.delivered = amount
        mapped.deliveredCurrency = currency
        mapped.chargedCurrency = currency
        mapped.takenAt = try reader.date("date")
        var references = [Reference("push:payout", record.id)].compactMap(\.self)
        for element in try reader.list("transactions") {
            guard element.isObject else { throw ElementReader.changed("transactions[]", "object", element) }
            let line = ElementReader(element: element)
            if try line.string("type") == "transfer" { continue }
            if let reference = Reference("push:line", try line.string("id")) { references.append(reference) }
        }
        mapped.references = references
        if references.count < 2 { mapped.flags.append("lines_missing") }
        return mapped
    }

    /// An amount with its sign from the merchant's view. Lines are signed and transfers are shown positive: what either
    /// its sign or `direction` calls a debit is one.
    private func signed(_ reader: ElementReader) throws(RowFault) -> (amount: ExactDecimal, currency: String) {
        let (amount, currency) = try amount(reader)
        switch try reader.string("direction") {
        case nil, "credit": return (amount, currency)
        case "debit": return (try Self.negative(amount), currency)
        default: throw RowFault("direction: neither credit nor debit")
        }
    }

    private static func negative(_ amount: ExactDecimal) throws(RowFault) -> ExactDecimal {
        if amount.isNegative || amount.isZero { return amount }
        do throws(ExactDecimal.Fault) {
            return try ExactDecimal("-" + amount.description)
        } catch {
            throw RowFault("amount: beyond supported precision")
        }
    }

    /// Nil for a type that nobody modelled. The older ledger has `intent` for whatever is no transfer, and the id behind
    /// it tells which.
    static func kind(_ type: String?, source: String?, isNegative: Bool) -> String? {
        let prefix = source?.prefix { $0 != "_" }
        switch (type, prefix) {
        case ("transfer", _): return "transfer"
        case ("refund", _), ("intent", "refund"): return "refund"
        case ("dispute", _), ("intent", "dispute"): return isNegative ? "chargeback" : "chargeback_reversal"
        case ("intent", _): return "charge"
        case ("unreconciled", _): return "other"
        default: return nil
        }
    }

    func lineReferences(_ reader: ElementReader) throws(RowFault) -> [Reference] {
        let source = try reader.string("source_id")
        let type = try reader.string("type")
        var references = [
            Reference("push:line", try reader.string("id")), Reference("push:payout", try reader.string("transfer_id")),
        ]
        switch Self.kind(type, source: source, isNegative: false) {
        case "charge": references += Self.payment(source)
        case "refund": references.append(Reference("push:refund", source))
        case "chargeback_reversal": references.append(Reference("push:dispute", source))
        case "transfer": references.append(Reference("push:payout", source))
        default: break
        }
        return references.compactMap(\.self)
    }
}

extension MappedTransaction {
    /// Flags a line whose sign and `direction` contradict each other.
    fileprivate func checkingSign(_ amount: ExactDecimal?, _ direction: String?) -> MappedTransaction {
        guard let amount, !amount.isZero, let direction, amount.isNegative != (direction == "debit") else {
            return self
        }
        var copy = self
        copy.flags.append("sign_differs")
        return copy
    }
}
