import Crypto
import JSON
import Payments

/// One object of Coinbase's, whose keys are written in either of two ways (`transaction_id`, `transactionId`), read as if
/// they were always written in the first.
struct CoinbaseFields {
    private let members: [String: JSONValue]

    /// Throws where both spellings of a key hold different things: which counts nobody can tell.
    init(_ element: JSONValue) throws(RowFault) {
        var members: [String: JSONValue] = [:]
        for (key, value) in element.members {
            let name = Self.snake(key)
            if let other = members[name], !other.isNull, !value.isNull {
                guard other.sourceBytes == value.sourceBytes else { throw RowFault("a key occurs twice: \(name)") }
            }
            if members[name]?.isNull ?? true { members[name] = value }
        }
        self.members = members
    }

    /// For what may be unreadable: the first spelling counts.
    init(lenient element: JSONValue) {
        members = Dictionary(element.members.map { (Self.snake($0.key), $0.value) }, uniquingKeysWith: { a, _ in a })
    }

    subscript(name: String) -> JSONValue? { members[name] }

    func text(_ name: String) throws(RowFault) -> String? { try ElementReader.text(members[name], name) }
    func amount(_ name: String) throws(RowFault) -> ExactDecimal? { try ElementReader.amount(members[name], name) }

    /// The zero time (`0001-01-01T00:00:00Z`) is none.
    func time(_ name: String) throws(RowFault) -> Timestamp? {
        if members[name]?.string?.hasPrefix("0001-01-01") == true { return nil }
        return try ElementReader.time(members[name], name)
    }

    /// An object of `value` and `currency`; nil where there is none.
    func money(_ name: String) throws(RowFault) -> (amount: ExactDecimal?, currency: String?) {
        guard let value = members[name], !value.isNull else { return (nil, nil) }
        guard value.isObject else { throw ElementReader.changed(name, "object", value) }
        return (
            try ElementReader.amount(value["value"], "\(name).value"),
            try ElementReader.text(value["currency"], "\(name).currency")
        )
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
    static func camel(_ name: String) -> String {
        let parts = name.split(separator: "_")
        return parts.prefix(1).joined() + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    static func bothSpellings(_ names: [String]) -> [String] { Array(Set(names + names.map(camel))).sorted() }

    /// Takes what no column holds into account, whichever way it is spelt.
    static func note(
        _ element: JSONValue, compared: Set<String>, known: KnownPaths, into mapped: inout MappedTransaction
    ) {
        let unknown = Set(element.unknownPaths(known: known))
        var leaves: [(path: String, text: String)] = []
        element.forEachLeaf { path, leaf in
            let name = snake(path)
            if unknown.contains(path) || compared.contains(name) { leaves.append((name, leaf.scalarText ?? "")) }
        }
        var fields = FieldBytes(capacity: 256)
        for (_, leaf) in leaves.enumerated().sorted(by: { ($0.element.path, $0.offset) < ($1.element.path, $1.offset) })
        {
            fields.append(leaf.path)
            fields.append(leaf.text)
        }
        mapped.unmappedPaths = Set(unknown.map(snake)).sorted()
        mapped.unmapped = fields.isEmpty ? nil : fields.digest
    }

    // MARK: Whose it is

    /// Before the references of test customers.
    static let testPrefix = "sandbox-"

    /// Whether a reference of a customer may be stored and asked for: one that is an e-mail address, a telephone number or
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
