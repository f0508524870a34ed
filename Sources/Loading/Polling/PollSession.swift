import HTTP
import JSON
import Payments

/// What one poll has learnt so far; a value without I/O that turns into the outcome.
struct PollSession {
    let state: FeedState
    /// Ids that somebody pointed at, without repeats.
    let rereads: [String]
    private(set) var watermark: Timestamp?
    private(set) var backfillComplete: Bool
    private(set) var walked: ClosedRange<Timestamp>?
    var isInterrupted = false
    private var provenLater: Timestamp?
    private var swept: [String: String]
    private var reasons: [String] = []
    private var failure: HTTPError?
    private var walks = WalkCounters()
    private var met: Set<String> = []
    private var unlisted: [UnlistedRow] = []
    private var unlistedCount = 0
    private var listIsOrdered = true
    /// Whether rows that the list does not show can be asked for one by one.
    private let canReadByID: Bool
    private var backfillWasComplete: Bool { state.backfillComplete }
    /// What stands whatever becomes of the rows that the list did not show.
    private var firm: (watermark: Timestamp?, backfillComplete: Bool)
    /// The list contradicts what the provider or the database knows.
    private var isInDoubt = false
    private var answered: Set<String> = []
    private var vanished: [String] = []
    private var unknownIDs: [String] = []
    private var singleReads = 0
    private var unusableReads = 0
    private var omitted = 0
    /// Creation times that a finished walk has shown without a gap.
    private var proved: ClosedRange<Timestamp>?
    /// Rows that finished walks from the head of the list have shown; nil: none was finished.
    private var listed: Int?
    /// Ledger time before which the provider wants no request.
    private(set) var notBefore: Timestamp?
    /// What fetching cost; filled in at the end.
    var fetching: FetchMetrics.Counts?

    init(state: FeedState, rereads: [String], canReadByID: Bool = true) {
        self.state = state
        self.canReadByID = canReadByID
        firm = (state.watermark, state.backfillComplete)
        var known: Set<String> = []
        self.rereads = rereads.filter { !$0.isEmpty && known.insert($0).inserted }
        watermark = state.watermark
        backfillComplete = state.backfillComplete
        swept = state.swept
    }

    /// False once a request has failed for good: what follows would fail likewise.
    var goesOn: Bool { failure == nil }

    mutating func take(_ result: WalkResult, name: String, now: Timestamp) {
        walks += result.end.counters
        met.formUnion(result.met)
        failure = failure ?? result.failure
        let plan = result.plan
        switch result.end.verdict {
        case .incomplete(let reason, _):
            reasons.append("\(name): \(reason)")
            // What it did read is fresh; rows that are not final beyond it are read one by one.
            if plan.kind != .sweep, let oldest = result.end.oldest, let newest = result.end.newest {
                walked = oldest...newest
            }
        case .complete:
            unlisted += result.unlisted
            unlistedCount += result.unlistedCount
            if result.end.counters.rowsOutOfOrder > 0 { listIsOrdered = false }
            switch plan.kind {
            case .backfill:
                backfillComplete = true
                watermark = [watermark, plan.provesUntil].compactMap(\.self).max()
                if result.unlistedCount == 0, met.isSuperset(of: rereads) { firm = (watermark, true) }
            case .incremental:
                provenLater = [provenLater, plan.provesUntil].compactMap(\.self).max()
            case .sweep:
                swept[name.split(separator: " ").last.map(String.init) ?? name] = now.description
            }
            if plan.kind != .sweep {
                listed = (listed ?? 0) + result.end.counters.rows
                let start = plan.from ?? Timestamp(seconds: -2_208_988_800)
                if start <= plan.provesUntil { proved = start...plan.provesUntil }
                let newest = max(plan.startedAt, result.end.newest ?? plan.startedAt)
                walked = min(plan.from ?? Timestamp(seconds: -2_208_988_800), newest)...newest
            }
        }
    }

    /// What is left to be read one by one: pointed at and not met, not final, not listed where it should have been.
    func idsToRead(open: [String]) -> [String] {
        var taken: Set<String> = []
        return (rereads.filter { !met.contains($0) } + unlisted.map(\.id) + open).filter { taken.insert($0).inserted }
    }

