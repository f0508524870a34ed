package import Payments

/// Rows that are committed together, and what is to be found out about their surroundings.
package struct CommitGroup: Sendable {
    package var rows: [IncomingRow]
    /// The span of creation times that these rows cover without a gap: stored rows inside that are not among them are
    /// unlisted. Nil for rows read one by one.
    package var span: ClosedRange<Timestamp>?
    /// The end of the span at which the list goes on: rows of exactly that moment may come with the next group.
    package var openBorder: Timestamp?
    /// Rows of the span's other end that an earlier group brought.
    package var seenAtBorder: Set<String>
    /// Rows created up to here that are new now came late; nil: the question does not arise.
    package var watermark: Timestamp?
    /// What happens to the walk's position in the same transaction.
    package var checkpoint: CheckpointChange?
    /// With the last rows of a backfill: what it has proven, unless stored rows turn out to be unlisted.
    package var proof: BackfillProof?
    /// Records in quarantine, by their quarantine ids, that these rows are: they leave it in the same transaction.
    package var settles: [String] = []
    /// Records that nobody could read, on their way to quarantine.
    package var setsAside: [QuarantinedRecord] = []

    package init(
        rows: [IncomingRow], span: ClosedRange<Timestamp>? = nil, openBorder: Timestamp? = nil,
        seenAtBorder: Set<String> = [], watermark: Timestamp? = nil, checkpoint: CheckpointChange? = nil
    ) {
        self.rows = rows
        self.span = span
        self.openBorder = openBorder
        self.seenAtBorder = seenAtBorder
        self.watermark = watermark
        self.checkpoint = checkpoint
    }
}

/// What one commit did; summed up over a run.
package struct CommitCounts: Sendable, Hashable {
    package var new = 0
    package var changed = 0
    /// Older versions that came late and went straight into the history.
    package var late = 0
    package var unchanged = 0
    /// Only volatile or unmapped bytes differ in a way that maps to the same content.
    package var rawOnly = 0
    package var strangers = 0
    package var quarantined = 0
    package var newlyQuarantined = 0
    package var lateArrivals = 0
    package var groups = 0

    package init() {}

    package static func += (a: inout CommitCounts, b: CommitCounts) {
        a.new += b.new
        a.changed += b.changed
        a.late += b.late
        a.unchanged += b.unchanged
        a.rawOnly += b.rawOnly
        a.strangers += b.strangers
        a.quarantined += b.quarantined
        a.newlyQuarantined += b.newlyQuarantined
        a.lateArrivals += b.lateArrivals
        a.groups += b.groups
    }
}

/// A stored row that the list did not show where it should have.
package struct UnlistedRow: Sendable, Hashable {
    package let id: String
    package let createdAt: Timestamp
}

/// What a backfill that has reached the start has proven.
package struct BackfillProof: Sendable, Hashable {
    package let coveredFrom: Timestamp
    package let watermark: Timestamp
}
