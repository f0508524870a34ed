/// The currencies of ISO 4217 with the digits behind their points, and where a provider deviates. Built from the text of
/// `SQL/reference/currencies.csv` and `currency_exceptions.csv`, which PostgreSQL loads too: both sides count alike.
package struct CurrencyTable: Sendable, Hashable {
    /// Which line of which file cannot be used. These files are ours, so the text may be shown.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    private struct ProviderCode: Hashable {
        let provider: String
        let code: String
    }

    private var currencies: [String: Entry] = [:]
    private var exceptions: [ProviderCode: Int] = [:]

    private struct Entry: Hashable {
        let exponent: Int
        let name: String
    }

    /// - Parameters:
    ///   - currencies: `code,exponent,name`.
    ///   - exceptions: `provider,code,exponent,why`.
    package init(currencies: String, exceptions: String = "provider,code,exponent,why\n") throws(Fault) {
        let rows = try Self.rows(currencies, "currencies.csv", ["code", "exponent", "name"])
        for (line, row) in rows {
            guard Self.isCode(row[0]), let exponent = Self.exponent(row[1], atMost: 18), !row[2].isEmpty,
                self.currencies.updateValue(Entry(exponent: exponent, name: row[2]), forKey: row[0]) == nil
            else { throw Fault(description: "currencies.csv record \(line): no currency, or one a second time") }
        }
        for (line, row) in try Self.rows(
            exceptions, "currency_exceptions.csv", ["provider", "code", "exponent", "why"])
        {
            let key = ProviderCode(provider: row[0], code: row[1])
            guard !row[0].isEmpty, !row[1].isEmpty, let exponent = Self.exponent(row[2], atMost: 36), !row[3].isEmpty,
                self.exceptions.updateValue(exponent, forKey: key) == nil
            else {
                throw Fault(description: "currency_exceptions.csv record \(line): no exception, or one a second time")
            }
        }
    }

    /// True for a currency of ISO 4217, a few lately withdrawn ones included: their payments are still on file. Everything
    /// else is a crypto asset or unknown. Codes are written in capitals.
    package func isISO(_ code: String) -> Bool { currencies[code] != nil }

    /// How many digits an amount in minor units has behind its point. Nil where nobody knows: such an amount must be
    /// quarantined, never guessed. An amount in major units needs no exponent.
    package func exponent(_ code: String, provider: String? = nil) -> Int? {
        if let provider, let exception = exceptions[ProviderCode(provider: provider, code: code)] { return exception }
        return currencies[code]?.exponent
    }

    /// The currency's English name.
    package func name(_ code: String) -> String? { currencies[code]?.name }

    /// All codes, sorted.
    package var codes: [String] { currencies.keys.sorted() }

    private static func rows(
        _ text: String, _ file: String, _ header: [String]
    ) throws(Fault) -> [(line: Int, row: [String])] {
        guard let records = CSVText.records(text), records.first == header else {
            throw Fault(description: "\(file): the first line must be \(header.joined(separator: ","))")
        }
        var rows: [(Int, [String])] = []
        for (index, record) in records.enumerated().dropFirst() {
            if record.count != header.count {
                throw Fault(description: "\(file) record \(index + 1): \(record.count) fields, not \(header.count)")
            }
            rows.append((index + 1, record))
        }
        return rows
    }

    private static func isCode(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }
    }

    private static func exponent(_ text: String, atMost limit: Int) -> Int? {
        Int(text).flatMap { (0...limit).contains($0) ? $0 : nil }
    }
}