    mutating func take(_ result: SingleReads.Result) {
        singleReads += result.read
        unusableReads += result.unusable
        failure = failure ?? result.failure
        if result.isStopped { isInterrupted = true }
        if let error = result.failure { reasons.append("single reads: \(error)") }
        if result.unusable > 0 { reasons.append("single reads: \(result.unusable) unusable answers") }
        answered.formUnion(result.answered)
        let asked = Set(rereads)
        let expected = Dictionary(unlisted.map { ($0.id, $0.createdAt) }, uniquingKeysWith: { first, _ in first })
        for id in result.missing {
            // What was stored once and is gone now has vanished; what was only named by others is not known yet.
            if asked.contains(id) && expected[id] == nil { unknownIDs.append(id) } else { vanished.append(id) }
        }
        for (id, createdAt) in result.found {
            // One that others named and a finished walk went past without showing it is omitted as well.
            if expected[id] == createdAt || (expected[id] == nil && asked.contains(id) && proves(createdAt)) {
                omitted += 1
            }
        }
        if listed == 0, result.found.isEmpty, result.missing.count > 1 {
            // A key of another account, or of another environment, is answered like this.
            reasons.append(
                "the list is empty and the provider knows none of \(result.missing.count) ids: is it the right key?")
            isInDoubt = true
        }
        if omitted > 0, listIsOrdered {
            reasons.append("the list omits \(omitted) rows that the provider knows by id")
            isInDoubt = true
        }
        if unlistedCount > unlisted.count {
            reasons.append("\(unlistedCount) stored rows are not listed, \(unlisted.count) of them were read by id")
            isInDoubt = true
        }
    }

    private func proves(_ createdAt: Timestamp) -> Bool { proved?.contains(createdAt) == true }

    /// The provider said earlier that it wants no request before `moment`: nothing is asked.
    mutating func wait(until moment: Timestamp) {
        notBefore = moment
        failure = HTTPError(.tryLater(until: moment))
        reasons.append("the provider wants no request before \(moment)")
    }

    /// Notes until when the provider wants no request, where one was answered with a pause too long for a run. Ledger
    /// time is as far ahead as machine time, and never more than a day: a mistake must not silence a source for years.
    mutating func notePause(ledger: Timestamp, machine: Timestamp) {
        guard notBefore == nil, let failure, case .tryLater(let until) = failure.kind else { return }
        let pause = min(max(0, until.microseconds - machine.microseconds), 86_400_000_000)
        notBefore = Timestamp(microseconds: ledger.microseconds + pause)
    }

    /// How far the feed is proven, and whether its backfill is. Stored rows that the list does not show and that nobody
    /// has asked for yet (a stop, a failed request) leave both where they were.
    var proven: (watermark: Timestamp?, backfillComplete: Bool) {
        let isNamed = !backfillWasComplete && rereads.contains { !met.contains($0) && !answered.contains($0) }
        let isUnread = canReadByID && (isNamed || unlisted.contains { !answered.contains($0.id) })
        if isInDoubt || isUnread { return firm }
        return ([watermark, provenLater].compactMap(\.self).max(), backfillComplete)
    }

    func outcome(_ store: TransactionStore) -> PollOutcome {
        let (watermark, backfillComplete) = proven
        var ending = reasons.isEmpty ? PollOutcome.Ending.complete : .incomplete(reasons)
        if !backfillComplete, reasons.isEmpty { ending = .incomplete(["the backfill has not reached the start"]) }
        if let failure, failure.isRateLimited { ending = .tryLater(failure.description) }
        if isInterrupted { ending = .interrupted }
        return PollOutcome(
            ending: ending, watermark: watermark,
            backfillComplete: backfillComplete, counts: store.counts, walks: walks, vanished: vanished.sorted(),
            unknownIDs: unknownIDs.sorted(), singleReads: singleReads, omittedByList: omitted)
    }

    /// For the feed's row: what this run met.
    func countersJSON(_ outcome: PollOutcome) -> String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("pages", integer: walks.pages)
            object.member("rows", integer: walks.rows)
            object.member("new", integer: outcome.counts.new)
            object.member("changed", integer: outcome.counts.changed)
            object.member("late_versions", integer: outcome.counts.late)
            object.member("unchanged", integer: outcome.counts.unchanged)
            object.member("raw_only", integer: outcome.counts.rawOnly)
            object.member("strangers", integer: outcome.counts.strangers)
            object.member("quarantined", integer: outcome.counts.quarantined)
            object.member("groups", integer: outcome.counts.groups)
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
            object.member("unlisted", integer: unlistedCount)
            object.member("omitted_by_list", integer: omitted)
            object.member("vanished", integer: outcome.vanished.count)
            object.member("vanished_ids", strings: outcome.vanished.prefix(100))
            object.member("unknown_ids", strings: outcome.unknownIDs.prefix(100))
            object.member("not_before", notBefore?.description)
            if let fetching {
                object.member("requests", integer: fetching.requests)
                object.member("retries", integer: fetching.retries)
                object.member("too_many_requests", integer: fetching.tooMany)
                object.member("waited_ms", integer: fetching.waitedMilliseconds)
            }
            object.key("swept")
            object.object { slices in
                for (slice, at) in swept.sorted(by: { $0.key < $1.key }) { slices.member(slice, at) }
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
