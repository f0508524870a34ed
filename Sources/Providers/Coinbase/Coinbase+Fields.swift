import Crypto
import JSON
import Payments

/// One object of Coinbase's, whose keys are written in either of two ways (`transaction_id`, `transactionId`), read as if
/// they were always written in the first.
struct CoinbaseFields {
    let element: JSONValue

    init(_ element: JSONValue) { self.element = element }

    /// The first spelling that holds something.
    subscript(name: String) -> JSONValue? {
        let first = element[name]
        if let first, !first.isNull { return first }
        return element[Self.camel(name)] ?? first
    }

    /// Throws where both spellings of a key hold different things: which counts nobody can tell.
    private func value(_ name: String) throws(RowFault) -> JSONValue? {
        let found = self[name]
        if let found, !found.isNull, let other = element[Self.camel(name)], !other.isNull,
            other.sourceBytes != found.sourceBytes
        {
            throw RowFault("a key occurs twice: \(name)")
        }
        return found
    }

    func text(_ name: String) throws(RowFault) -> String? { try ElementReader.text(try value(name), name) }
    func amount(_ name: String) throws(RowFault) -> ExactDecimal? {
        try ElementReader.amount(try value(name), name)
    }

    /// The zero time (`0001-01-01T00:00:00Z`) is none.
    func time(_ name: String) throws(RowFault) -> Timestamp? {
        let value = try value(name)
        if value?.string?.hasPrefix("0001-01-01") == true { return nil }
        return try ElementReader.time(value, name)
    }

    /// An object of `value` and `currency`; nil where there is none.
    func money(_ name: String) throws(RowFault) -> (amount: ExactDecimal?, currency: String?) {
        guard let value = try value(name), !value.isNull else { return (nil, nil) }
        guard value.isObject else { throw ElementReader.changed(name, "object", value) }
        return (
            try ElementReader.amount(value["value"], "\(name).value"),
            try ElementReader.text(value["currency"], "\(name).currency")
        )
    }

    /// An array; nil where there is none.
    func list(_ name: String) throws(RowFault) -> JSONValue? {
        guard let value = try value(name), !value.isNull else { return nil }
        guard value.isArray else { throw ElementReader.changed(name, "array", value) }
        return value
    }

    /// Hashes that are not there yet: "", "0x".
    func hash() throws(RowFault) -> String? {
        guard let hash = try text("tx_hash"), Reference("chain:tx", hash) != nil else { return nil }
        return hash
    }

    // MARK: Spelling

    /// `paymentTotalUsd` is `payment_total_usd`.
    static func snake(_ key: String) -> String {
        var text: [UInt8] = []
        for byte in key.utf8 {
            if (65...90).contains(byte) {
                if !text.isEmpty, text.last != UInt8(ascii: "_"), text.last != UInt8(ascii: ".") {
                    text.append(UInt8(ascii: "_"))
                }
                text.append(byte | 0x20)
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `payment_total_usd` is `paymentTotalUsd`.
    static func camel(_ name: String) -> String { camels[name] ?? Spelling.camel(name) }

    /// Of all names that are asked of every row.
    private static let camels = Dictionary(
        uniqueKeysWithValues: Set(CoinbaseMapping.names + CoinbaseMapping.compared + CoinbaseOrderMapping.names).map {
            ($0, Spelling.camel($0))
        })

    /// Takes what no column holds into account, whichever way it is spelt.
    static func note(
        _ element: JSONValue, compared: Set<String>, known: KnownPaths, into mapped: inout MappedTransaction
    ) {
        let unknown = Set(element.unknownPaths(known: known))
        var fields = FieldBytes(capacity: 256)
        fields.append(leavesOf: element) { path, leaf in
            let name = snake(path)
            return unknown.contains(path) || compared.contains(name) ? (name, leaf.scalarText ?? "") : nil
        }
        mapped.unmappedPaths = Set(unknown.map(snake)).sorted()
        mapped.unmapped = fields.isEmpty ? nil : fields.digest
    }

    // MARK: Whose it is

    /// Before the references of test customers.
    static let testPrefix = "sandbox-"

    /// Whether a customer may be asked for by this reference of the book: addresses never go into a request's path.
    static func canBeAskedFor(_ reference: String) -> Bool {
        !reference.contains("@") && !reference.lowercased().contains("%40")
    }

    /// Whether a reference of a customer may be stored: one that is an e-mail address, a telephone number or
    /// a name may not. A name is told by what it lacks: words of letters alone, or blanks.
    static func isOpaque(_ reference: String) -> Bool {
        let bare = reference.hasPrefix(testPrefix) ? String(reference.dropFirst(testPrefix.count)) : reference
        if bare.contains("@") || bare.lowercased().contains("%40") { return false }
        if bare.contains(where: { $0.isWhitespace || !$0.isASCII }) { return false }
        if bare.hasPrefix("+"), bare.dropFirst().allSatisfy({ $0.isNumber || "-.()/".contains($0) }) { return false }
        let words = bare.split(whereSeparator: { "._-',".contains($0) })
        let isOfLetters = !words.isEmpty && words.allSatisfy { $0.allSatisfy(\.isLetter) }
        return !(isOfLetters && (2...4).contains(words.count))
    }
}
