package import Payments
package import Postgres

/// How far values may lie apart, and how old a feed may be.
package struct Tolerances: Sendable, Hashable {
    /// The age up to which a feed counts as fresh where nothing else is said, as PostgreSQL reads an interval.
    package static let defaultMaximumAge = "26 hours"

    /// By feed; the default applies to those not named.
    package var maximumAge: [Feed: String]
    /// Parameters of rules, by rule and name, instead of the value in the rule's header.
    package var parameters: [String: [String: String]]

    package init(maximumAge: [Feed: String] = [:], parameters: [String: [String: String]] = [:]) {
        self.maximumAge = maximumAge
        self.parameters = parameters
    }
}

/// What one evaluation works with.
package struct ReconcileContext: Sendable {
    package let account: Int64
    package let run: Int64
    /// The knowledge cut, taken after the run's last load committed.
    package let asOf: Timestamp
    /// Ledger time, which stamps breaks and totals.
    package let clock: LedgerClock
    /// Throws where another run has taken the account's lock. Every writing transaction calls it first.
    package let fenceCheck: @Sendable (Connection) throws -> Void
    package let sql: SQLLibrary
    /// Empty: those of `SQL/reference/terms.csv`.
    package let terms: [Term]
    package let tolerances: Tolerances
    /// True: everything is evaluated, whatever news there is.
    package let isFull: Bool
    /// An event's name and its fields; no personal data.
    package let log: @Sendable (String, [(name: String, value: String)]) -> Void

    package init(
        account: Int64, run: Int64, asOf: Timestamp, clock: LedgerClock,
        fenceCheck: @escaping @Sendable (Connection) throws -> Void, sql: SQLLibrary, terms: [Term] = [],
        tolerances: Tolerances = Tolerances(), isFull: Bool = false,
        log: @escaping @Sendable (String, [(name: String, value: String)]) -> Void = { _, _ in }
    ) {
        self.account = account
        self.run = run
        self.asOf = asOf
        self.clock = clock
        self.fenceCheck = fenceCheck
        self.sql = sql
        self.terms = terms
        self.tolerances = tolerances
        self.isFull = isFull
        self.log = log
    }
}

/// What one evaluation found.
package struct ReconcileOutcome: Sendable {
    /// Why a rule said nothing about a source.
    package struct Silence: Sendable, Hashable {
        package let rule: String
        /// Empty: the rule as a whole.
        package let source: String
        package let reason: String
        package let subjects: Int
    }

    /// A feed of a source that is still read, whose data end too early or whose last attempt failed.
    package struct StaleFeed: Sendable, Hashable {
        package let source: String
        package let feed: String
        /// True: it failed, but its data are young enough to judge by.
        package let isFresh: Bool
        /// Where its data end.
        package let since: Timestamp
        package let reason: String
    }

    /// What was evaluated.
    package var scope = RunScope.everything(.asked)
    /// Payments that were evaluated; nil: all.
    package var inScope: Int?
    package var linked = Linker.Changes()
    package var opened = 0
    package var reopened = 0
    package var changed = 0
    package var healed = 0
    package var carried = 0
    /// Open and reopened primary breaks after the run by severity, without acknowledged and baseline ones: what
    /// `--fail-on` looks at.
    package var standing: [Severity: Int] = [:]
    /// The same, only those whose spell began in this run.
    package var fresh: [Severity: Int] = [:]
    /// Open and acknowledged breaks after the run, of every rank.
    package var open = 0
    package var awaiting = 0
    /// Rules that could not judge a source because a feed is too old.
    package var notEvaluated: [Silence] = []
    /// Rules whose evidence a source never gives, or that are not installed. No effect on the exit status.
    package var notApplicable: [Silence] = []
    package var staleFeeds: [StaleFeed] = []
    /// Sources that answer, but have brought no new row for longer than ever: open `source_silent` breaks.
    package var silentSources: [String] = []
    /// Orders that lapsed unpaid with both sides agreeing, by source.
    package var abandoned: [String: Int] = [:]
    /// Control totals with an unexplained part, of any business day; the first 20.
    package var looseTotals: [LooseTotal] = []
    /// No control total has an unexplained part.
    package var totalsTie: Bool { looseTotals.isEmpty }
    /// Control totals written because they are new or changed.
    package var totalsWritten = 0

    package init() {}

    /// Primary breaks at or above `severity`, as `standing` counts them.
    package func standing(atOrAbove severity: Severity) -> Int {
        standing.filter { $0.key >= severity }.values.reduce(0, +)
    }
}

/// Control totals of one pair, source, direction and currency that do not tie out.
package struct LooseTotal: Sendable, Hashable {
    package let pair: String
    package let source: String
    package let direction: String
    /// Empty: records are counted, and no amounts summed.
    package let currency: String
    /// Business days on which something is unexplained.
    package let days: Int64
    /// Side A less side B that nothing explains, in records.
    package let records: Int64
    /// The same in money; nil where amounts are not summed.
    package let sum: String?
}

/// A control total that does not hold, which is a fault of this program and stops the run before anything is published.
package struct ControlTotalFault: Error, Hashable, CustomStringConvertible {
    package let pair: String
    package let source: String
    /// Nil: over all days.
    package let businessDay: String?
    package let currency: String
    package let bucket: String
    package let what: String

    package var description: String {
        "control total \(pair) \(source) \(businessDay ?? "all days") \(currency) \(bucket): \(what) disagree"
    }
}
