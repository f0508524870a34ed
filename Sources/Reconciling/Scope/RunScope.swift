package import Payments

/// What one run evaluates.
package enum RunScope: Sendable, Hashable {
    /// Why everything is evaluated.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// `--full`.
        case asked
        /// Nothing was judged before.
        case first
        /// A rule was added or changed, or something its verdicts depend on: a parameter, a term, a calendar, the state
        /// matrix, a source, how far a feed reaches back, a statement of this program.
        case definitions
        /// The last run that evaluated everything is a week old.
        case weekly
    }

    case everything(Reason)
    /// What news since a moment, or time, can touch. `seq` is the end of the breaks' trail at that moment.
    case near(since: Timestamp, seq: Int64)

    var isNear: Bool {
        if case .near = self { return true }
        return false
    }
}
