/// What a command tells cron. The worst condition that applied decides, in the order of `rank`.
package enum ExitStatus: Int32, Sendable, Hashable, CaseIterable, Comparable {
    /// Done and complete.
    case done = 0
    /// Something in Tieout or beneath it broke.
    case internalFailure = 1
    /// The command line or the configuration is wrong.
    case usage = 2
    /// Open primary breaks at or above `--fail-on`.
    case breaks = 3
    /// Done, but a source failed or a feed is stale.
    case incomplete = 4
    /// Done, with newly quarantined rows.
    case quarantined = 5
    /// Another run holds the lock, a rate limit, or interrupted: the same command later will do.
    case tryLater = 75

    /// Position in the order 1, 2, 75, 4, 3, 5, 0: the first that applies wins.
    private var rank: Int {
        switch self {
        case .internalFailure: 0
        case .usage: 1
        case .tryLater: 2
        case .incomplete: 3
        case .breaks: 4
        case .quarantined: 5
        case .done: 6
        }
    }

    /// The word that `summary.json` lists.
    package var condition: String {
        switch self {
        case .done: "done"
        case .internalFailure: "internal_failure"
        case .usage: "usage"
        case .breaks: "breaks"
        case .incomplete: "incomplete"
        case .quarantined: "quarantined"
        case .tryLater: "try_later"
        }
    }

    /// Greater is worse.
    package static func < (a: ExitStatus, b: ExitStatus) -> Bool { a.rank > b.rank }
}
