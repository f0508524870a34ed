import JSON
import Payments

extension ElementReader {
    /// A text and nothing else: ids and words are never written as numbers. The empty text is absent.
    func string(_ path: String) throws(RowFault) -> String? {
        guard let value = element[path: path], !value.isNull else { return nil }
        guard let text = value.string else { throw Self.changed(path, "string", value) }
        return text.isEmpty ? nil : text
    }

    /// A whole number of cents, however it is written (`5000`, `5e3`); text is none: nobody could tell cents from dollars.
    func cents(_ path: String) throws(RowFault) -> ExactDecimal? {
        guard let value = element[path: path], !value.isNull else { return nil }
        guard value.kind == .number else { throw Self.changed(path, "int", value) }
        let amount = try Self.amount(value, path)
        guard amount?.fractionDigits.isEmpty != false else { throw RowFault("\(path): not a whole number of cents") }
        return amount
    }

    /// Midnight UTC of a date.
    func date(_ path: String) throws(RowFault) -> Timestamp? {
        guard let text = try string(path) else { return nil }
        guard text.utf8.count == 10, let day = Timestamp(text + "T00:00:00Z") else {
            throw RowFault("\(path): not a date")
        }
        return day
    }

    /// The elements of an array; none where it is null or not there.
    func list(_ path: String) throws(RowFault) -> [JSONValue] {
        guard let value = element[path: path], !value.isNull else { return [] }
        guard value.isArray else { throw Self.changed(path, "array", value) }
        return Array(value.elements)
    }
}

extension PushKind {
    /// Paths that a column holds.
    var mappedPaths: [String] {
        switch self {
        case .intent:
            [
                "id", "idempotency_key", "created_at", "direction", "user_id", "amount", "currency",
                "guarantee_amount", "status", "rail", "type", "tag", "refund.id", "refund.amount",
                "refund.currency", "refund.status", "dispute.id",
            ]
        case .refund: ["id", "intent_id", "amount", "currency", "status", "created_at"]
        case .dispute: ["id", "intent_id", "amount", "currency", "status", "created_at", "code"]
        case .line:
            [
                "id", "amount", "currency", "created_at", "date", "type", "source_id", "status", "direction",
                "transfer_id",
            ]
        case .transfer:
            ["id", "amount", "currency", "created_at", "date", "direction", "status", "transactions[].id"]
        }
    }

    /// Documented scalars that no column holds and whose change is news.
    var comparedPaths: [String] {
        switch self {
        case .intent: ["decline_category", "credential.last4", "account.id"]
        case .refund: []
        case .dispute: ["type"]
        case .line: ["batch"]
        case .transfer: ["account.id"]
        }
    }

    /// What else is documented. Records inside others stand in lists of their own and are compared there: whether an
    /// intent shows its ledger as `account_id` or `balance` is no news about the intent.
    var documentedPaths: [String] {
        let account = ["account.id", "account.type", "account.name", "account.created_at", "account.balance"]
        let ledger = [
            "id", "amount", "currency", "created_at", "date", "batch", "account_id", "balance", "type", "source_id",
            "status", "direction", "transfer_id",
        ].map { "transactions[].\($0)" }
        switch self {
        case .intent:
            let refund = ["intent_id", "created_at"].map { "refund.\($0)" }
            let dispute = ["id", "intent_id", "amount", "currency", "status", "created_at", "code", "type"]
            return account + ledger + refund + dispute.map { "dispute.\($0)" } + [
                "transactions", "refund", "dispute", "account", "credential", "credential.display_name",
                "display_loyalty",
            ]
        case .line: return ["account_id", "balance"]
        case .transfer: return account + ledger + ["transactions", "account"]
        case .refund, .dispute: return []
        }
    }
}
