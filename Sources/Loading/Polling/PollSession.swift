import HTTP
import JSON
import Payments
import Providers

/// What one poll has learnt so far; a value without I/O that turns into the outcome.
struct PollSession {
    let state: ResourceState
    /// Whether the resource can be listed; else it is enumerated by what others name.
    private let isListed: Bool
    /// Ids that somebody pointed at, without repeats.
    let rereads: [String]
    /// Ids that others name and that are not stored.
    private var named: [String] = []
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
    /// Whether the list shows rows that are not final too.
    private let listShowsAll: Bool
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
    private var withoutPayment = 0
    private var notAsked = 0
    private var omitted = 0
    /// Creation times that a finished walk has shown without a gap.
    private var proved: ClosedRange<Timestamp>?
    /// Rows that finished walks from the head of the list have shown; nil: none was finished.
    private var listed: Int?
    /// Ledger time before which the provider wants no request.
    private(set) var notBefore: Timestamp?
    /// What fetching cost; filled in at the end.
    var fetching: FetchMetrics.Counts?

    init(
        state: ResourceState, rereads: [String], canReadByID: Bool = true, isListed: Bool = true,
        listShowsAll: Bool = true
    ) {
        self.state = state
        self.listShowsAll = listShowsAll
        self.isListed = isListed
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

    /// What is left to be read one by one: pointed at and not met, not final, not listed where it should have been, or
    /// named by others and not stored.
    mutating func idsToRead(open: [String], named: [String]) -> [String] {
        self.named = named
        var taken: Set<String> = []
        return (rereads.filter { !met.contains($0) } + unlisted.map(\.id) + open + named).filter {
            taken.insert($0).inserted
        }
    }

    mutating func take(_ result: SingleReads.Result) {
        singleReads += result.read
        unusableReads += result.unusable
        withoutPayment += result.withoutPayment
        notAsked += result.notAsked
        failure = failure ?? result.failure
        if result.isStopped { isInterrupted = true }
        if let error = result.failure { reasons.append("single reads: \(error)") }
        if result.unusable > 0 { reasons.append("single reads: \(result.unusable) unusable answers") }
        // What was set aside keeps its payment from being judged, not the source from going on.
        answered.formUnion(result.answered.union(result.unread.compactMap(\.ask.id)))
        let asked = Set(rereads + named).union(result.pointedTo)
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
        if omitted > 0, listIsOrdered, listShowsAll {
            reasons.append("the list omits \(omitted) rows that the provider knows by id")
            isInDoubt = true
        }
        if unlistedCount > unlisted.count {
            reasons.append("\(unlistedCount) stored rows are not listed, \(unlisted.count) of them were read by id")
            isInDoubt = true
        }
    }

    private func proves(_ createdAt: Timestamp) -> Bool { proved?.contains(createdAt) == true }

    /// Notes until when the provider wants no request, where one was answered with a pause too long for a run. Ledger
    /// time is as far ahead as machine time, and never more than a day: a mistake must not silence a source for years.
    mutating func notePause(ledger: Timestamp, machine: Timestamp) {
        guard notBefore == nil, let failure, case .tryLater(let until) = failure.kind else { return }
        notBefore = Self.notBefore(until, ledger: ledger, machine: machine)
    }

    /// A moment of machine time in ledger time.
    static func notBefore(_ until: Timestamp, ledger: Timestamp, machine: Timestamp) -> Timestamp {
        let pause = min(max(0, until.microseconds - machine.microseconds), 86_400_000_000)
        return Timestamp(microseconds: ledger.microseconds + pause)
    }

    /// How far the feed is proven, and whether its backfill is. Stored rows that the list does not show and that nobody
    /// has asked for yet (a stop, a failed request) leave both where they were.
    var proven: (watermark: Timestamp?, backfillComplete: Bool) {
        let isNamed = !backfillWasComplete && rereads.contains { !met.contains($0) && !answered.contains($0) }
        let isUnread = canReadByID && (isNamed || unlisted.contains { !answered.contains($0.id) })
        if isInDoubt || isUnread { return firm }
        return ([watermark, provenLater].compactMap(\.self).max(), backfillComplete)
    }

    /// - Parameter enumeratedUntil: up to when a resource without a list is proven, once everything that names records of
    ///   it was asked for.
    func outcome(_ store: TransactionStore, enumeratedUntil: Timestamp) -> PollOutcome {
        var (watermark, backfillComplete) = proven
        if !isListed, reasons.isEmpty, failure == nil, !isInterrupted {
            watermark = [watermark, enumeratedUntil].compactMap(\.self).max()
            backfillComplete = true
        }
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
    func counters(_ outcome: PollOutcome) -> PollCounters {
        var counters = PollCounters()
        counters.walks = walks
        counters.commits = outcome.counts
        counters.singleReads = singleReads
        counters.unusableReads = unusableReads
        counters.withoutPayment = withoutPayment
        counters.notAsked = notAsked
        counters.unlisted = unlistedCount
        counters.omitted = omitted
        counters.vanished = outcome.vanished
        counters.unknownIDs = outcome.unknownIDs
        counters.notBefore = notBefore
        counters.fetching = fetching
        return counters
    }

    /// For the resource's row: which slices of the deep sweep were walked when.
    var stateJSON: String {
        var writer = JSONWriter()
        writer.object { object in
            object.key("swept")
            object.object { slices in
                for (slice, at) in swept.sorted(by: { $0.key < $1.key }) { slices.member(slice, at) }
            }
        }
        return writer.text
    }
}
