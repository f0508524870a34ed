package import Payments

/// What the operator says about a book file beside what stands in it.
package struct BookOptions: Sendable, Hashable {
    /// When the merchant's system wrote the file: the version time of rows without `updated_at`.
    package var exportedAt: Timestamp?
    /// Up to when the file is complete; else the newest time in it.
    package var coversUntil: Timestamp?
    /// The file's encoding in any of PostgreSQL's names (`WIN1252`, `windows-1252`, `LATIN1`).
    package var encoding: String
    /// The file lists every order of its sources: orders that it lacks are counted.
    package var isComplete: Bool
    /// The source of rows that name none.
    package var baseSource: String?

    package init(
        exportedAt: Timestamp? = nil, coversUntil: Timestamp? = nil, encoding: String = "UTF8",
        isComplete: Bool = false, baseSource: String? = nil
    ) {
        self.exportedAt = exportedAt
        self.coversUntil = coversUntil
        self.encoding = encoding
        self.isComplete = isComplete
        self.baseSource = baseSource
    }
}
