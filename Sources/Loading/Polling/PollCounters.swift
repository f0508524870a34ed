import HTTP
import JSON
import Payments

/// What one poll of a source met, over all its resources: for the feed's row.
struct PollCounters {
    var walks = WalkCounters()
    var commits = CommitCounts()
    var singleReads = 0
    var unusableReads = 0
    var withoutPayment = 0
    /// Orders that nothing is known of by which their payment could be asked for.
    var notAsked = 0
    var unlisted = 0
    var omitted = 0
    var vanished: [String] = []
    var unknownIDs: [String] = []
    var notBefore: Timestamp?
    /// What fetching cost the source so far.
    var fetching: FetchMetrics.Counts?

    static func += (a: inout PollCounters, b: PollCounters) {
        a.walks += b.walks
        a.commits += b.commits
        a.singleReads += b.singleReads
        a.unusableReads += b.unusableReads
        a.withoutPayment += b.withoutPayment
        a.notAsked += b.notAsked
        a.unlisted += b.unlisted
        a.omitted += b.omitted
        a.vanished += b.vanished
        a.unknownIDs += b.unknownIDs
        a.notBefore = a.notBefore ?? b.notBefore
        a.fetching = b.fetching ?? a.fetching
    }

    var json: String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("pages", integer: walks.pages)
            object.member("rows", integer: walks.rows)
            object.member("new", integer: commits.new)
            object.member("changed", integer: commits.changed)
            object.member("late_versions", integer: commits.late)
            object.member("unchanged", integer: commits.unchanged)
            object.member("raw_only", integer: commits.rawOnly)
            object.member("strangers", integer: commits.strangers)
            object.member("quarantined", integer: commits.quarantined)
            object.member("groups", integer: commits.groups)
            object.member("repeated_rows", integer: walks.repeatedRows)
            object.member("repeated_pages", integer: walks.repeatedPages)
            object.member("empty_pages", integer: walks.emptyPages)
            object.member("short_pages", integer: walks.shortPages)
            object.member("repeated_cursors", integer: walks.repeatedCursors)
            object.member("rejected_cursors", integer: walks.rejectedCursors)
            object.member("rows_outside_window", integer: walks.rowsOutsideWindow)
            object.member("rows_out_of_order", integer: walks.rowsOutOfOrder)
            object.member("restarts", integer: walks.restarts)
            object.member("single_reads", integer: singleReads)
            object.member("unusable_reads", integer: unusableReads)
            object.member("orders_without_payment", integer: withoutPayment)
            object.member("orders_not_asked", integer: notAsked)
            object.member("unlisted", integer: unlisted)
            object.member("omitted_by_list", integer: omitted)
            object.member("vanished", integer: vanished.count)
            object.member("vanished_ids", strings: vanished.prefix(100))
            object.member("unknown_ids", strings: unknownIDs.prefix(100))
            object.member("not_before", notBefore?.description)
            if let fetching {
                object.member("requests", integer: fetching.requests)
                object.member("retries", integer: fetching.retries)
                object.member("too_many_requests", integer: fetching.tooMany)
                object.member("waited_ms", integer: fetching.waitedMilliseconds)
            }
        }
        return writer.text
    }
}

extension WalkCounters {
    static func += (a: inout WalkCounters, b: WalkCounters) {
        a.pages += b.pages
        a.rows += b.rows
        a.repeatedRows += b.repeatedRows
        a.repeatedPages += b.repeatedPages
        a.emptyPages += b.emptyPages
        a.shortPages += b.shortPages
        a.repeatedCursors += b.repeatedCursors
        a.rejectedCursors += b.rejectedCursors
        a.rowsOutsideWindow += b.rowsOutsideWindow
        a.rowsOutOfOrder += b.rowsOutOfOrder
        a.restarts += b.restarts
    }
}
