import Payments

/// The filters of the list endpoint, read as strictly as the provider reads them: a name it does not know is an error
/// that lists the names it does know, a status it does not know is an empty list.
struct Query: Hashable {
    static let accepted = [
        "after", "amountFrom", "amountTo", "before", "customerIds", "externalCustomerIds", "externalSessionIds", "from",
        "limit", "serviceProviders", "sessionIds", "statuses", "to", "types",
    ]

    /// What selects rows; the cursor and the limit are no part of it.
    struct Filter: Hashable {
        var lists: [String: [String]] = [:]
        var from: Timestamp?
        var to: Timestamp?
        var amountFrom: Amount?
        var amountTo: Amount?
    }

    var filter = Filter()
    var limit = 10
    var before: String?
    var after: String?

    init(_ parameters: [(name: String, value: String)]) throws(Refusal) {
        for (name, value) in parameters {
            switch name {
            case "limit": limit = try Self.limit(value)
            case "before": before = value
            case "after": after = value
            case "from": filter.from = try Self.moment(name, value)
            case "to": filter.to = try Self.moment(name, value)
            case "amountFrom": filter.amountFrom = try Self.amount(name, value)
            case "amountTo": filter.amountTo = try Self.amount(name, value)
            case "statuses", "serviceProviders", "customerIds", "externalCustomerIds", "externalSessionIds",
                "sessionIds", "types":
                filter.lists[name] = value.split(separator: ",").map(String.init).sorted()
            default:
                throw .bad("Unknown query parameter [\(name)]. Accepted: [\(Self.accepted.joined(separator: ", "))]")
            }
        }
        if before != nil, after != nil { throw .bad("[before] and [after] must not be used together") }
    }

    private static func limit(_ text: String) throws(Refusal) -> Int {
        guard let limit = Int32(text) else { throw .bad("[limit] must be a number") }
        if limit < 1 { throw .bad("[limit] must be greater than or equal to 1") }
        if limit > 100 { throw .bad("[limit] must be less than or equal to 100") }
        return Int(limit)
    }

    /// A date-time, with or without an offset, or a date: its midnight. UTC is meant where nothing is said.
    private static func moment(_ name: String, _ text: String) throws(Refusal) -> Timestamp {
        let whole = text.count == 10 ? text + "T00:00:00Z" : text
        guard let moment = Timestamp(whole, assumingUTC: true) else {
            throw .bad("[\(name)] must be an ISO 8601 date or date-time")
        }
        return moment
    }

    private static func amount(_ name: String, _ text: String) throws(Refusal) -> Amount {
        guard let number = try? ExactDecimal(text), number.fractionDigits.count <= 18, number.integerDigits.count <= 18
        else { throw .bad("[\(name)] must be a number") }
        let digits = number.integerDigits + number.fractionDigits
        var units: Int128 = 0
        for digit in digits { units = units * 10 + Int128(digit) }
        for _ in number.fractionDigits.count..<18 { units *= 10 }
        return Amount(units: number.isNegative ? -units : units)
    }
}

extension Query.Filter {
    /// Whether `trade` is in the list at `moment`. Bounds of time are exclusive.
    func matches(_ trade: Trade, at moment: Timestamp) -> Bool {
        guard trade.isVisible(at: moment) else { return false }
        if let from, trade.createdAt <= from { return false }
        if let to, trade.createdAt >= to { return false }
        if let amountFrom, trade.sourceAmount < amountFrom { return false }
        if let amountTo, trade.sourceAmount > amountTo { return false }
        for (name, wanted) in lists where !wanted.contains(value(name, of: trade, at: moment)) { return false }
        return true
    }

    private func value(_ name: String, of trade: Trade, at moment: Timestamp) -> String {
        let isTied = trade.status(at: moment) != .pendingCreated
        switch name {
        case "statuses": return trade.status(at: moment)?.rawValue ?? ""
        case "serviceProviders": return trade.corridor.provider
        case "customerIds": return trade.customer.meldId
        case "externalCustomerIds": return trade.customer.externalId
        case "externalSessionIds":
            return isTied && [.both, .externalSession].contains(trade.linking) ? trade.bookOrder : ""
        case "sessionIds": return isTied && trade.linking != .orderOnly ? trade.session : ""
        case "types": return trade.direction == .in ? "CRYPTO_PURCHASE" : "CRYPTO_SELL"
        default: return ""
        }
    }
}
