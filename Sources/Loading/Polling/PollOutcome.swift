package import Payments

/// What polling one source came to.
package struct PollOutcome: Sendable {
    package enum Ending: Sendable, Hashable {
        /// The feed is proven up to the watermark.
        case complete
        /// Something is missing or could not be proven; each reason for people.
        case incomplete([String])
        /// The provider's rate limit: the checkpoint stands, try later (exit 75).
        case tryLater(String)
        /// Stopped on request after committing the page in hand (exit 75).
        case interrupted
    }

    package var ending: Ending
    /// Complete up to here; nil: never yet.
    package var watermark: Timestamp?
    package var backfillComplete: Bool
    package var counts: CommitCounts
    package var walks: WalkCounters
    /// Stored or referenced ids that the provider no longer or not yet knows.
    package var vanished: [String]
    package var unknownIDs: [String]
    /// Rows read one by one.
    package var singleReads: Int
    /// Rows that the list omits although the provider knows them.
    package var omittedByList: Int

    package var isComplete: Bool { ending == .complete }
}
