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
    /// What the provider's list of events brought; nil: it has none.
    package var events: EventCounts?
    /// `event gap 10 d, healed by object sweep`: events are gone for ever, and what was done about it; nil: none is.
    package var eventGap: String?

    package var isComplete: Bool { ending == .complete }

    /// Stopped before anything was asked: all is as proven as it was.
    static func untouched(_ state: ResourceState) -> PollOutcome {
        PollOutcome(
            ending: .interrupted, watermark: state.watermark, backfillComplete: state.backfillComplete,
            counts: CommitCounts(), walks: WalkCounters(), vanished: [], unknownIDs: [], singleReads: 0,
            omittedByList: 0)
    }

    /// This outcome of one resource together with that of another one of the same source: the worst of both.
    mutating func join(_ other: PollOutcome, resource: String) {
        ending = ending.joined(with: other.ending, resource: resource)
        // Proven is what all are.
        if let mine = watermark, let its = other.watermark { watermark = min(mine, its) } else { watermark = nil }
        backfillComplete = backfillComplete && other.backfillComplete
        counts += other.counts
        walks += other.walks
        vanished += other.vanished.map { RecordName.of($0, resource: resource) }
        unknownIDs += other.unknownIDs.map { RecordName.of($0, resource: resource) }
        singleReads += other.singleReads
        omittedByList += other.omittedByList
    }
}

extension PollOutcome.Ending {
    /// The same where the list of events could not be read to its end, or has a gap that nothing heals.
    func joined(withEvents reasons: [String]) -> PollOutcome.Ending {
        switch self {
        case _ where reasons.isEmpty: self
        case .complete: .incomplete(reasons)
        case .incomplete(let mine): .incomplete(mine + reasons)
        case .tryLater, .interrupted: self
        }
    }

    fileprivate func joined(with other: PollOutcome.Ending, resource: String) -> PollOutcome.Ending {
        switch (self, other) {
        case (.interrupted, _), (_, .interrupted): .interrupted
        case (.tryLater, _): self
        case (_, .tryLater): other
        case (.incomplete(let mine), .incomplete(let its)): .incomplete(mine + its.map { "\(resource): \($0)" })
        case (.complete, .incomplete(let its)): .incomplete(its.map { "\(resource): \($0)" })
        case (_, .complete): self
        }
    }
}

extension PollOutcome {
    /// Why the feed is not complete, for people; nil where it is, and where only the operator stopped it.
    var failureText: String? {
        switch ending {
        case .complete, .interrupted: nil
        case .incomplete(let reasons): reasons.joined(separator: "; ")
        case .tryLater(let reason): reason
        }
    }
}
