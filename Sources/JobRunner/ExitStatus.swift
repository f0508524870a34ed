/// What a command tells cron. The worst condition that applied decides, in the order of `rank`; two may share a status.
package enum ExitStatus: Sendable, Hashable, CaseIterable, Comparable {
    /// Done and complete.
    case done
    /// Something in Tieout or beneath it broke.
    case internalFailure
    /// The command line or the configuration is wrong.
    case usage
    /// Open primary breaks at or above `--fail-on`.
    case breaks
    /// A control total does not tie out: no break and no named class explains the difference.
    case unexplained
    /// Done, but a source failed or a feed is stale.
    case incomplete
    /// Done, with newly quarantined rows.
    case quarantined
    /// Another run holds the lock, a rate limit, or interrupted: the same command later will do.
    case tryLater

    /// The status that the process ends with.
    package var rawValue: Int32 {
        switch self {
        case .done: 0
        case .internalFailure: 1
        case .usage: 2
        case .breaks, .unexplained: 3
        case .incomplete: 4
        case .quarantined: 5
        case .tryLater: 75
        }
    }

    /// Position in the order 1, 2, 75, 4, 3, 5, 0: the first that applies wins.
    private var rank: Int {
        switch self {
        case .internalFailure: 0
        case .usage: 1
        case .tryLater: 2
        case .incomplete: 3
        case .breaks: 4
        case .unexplained: 5
        case .quarantined: 6
        case .done: 7
        }
    }

    /// The word that `summary.json` lists.
    package var condition: String {
        switch self {
        case .done: "done"
        case .internalFailure: "internal_failure"
        case .usage: "usage"
        case .breaks: "breaks"
        case .unexplained: "unexplained"
        case .incomplete: "incomplete"
        case .quarantined: "quarantined"
        case .tryLater: "try_later"
        }
    }

    /// Greater is worse.
    package static func < (a: ExitStatus, b: ExitStatus) -> Bool { a.rank > b.rank }
}
