import Crypto
import Payments
import Postgres

/// What is reported: one run, its knowledge cut, and the run before it that the reader compares with.
struct RunFacts: Sendable {
    let accountID: Int64
    let account: String
    let zone: String
    let job: String
    let run: Int64
    let asOf: Timestamp
    /// Nil at both ends where everything known is reported.
    let periodFrom: Timestamp?
    let periodTo: Timestamp?
    /// `2026-08-19 to 2026-08-20`, its business days; nil where everything known is reported.
    let periodText: String?
    /// `2026-08-20`, the last business day of the period.
    let businessDay: String
    /// `Thursday 20 August 2026`.
    let businessDayText: String
    let sinceRun: Int64?
    let sinceAsOf: Timestamp?
    let startedAt: Timestamp
    let host: String?
    let keepsFeeds: Bool
    /// A later run has reconciled, and may have linked otherwise.
    let hasSuccessor: Bool
    /// Nil while the run has not ended.
    let exitStatus: Int64?
    /// Every exit condition that applied, the worst first.
    let conditions: [String]

    /// `isWhole`: everything known is reported, whatever the run's period.
    init(_ row: Row, account id: Int64, isWhole: Bool) throws {
        accountID = id
        account = try row.text("account")
        zone = try row.text("zone")
        job = try row.text("job")
        run = try row.int("run_id")
        asOf = try row.timestamp("as_of")
        periodFrom = isWhole ? nil : try row.optionalTimestamp("period_from")
        periodTo = isWhole ? nil : try row.optionalTimestamp("period_to")
        periodText = isWhole ? nil : try row.optionalText("period_text")
        businessDay = try row.text("business_day")
        businessDayText = try row.text("business_day_text")
        sinceRun = try row.optionalInt("since_run")
        sinceAsOf = try row.optionalTimestamp("since_as_of")
        startedAt = try row.timestamp("started_at")
        host = try row.optionalText("host")
        keepsFeeds = try row.bool("keeps_feeds")
        hasSuccessor = try row.bool("has_successor")
        exitStatus = try row.optionalInt("exit_status")
        conditions = try row.textArray("conditions")
    }
}

/// A place in the account's audit trail.
struct ChainHead: Sendable, Hashable {
    let seq: Int64
    /// Hexadecimal digits.
    let digest: String

    static let none = ChainHead(seq: 0, digest: "")

    init(seq: Int64, digest: String) {
        self.seq = seq
        self.digest = digest
    }

    init?(_ row: Row?) throws {
        guard let row else { return nil }
        seq = try row.int("seq")
        digest = Hex.encode(try row.bytes("digest"))
    }
}

/// A text that decided something in the run.
struct UsedDefinition: Sendable {
    let kind: String
    let name: String
    let digest: String
    /// Of rules only.
    let body: String?
}
