package import Payments
package import Postgres

/// What is published, and where.
package struct PublishOptions: Sendable {
    package var account: Int64
    package var run: Int64
    /// The job's name as a folder; nil takes the name the run was recorded under.
    package var job: String?
    /// The folder of all reports.
    package var output: String
    /// Beside each `name.csv` a `name.raw.csv` with text as it is: for programs, never for a spreadsheet.
    package var raw: Bool
    /// A byte-order mark in front of each CSV, which Excel needs to read UTF-8.
    package var bom: Bool
    /// Everything that was known, whatever the run's period: published beside the job's own folder, as `<job>-all`.
    package var isWhole: Bool
    /// Breaks shown per rule on the index page; what is more has a page per rule.
    package var topN: Int
    /// Breaks shown on a rule's own page; `breaks.csv` holds all.
    package var rulePageRows: Int
    /// Written into the manifest: names and versions of what made the report, e.g. `tieout`.
    package var versions: [String: String]
    /// Links anew as of a moment, into the temporary table `link_member`: which records belonged together when an older
    /// run was made. Without it they are shown as they are linked now.
    package var relink: (@Sendable (Connection, Timestamp) throws -> Void)?

    package init(
        account: Int64, run: Int64, job: String? = nil, output: String, raw: Bool = false, bom: Bool = false,
        isWhole: Bool = false,
        topN: Int = 100, rulePageRows: Int = 2000, versions: [String: String] = [:],
        relink: (@Sendable (Connection, Timestamp) throws -> Void)? = nil
    ) {
        self.account = account
        self.run = run
        self.job = job
        self.output = output
        self.raw = raw
        self.bom = bom
        self.isWhole = isWhole
        self.topN = topN
        self.rulePageRows = rulePageRows
        self.versions = versions
        self.relink = relink
    }
}

/// A run's published folder.
package struct PublishedReport: Sendable {
    /// `<output>/<account>/<job>/<business day>/<run>`; `<job>-all` for everything known.
    package let path: String
    /// In the order of their names; the manifest itself is not among them.
    package let files: [PublishedFile]
    /// SHA-256 of `manifest.json`, in hexadecimal digits.
    package let manifestDigest: String
    /// The folder was there already, with the same bytes.
    package let wasPublished: Bool
}

/// One file of a published run.
package struct PublishedFile: Sendable, Hashable {
    package let name: String
    /// Data rows; nil for pages.
    package let rows: Int?
    package let bytes: Int
    /// Hexadecimal digits.
    package let sha256: String
}
