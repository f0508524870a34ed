package import Payments
package import Providers

/// How one source is polled; the configuration may override each.
package struct PollSettings: Sendable, Hashable {
    /// Seconds before the watermark at which an incremental walk begins: what changed or appeared late since.
    package var lookBack: Int64 = 10 * 86_400
    /// Seconds before a walk's start up to which a list counts as settled.
    package var settleLag: Int64 = 900
    /// Seconds after which a row that is not final and holds no money is left to the deep sweep.
    package var dormantAfter: Int64 = 30 * 86_400
    /// Seconds back to which the deep sweep reads.
    package var reversalWindow: Int64 = 180 * 86_400
    package var sweep: Sweep = .slice
    /// Rows older than this are not asked for by a first backfill; nil: from the first there ever was.
    package var backfillFrom: Timestamp?
    /// Rows at which a group is committed. Two groups may wait for the database while a third one fills: this is what
    /// decides how much memory a load takes.
    package var groupRows = 4000
    /// Windows of one walk that are read at the same time at most, all within the source's one rate budget.
    package var parallelWindows = 6
    /// Single reads under way at once.
    package var parallelReads = 4
    /// Unlisted rows that are read again by id at most, in one run.
    package var unlistedLimit = 1000

    package enum Sweep: String, Sendable, Hashable, CaseIterable {
        /// No deep sweep in this run (an hourly job).
        case off
        /// A seventh of the reversal window, chosen by the day: the whole in a week.
        case slice
        /// All of it.
        case whole
    }

    package init() {}
}

/// One source as the poller needs it.
package struct SourceHandle: Sendable {
    /// The name in the configuration, e.g. `meld-live`.
    package var id: String
    package var provider: any Provider
    package var settings: PollSettings
    /// The source is declared to send no signatures: unsigned deliveries are evidence.
    package var unsignedCounts: Bool

    package init(
        id: String, provider: any Provider, settings: PollSettings = PollSettings(), unsignedCounts: Bool = false
    ) {
        self.id = id
        self.provider = provider
        self.settings = settings
        self.unsignedCounts = unsignedCounts
    }

    /// The ids of one resource among `names`: payments by their ids, other records as `resource/id`.
    func ids(_ names: [String], of resource: Resource) -> [String] {
        if resource.name == provider.payments.name {
            let prefixes = provider.others.map { $0.name + "/" }
            return names.filter { name in !prefixes.contains { name.hasPrefix($0) } }
        }
        return names.filter { $0.hasPrefix(resource.name + "/") }.map { RecordName.id($0, resource: resource.name) }
    }
}
