import JSON
import Payments

/// What orders, ramps and webhooks of all surfaces are read by.
struct BanxaReader {
    let element: JSONValue

    /// The first of several names that holds something. Numbers are taken as text: `paymentMethodId` is either.
    func text(_ paths: String...) throws(RowFault) -> String? {
        for path in paths { if let text = try ElementReader.text(element[path: path], path) { return text } }
        return nil
    }

    /// The first that holds a number; the empty text is not known.
    func amount(_ paths: String...) throws(RowFault) -> ExactDecimal? { try amount(anyOf: paths) }

    private func amount(anyOf paths: [String]) throws(RowFault) -> ExactDecimal? {
        for path in paths { if let amount = try ElementReader.amount(element[path: path], path) { return amount } }
        return nil
    }

    /// All fees that are known together, each by the first of its names that holds something; nil: none is.
    func sum(_ fees: [String]...) throws(RowFault) -> ExactDecimal? {
        var parts: [ExactDecimal] = []
        for names in fees { if let part = try amount(anyOf: names) { parts.append(part) } }
        if parts.count < 2 { return parts.first }
        guard let sum = ExactSum.of(parts) else {
            throw RowFault("\(fees.first?.first ?? "fees"): beyond supported precision")
        }
        return sum
    }

    /// Whose an order is, by the partner's id.
    enum Customer {
        case named(String)
        /// What stands there may be a person's name or address: a mask is kept of it.
        case refused
    }

    /// The first of several names that holds something; nil: none does.
    func customer(_ paths: String...) throws(RowFault) -> Customer? {
        for path in paths {
            guard let text = try ElementReader.text(element[path: path], path) else { continue }
            return OpaqueRule.plain.keeps(text) ? .named(text) : .refused
        }
        return nil
    }

    func time(_ paths: String...) throws(RowFault) -> Timestamp? {
        for path in paths { if let time = try BanxaTime.time(element[path: path], path) { return time } }
        return nil
    }

    /// A currency or asset that is a text here and an object with an `id` there.
    func code(_ path: String) throws(RowFault) -> String? {
        guard let value = element[path: path], !value.isNull else { return nil }
        return value.isObject
            ? try ElementReader.text(value["id"], path + ".id") : try ElementReader.text(value, path)
    }

    func checkObjects(_ paths: String...) throws(RowFault) {
        for path in paths { try ElementReader.checkObject(element[path: path], path) }
    }
}

/// Words that all surfaces share.
enum BanxaWord {
    /// `BUY`, `CRYPTO-BUY`, `ONRAMP` and their opposites; nil: a word nobody documented, or none.
    static func direction(_ type: String?) -> Direction? {
        guard let type = type?.uppercased() else { return nil }
        if type.contains("SELL") || type.contains("OFFRAMP") || type.contains("OFF-RAMP") || type.contains("OFF_RAMP") {
            return .out
        }
        if type.contains("BUY") || type.contains("ONRAMP") || type.contains("ON-RAMP") || type.contains("ON_RAMP") {
            return .in
        }
        return nil
    }

    /// What a status says about the direction where nothing else does; nil: nothing.
    static func direction(ofStatus status: String) -> Direction? {
        switch status {
        case "COIN_DEPOSIT_READY", "COIN_DEPOSIT_CONFIRMED", "FIAT_TRANSFERRED": .out
        case "PAYMENT_READY", "PAYMENT_ACCEPTED", "PAYMENT_RECEIVED": .in
        default: nil
        }
    }

    /// The class of a payment method that decides whether a submitted payment may still be charged: `card`,
    /// `apple_pay`, `google_pay`, else empty. By id or name: `debit-credit-card`, `APPLEPAY`, `Google Pay`.
    static func methodClass(_ names: String?...) -> String {
        for name in names.compactMap({ $0?.lowercased() }) {
            let letters = String(name.filter { $0.isLetter })
            if letters.contains("applepay") { return "apple_pay" }
            if letters.contains("googlepay") || letters.contains("gpay") { return "google_pay" }
            if letters.contains("directdebit") || letters.contains("banktransfer") { continue }
            if letters.contains("card") || letters.contains("credit") || letters.contains("visa") { return "card" }
        }
        return ""
    }

    /// The hash of a transaction on a chain; nil for what stands for none: empty, `0`, `0x`, zeros.
    static func chainHash(_ text: String?) -> String? {
        guard let text else { return nil }
        let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
        guard digits.contains(where: { $0 != "0" && $0 != " " }) else { return nil }
        return Reference("chain:tx", text)?.value
    }

    /// A hash on a buy says that the crypto was sent (`cryptoTransferred`), whatever the status says now: what the money
    /// of this status is after it was taken. Nil: no difference.
    static func money(_ reading: StatusMap.Reading, _ direction: Direction?, hash: String?) -> MoneyState? {
        direction == .in && hash != nil ? reading.afterTaken : nil
    }

    /// Every name that leads to an order or a ramp: the book may use either kind for the one id there is.
    static func references(_ id: String?, order: String?, hash: String?) -> [Reference] {
        [
            Reference("banxa:transaction", id), Reference("banxa:order", id), Reference("book:order", order),
            Reference("chain:tx", hash),
        ].compactMap(\.self)
    }
}
