import Payments

/// Refunds and disputes: each speaks for its own amount, and its intent keeps its own status.
extension PushMapping {
    /// There is one refund per intent, of cash_in only, in whole or in part.
    func refund(_ record: Record) throws(RowFault) -> MappedTransaction {
        let reader = record.reader
        guard let status = try reader.string("status") else { throw RowFault("missing: status") }
        let (amount, currency) = try amount(reader)
        var mapped = start(record, .in, status: status)
        mapped.returned = amount
        mapped.chargedCurrency = currency
        try belong(record, "push:refund", to: &mapped)
        if amount.isNegative { mapped.flags.append("negative_amount") }
        return mapped
    }

    /// Chargebacks by the codes of the card schemes, and returns of bank debits (R01 to R85 of Nacha): the same list, and
    /// told apart by the code alone. The bank has taken the money back before anybody can object to a return.
    func dispute(_ record: Record) throws(RowFault) -> MappedTransaction {
        let reader = record.reader
        guard let status = try reader.string("status") else { throw RowFault("missing: status") }
        let (amount, currency) = try amount(reader)
        let code = try reader.text("code")
        let isReturn = Self.isReturn(code)
        var mapped = start(record, .in, status: status, method: isReturn ? "ACH_RETURN" : "")
        mapped.kind = code
        mapped.disputed = amount
        mapped.chargedCurrency = currency
        try belong(record, "push:dispute", to: &mapped)
        if isReturn { mapped.flags.append("ach_return") }
        if amount.isNegative { mapped.flags.append("negative_amount") }
        return mapped
    }

    private func belong(_ record: Record, _ kind: String, to mapped: inout MappedTransaction) throws(RowFault) {
        let intent = try record.reader.string("intent_id")
        mapped.parentID = intent
        mapped.isTest = isTest(intent)
        mapped.references = [Reference(kind, record.id)].compactMap(\.self) + Self.payment(intent)
        if intent == nil { mapped.flags.append("parent_missing") }
    }

    /// `R01` to `R85`.
    static func isReturn(_ code: String?) -> Bool {
        guard let code, code.utf8.count == 3,
            code.utf8.first == UInt8(ascii: "R") || code.utf8.first == UInt8(ascii: "r"),
            code.utf8.dropFirst().allSatisfy({ (48...57).contains($0) }), let number = Int(code.dropFirst())
        else { return false }
        return (1...85).contains(number)
    }
}
