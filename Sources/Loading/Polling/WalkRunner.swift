import HTTP
import Payments
import Providers

/// The I/O rim of one walk: sends what the walk asks for, hands back what came, commits when it says so. The next page
/// is under way while the rows of the last are compared and written.
final class WalkRunner {
    struct Result {
        var end: WalkEnd
        var plan: WalkPlan
        /// Stored rows that the walk's proven part does not show, at most `limit` of them.
        var unlisted: [UnlistedRow] = []
        var unlistedCount = 0
        /// A request failed; nothing of this source will be read any more in this run.
        var failure: HTTPError?
        /// Ids of interest that the walk has read afresh.
        var met: Set<String> = []
    }

    private enum Signal: Sendable {
        case answer(Int, Swift.Result<HTTPResponse, HTTPError>, PageAsk, Timestamp)
        case tick
    }

    /// Milliseconds between two looks at the stop flag and the age of the group.
    private static let tickInterval = 200
    private static let groupAge = 1000
    /// How long a request may still take once the run is to end.
    private static let grace = 2000
    private static let unreadablePatience = 2

    private let name: String
    private let lister: any Lister
    private let mapping: any ElementMapping
    private let store: TransactionStore
    private let poller: PollerParts
    private let watermark: Timestamp?
    private let interest: Set<String>

    private var walk: Walk
    private var result: Result
    private var rows: [IncomingRow] = []
    /// Rows of all groups so far, for progress only.
    private var committedRows = 0
    private var firstPageAt: Int?
    private var border: Timestamp?
    private var seenAtBorder: Set<String> = []
    private let resumedAt: Timestamp?
    private var request: (number: Int, task: Task<Void, Never>)?
    private var requests = 0
    private var unreadable = 0
    private var stopSeenAt: Int?

    init(
        walk: Walk, name: String, lister: any Lister, mapping: any ElementMapping, store: TransactionStore,
        parts: PollerParts, watermark: Timestamp?, interest: Set<String>
    ) {
        self.walk = walk
        self.name = name
        self.lister = lister
        self.mapping = mapping
        self.store = store
        poller = parts
        self.watermark = watermark
        self.interest = interest
        let nothing = WalkEnd(
            verdict: .incomplete(reason: "not begun", resumable: true), oldest: nil, newest: nil,
            counters: WalkCounters())
        result = Result(end: nothing, plan: walk.plan)
        // A resumed walk has seen what lies on the near side of its position, in an earlier run.
        resumedAt = walk.order == .oldestFirst ? walk.newest : walk.oldest
        border = resumedAt
    }

    /// Walks to the end, whatever it is. Throws what the database throws.
    func run(stop: StopFlag) async throws -> Result {
        let (signals, feed) = AsyncStream<Signal>.makeStream()
        let ticker = Self.tick(poller.machine, feed)
        defer {
            ticker.cancel()
            request?.task.cancel()
        }
        var actions = walk.start()
        var iterator = signals.makeAsyncIterator()
        while true {
            let isFinal = if case .finish(let end)? = actions.last { end.isComplete } else { false }
            for action in actions {
                switch action {
                case .fetch(let ask): launch(ask, feed)
                case .commit(let point): try commit(point, isFinal: isFinal)
                case .finish(let end):
                    result.end = end
                    return result
                }
            }
            actions = []
            guard let signal = await iterator.next() else { return result }
            switch signal {
            case .answer(let number, let answer, let ask, let startedAt):
                guard number == request?.number else { continue }
                request = nil
                actions = handle(answer, ask, startedAt, feed)
                if stop.isRequested, !walk.isFinished { actions = walk.handle(.stopRequested) }
            case .tick: actions = tick(stop)
            }
        }
    }

    private static func tick(
        _ machine: MachineClock, _ feed: AsyncStream<Signal>.Continuation
    ) -> Task<Void, Never> {
        let pause = tickInterval
        return Task {
            while !Task.isCancelled {
                // Cancelled: the walk is over.
                guard (try? await machine.sleep(pause)) != nil else { return }
                feed.yield(.tick)
            }
        }
    }

    private func launch(_ ask: PageAsk, _ feed: AsyncStream<Signal>.Continuation) {
        requests += 1
        let number = requests
        let fetch = poller.fetch
        let message = lister.request(for: ask)
        let expected = lister.expectedStatuses
        let startedAt = poller.context.clock.now()
        let task = Task {
            do throws(HTTPError) {
                feed.yield(.answer(number, .success(try await fetch(message, expected)), ask, startedAt))
            } catch {
                feed.yield(.answer(number, .failure(error), ask, startedAt))
            }
        }
        request = (number, task)
    }

