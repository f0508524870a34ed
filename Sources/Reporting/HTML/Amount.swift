/// Prints amounts for people: with their currency's own digits, grouped, and aligned at the point.
struct AmountStyle: Sendable {
    /// Digits behind the point by currency code.
    let digits: [String: Int]

    /// PostgreSQL's plain text of a `numeric` with at least the currency's digits and never fewer than it needs: what
    /// the CSV prints too. An unknown currency as it came.
    func plain(_ value: String, _ currency: String?) -> String {
        guard let currency, let wanted = digits[currency] else { return value }
        var (whole, fraction) = Self.split(value)
        while fraction.count > wanted, fraction.last == "0" { fraction.removeLast() }
        fraction += String(repeating: "0", count: max(0, wanted - fraction.count))
        if fraction.isEmpty { return String(whole) }
        whole += "."
        return whole + fraction
    }

    /// The same grouped by thousands, with a true minus; the plain number travels in the markup. `column` is how many
    /// digits behind the point the column leaves room for, so that points stand in one line.
    func html(_ value: String?, _ currency: String?, column: Int? = nil, signed: Bool = false) -> HTML {
        guard let value else { return "<span class=\"none\">–</span>" }
        let plain = plain(value, currency)
        let (whole, fraction) = Self.split(plain)
        let isNegative = whole.hasPrefix("-")
        var text = isNegative ? "−" : signed && !Self.isZero(value) ? "+" : ""
        text += Self.grouped(isNegative ? String(whole.dropFirst()) : whole)
        if !fraction.isEmpty { text += "." + fraction }
        var padding = ""
        if let column, column > 0 {
            // Figure spaces are as wide as digits, the punctuation space as the point.
            if fraction.isEmpty { padding = "\u{2008}" }
            padding += String(repeating: "\u{2007}", count: max(0, column - fraction.count))
        }
        return "<data value=\"\(plain)\">\(text)</data>\(HTML(verbatim: padding))"
    }

    /// How many digits behind the point the widest of these currencies takes, at most 3: longer ones stand out.
    func column(_ currencies: some Sequence<String?>) -> Int {
        min(3, currencies.map { $0.flatMap { digits[$0] } ?? 2 }.max() ?? 0)
    }

    static func isZero(_ value: String) -> Bool { value.utf8.allSatisfy { $0 < 0x31 || $0 > 0x39 } }

    /// Thousands apart by commas: `28,124`. `whole` is digits only.
    static func grouped(_ whole: String) -> String {
        var result = ""
        for (offset, digit) in whole.enumerated() {
            if offset > 0, (whole.count - offset) % 3 == 0 { result += "," }
            result.append(digit)
        }
        return result
    }

    static func count(_ number: Int64) -> String { (number < 0 ? "−" : "") + grouped(String(number.magnitude)) }

    private static func split(_ value: String) -> (whole: String, fraction: String) {
        guard let point = value.firstIndex(of: ".") else { return (value, "") }
        return (String(value[..<point]), String(value[value.index(after: point)...]))
    }
}

extension HTML {
    /// Blanks and the like, which escaping would spell out.
    init(verbatim text: String) { self.init(stringLiteral: text) }
}

/// `1 break`, `2 breaks`.
func plural(_ count: Int64, _ one: String, _ many: String? = nil) -> String {
    "\(AmountStyle.count(count)) \(count == 1 ? one : many ?? one + "s")"
}
