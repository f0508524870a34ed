import Payments

/// The filters of the list endpoint, read as strictly as the provider reads them: a name it does not know is an error
/// that lists the names it does know, a status it does not know is an empty list.
struct MeldQuery {
    static let accepted = [
        "after", "amountFrom", "amountTo", "before", "customerIds", "externalCustomerIds", "externalSessionIds", "from",
        "limit", "serviceProviders", "sessionIds", "statuses", "to", "types",
    ]

    private(set) var ask = ListAsk(limit: 10)

    init(_ parameters: [(name: String, value: String)]) throws(Refusal) {
        var before: String?
        var after: String?
        for (name, value) in parameters {
            switch name {
            case "limit": ask.limit = try Self.limit(value)
            case "before": before = value
            case "after": after = value
            // Both bounds are exclusive.
            case "from": ask.filter.from = try Self.moment(name, value).next
            case "to": ask.filter.until = try Self.moment(name, value)
            case "amountFrom": ask.filter.least = try Self.amount(name, value)
            case "amountTo": ask.filter.most = try Self.amount(name, value)
            case "statuses", "serviceProviders", "customerIds", "externalCustomerIds", "externalSessionIds",
                "sessionIds", "types":
                ask.filter.fields[name] = value.split(separator: ",").map(String.init).sorted()
            default:
                throw Self.bad(
                    "Unknown query parameter [\(name)]. Accepted: [\(Self.accepted.joined(separator: ", "))]")
            }
        }
        if before != nil, after != nil { throw Self.bad("[before] and [after] must not be used together") }
        if let before { ask.position = .before(key: before) }
        if let after { ask.position = .after(key: after) }
    }

    private static func limit(_ text: String) throws(Refusal) -> Int {
        guard let limit = Int32(text) else { throw bad("[limit] must be a number") }
        if limit < 1 { throw bad("[limit] must be greater than or equal to 1") }
        if limit > 100 { throw bad("[limit] must be less than or equal to 100") }
        return Int(limit)
    }

    /// A date-time, with or without an offset, or a date: its midnight. UTC is meant where nothing is said.
    private static func moment(_ name: String, _ text: String) throws(Refusal) -> Timestamp {
        let whole = text.count == 10 ? text + "T00:00:00Z" : text
        guard let moment = Timestamp(whole, assumingUTC: true) else {
            throw bad("[\(name)] must be an ISO 8601 date or date-time")
        }
        return moment
    }

    private static func amount(_ name: String, _ text: String) throws(Refusal) -> Amount {
        guard let number = try? ExactDecimal(text), number.fractionDigits.count <= 18, number.integerDigits.count <= 18
        else { throw bad("[\(name)] must be a number") }
        let digits = number.integerDigits + number.fractionDigits
        var units: Int128 = 0
        for digit in digits { units = units * 10 + Int128(digit) }
        for _ in number.fractionDigits.count..<18 { units *= 10 }
        return Amount(units: number.isNegative ? -units : units)
    }

    private static func bad(_ message: String) -> Refusal {
        Refusal(status: 400, code: "BAD_REQUEST", message: message)
    }
}