    private func tick(_ stop: StopFlag) -> [Walk.Action] {
        let now = poller.machine.milliseconds()
        if stop.isRequested {
            // The request in hand may still come; a long wait is cut short.
            let since = stopSeenAt ?? now
            stopSeenAt = since
            if now - since >= Self.grace || firstPageAt.map({ now - $0 >= Self.groupAge }) == true {
                return walk.handle(.stopRequested)
            }
            return []
        }
        guard let first = firstPageAt, now - first >= Self.groupAge else { return [] }
        return walk.handle(.groupIsOld)
    }

    private func handle(
        _ answer: Swift.Result<HTTPResponse, HTTPError>, _ ask: PageAsk, _ startedAt: Timestamp,
        _ feed: AsyncStream<Signal>.Continuation
    ) -> [Walk.Action] {
        switch answer {
        case .failure(let error):
            result.failure = error
            return walk.handle(.failed(error.description))
        case .success(let response):
            do throws(ProviderFault) {
                let page = try lister.page(from: response, to: ask)
                unreadable = 0
                take(page, startedAt)
                return walk.handle(.page(page.facts))
            } catch {
                switch error {
                case .cursorRejected: return walk.handle(.cursorRejected)
                case .refused: return walk.handle(.failed(error.description))
                case .unreadable:
                    unreadable += 1
                    if unreadable <= Self.unreadablePatience { return [.fetch(ask)] }
                    return walk.handle(.failed(error.description))
                }
            }
        }
    }

    private func take(_ page: ProviderPage, _ startedAt: Timestamp) {
        if firstPageAt == nil { firstPageAt = poller.machine.milliseconds() }
        let place = "\(mapping.resource) list, page \(walk.counters.pages + 1)"
        for (element, identity) in zip(page.elements, page.identities) {
            if let id = identity.id, interest.contains(id) { result.met.insert(id) }
            rows.append(
                IncomingRow(
                    element: element, identity: identity, mapping: mapping, requestStartedAt: startedAt, place: place))
        }
    }

    // MARK: Commits

    private func commit(_ point: WalkCheckpoint?, isFinal: Bool) throws {
        var group = CommitGroup(rows: rows, watermark: watermark)
        describeSpan(of: &group, isFinal: isFinal)
        group.checkpoint =
            point.map { .save(resource: mapping.resource, walk: name, $0) }
            ?? .drop(resource: mapping.resource, walk: name)
        // Not before the stored rows that the list does not show were asked for one by one.
        if isFinal, walk.plan.kind == .backfill, result.unlistedCount == 0 {
            let oldest = [store.oldestHeld, walk.oldest].compactMap(\.self).min()
            group.proof = BackfillProof(
                coveredFrom: walk.plan.from ?? oldest ?? walk.plan.startedAt, watermark: walk.plan.provesUntil)
        }
        let unlisted = try store.commit(group)
        committedRows += rows.count
        poller.context.log(
            LogLine(.debug, "polling", [("source", store.source), ("walk", name), ("rows", String(committedRows))]))
        rows.removeAll(keepingCapacity: true)
        firstPageAt = nil
        let proven = unlisted.filter { $0.createdAt <= walk.plan.provesUntil && $0.createdAt != resumedAt }
        result.unlistedCount += proven.count
        let room = max(0, poller.settings.unlistedLimit - result.unlisted.count)
        result.unlisted += proven.prefix(room)
    }

    /// Which stretch of creation time this group and the ones before it leave no gap in. Lists that say nothing about
    /// their order are taken as newest first: a wrong guess costs a re-read by id, nothing else.
    private func describeSpan(of group: inout CommitGroup, isFinal: Bool) {
        let plan = walk.plan
        let times = rows.compactMap(\.identity.createdAt).filter { !Walk.isOutside($0, plan) }
        let start = plan.from ?? Timestamp(seconds: -2_208_988_800)
        let end = max(plan.to ?? plan.startedAt, times.max() ?? plan.startedAt)
        let isForward = walk.order == .oldestFirst
        let near = border ?? (isForward ? start : end)
        var far = (isForward ? times.max() : times.min()) ?? near
        if isFinal { far = isForward ? end : start }
        guard isForward ? far >= near : far <= near else { return }
        group.span = isForward ? near...far : far...near
        group.openBorder = isFinal ? nil : far
        group.seenAtBorder = seenAtBorder
        if far != border { seenAtBorder = [] }
        border = far
        for row in rows where row.identity.createdAt == far {
            if let id = row.identity.id { seenAtBorder.insert(id) }
        }
    }
}

/// What the parts of a poll share.
struct PollerParts {
    typealias Fetch = @Sendable (HTTPRequest, Set<Int>) async throws(HTTPError) -> HTTPResponse
    let context: LoadContext
    let settings: PollSettings
    let machine: MachineClock
    let fetch: Fetch
}
