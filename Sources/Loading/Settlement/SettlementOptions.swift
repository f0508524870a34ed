package import Payments

/// What the operator says about a settlement file beside what stands in it.
package struct SettlementOptions: Sendable, Hashable {
    /// The mark before decimals, where amounts are not plain numbers. Declared, never guessed: `1,234` has two meanings.
    package enum DecimalMark: String, Sendable, CaseIterable {
        case point = "."
        case comma = ","
    }

    /// The source that settled.
    package var source: String
    /// When the provider wrote the file; of two versions of a file the one written later holds.
    package var exportedAt: Timestamp?
    /// Up to when the file is complete; else the newest time in it.
    package var coversUntil: Timestamp?
    /// The file's encoding in any of PostgreSQL's names (`WIN1252`, `windows-1252`, `LATIN1`).
    package var encoding: String
    /// Nil: amounts are plain numbers.
    package var decimal: DecimalMark?
    /// Names of the file's columns, by what they are called in the canonical form.
    package var columns: [String: String]

    package init(
        source: String, exportedAt: Timestamp? = nil, coversUntil: Timestamp? = nil, encoding: String = "UTF8",
        decimal: DecimalMark? = nil, columns: [String: String] = [:]
    ) {
        self.source = source
        self.exportedAt = exportedAt
        self.coversUntil = coversUntil
        self.encoding = encoding
        self.decimal = decimal
        self.columns = columns
    }
}
