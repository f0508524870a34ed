/// What a load did, in records of its files.
package struct LoadOutcome: Sendable, Hashable {
    /// Records read: every one is in exactly one of the counts below.
    package var records = 0
    /// Became current and were not known before.
    package var new = 0
    /// Became current in place of an older version (an event: a better delivery).
    package var changed = 0
    /// Older than what was known: kept in history.
    package var late = 0
    /// Known already, and said the same.
    package var unchanged = 0
    /// The same record again (a webhook event: another delivery of it).
    package var duplicates = 0
    package var quarantined = 0
    /// Of `quarantined`: met for the first time.
    package var newlyQuarantined = 0
    /// Files loaded, and files whose bytes had been loaded before.
    package var files = 0
    package var skippedFiles = 0
    /// Orders of a file's sources that a file loaded as complete does not list. Nothing is stored about them.
    package var missing = 0
    /// Records of settlement files that a corrected file lists no longer. They are kept.
    package var superseded = 0
    /// Records with a status that nobody modelled; they are stored as they came.
    package var unknownStatuses = 0

    package init() {}

    package static func += (a: inout LoadOutcome, b: LoadOutcome) {
        a.records += b.records
        a.new += b.new
        a.changed += b.changed
        a.late += b.late
        a.unchanged += b.unchanged
        a.duplicates += b.duplicates
        a.quarantined += b.quarantined
        a.newlyQuarantined += b.newlyQuarantined
        a.files += b.files
        a.skippedFiles += b.skippedFiles
        a.missing += b.missing
        a.superseded += b.superseded
        a.unknownStatuses += b.unknownStatuses
    }

    /// Records that are accounted for; equal to `records`, or success must not be reported.
    package var accounted: Int { new + changed + late + unchanged + duplicates + quarantined }
}
