import HTTP
import Payments
import Providers

/// The I/O rim of a walk: sends what its windows ask for, hands back what came, and has groups committed when they say
/// so. Three things go on at once: requests, the comparing and mapping of rows, and the database. Where a list is long
/// and its provider slow, the rest of a window is split off and read at the same time (`WindowSplit`); each window has
/// its own position, and what one has brought stays whatever becomes of the others.
final class WindowedWalk {
    enum Signal: Sendable {
        case answer(lane: Int, request: Int, Swift.Result<PageInHand, PageFault>, PageAsk)
        case committed(lane: Int, StoreWriter.Answer)
        case tick
    }

    /// Milliseconds between two looks at the stop flag and the age of the groups.
    private static let tickInterval = 200
    private static let groupAge = 1000
    /// How long a request may still take once the run is to end.
    private static let grace = 2000
    private static let unreadablePatience = 2
    /// Groups that wait for the database or are being written, before no more pages are asked for.
    private static let groupsUnderWay = 2
    /// Splits of one window that led to nothing, one after the other, before it is read as it is.
    private static let splitsTried = 3
    /// Milliseconds that the rest of a window must take for a split to be worth its two requests.
    private static let worthSplitting = 500

    let name: String
    let lister: any Lister
    let mapping: any ElementMapping
    let parts: PollerParts
    private let store: TransactionStore
    private let watermark: Timestamp?
    private let interest: Set<String>
    private let windows: Int

    private(set) var lanes: [WindowLane] = []
    private var lastLane = 0
    private var requests = 0
    private var commitsUnderWay = 0
    private var hasJoined = false
    private var committedRows = 0
    private var stopSeenAt: Int?
    private var jobs: AsyncStream<StoreWriter.Job>.Continuation?
    private var feed: AsyncStream<Signal>.Continuation?

    /// `walks` by the names of their checkpoints: one that begins, or those that an earlier run left open. `windows` is
    /// how many may be read at once.
    init(
        name: String, walks: [(name: String, walk: Walk)], lister: any Lister, mapping: any ElementMapping,
        store: TransactionStore, parts: PollerParts, watermark: Timestamp?, interest: Set<String>, windows: Int
    ) {
        self.name = name
        self.lister = lister
        self.mapping = mapping
        self.store = store
        self.parts = parts
        self.watermark = watermark
        self.interest = interest
        self.windows = windows
        for (name, walk) in walks {
            let number = WindowName(name).number
            lastLane = max(lastLane, number)
            lanes.append(WindowLane(number: number, name: name, walk: walk, isBelow: number > 1))
        }
    }

    /// Walks to the end, whatever it is. Throws what the database throws.
    func run(stop: StopFlag) async throws -> WalkResult {
        let (signals, feed) = AsyncStream<Signal>.makeStream()
        let (work, jobs) = AsyncStream<StoreWriter.Job>.makeStream()
        self.feed = feed
        self.jobs = jobs
        let writer = StoreWriter(StoreInUse(store: store))
        let writing = Task { await writer.run(work) { feed.yield(.committed(lane: $0, $1)) } }
        let ticker = Self.tick(parts.machine, feed)
        let outcome: Swift.Result<Void, any Error>
        do {
            outcome = .success(try await loop(signals, stop))
        } catch {
            outcome = .failure(error)
        }
        ticker.cancel()
        for lane in lanes { lane.request?.task.cancel() }
        jobs.finish()
        // The store is nobody else's until then.
        await writing.value
        try outcome.get()
        return WalkResult(lanes, unlistedLimit: parts.settings.unlistedLimit, hasJoined: hasJoined)
    }

    private func loop(_ signals: AsyncStream<Signal>, _ stop: StopFlag) async throws {
        for lane in lanes { perform(lane.walk.start(), lane) }
        var iterator = signals.makeAsyncIterator()
        while lanes.contains(where: { !$0.isDone }) {
            guard let signal = await iterator.next() else { return }
            switch signal {
            case .answer(let number, let request, let answer, let ask):
                guard let lane = lane(number), request == lane.request?.number else { continue }
                let wait = parts.machine.milliseconds() - (lane.request?.since ?? 0)
                lane.request = nil
                handle(answer, ask, lane, after: wait)
                if stop.isRequested, !lane.walk.isFinished { end(lane, .stopRequested) }
            case .committed(let number, let answer):
                settle(try answer.get(), lane(number))
            case .tick: tick(stop)
            }
            if !stop.isRequested { split() }
        }
    }

    private func lane(_ number: Int) -> WindowLane? { lanes.first { $0.number == number } }

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

    private func tick(_ stop: StopFlag) {
        let now = parts.machine.milliseconds()
        if stop.isRequested { stopSeenAt = stopSeenAt ?? now }
        for lane in lanes where !lane.walk.isFinished {
            let isOld = lane.firstPageAt.map { now - $0 >= Self.groupAge } == true
            if let stopSeenAt {
                // The request in hand may still come; a long wait is cut short.
                if now - stopSeenAt >= Self.grace || isOld { end(lane, .stopRequested) }
            } else if isOld {
                perform(lane.walk.handle(.groupIsOld), lane)
            }
        }
    }

    private func perform(_ actions: [Walk.Action], _ lane: WindowLane) {
        for action in actions {
            switch action {
            case .fetch(let page): ask(for: page, lane)
            case .commit(let point):
                if case .finish(let end)? = actions.last, end.isComplete { continue }
                commit(lane, point)
            case .finish(let end): finish(lane, end)
            }
        }
    }

    // MARK: Requests

    private func ask(for ask: PageAsk, _ lane: WindowLane) {
        if commitsUnderWay >= Self.groupsUnderWay { lane.heldAsk = ask } else { launch(ask, lane) }
    }

    private func launch(_ ask: PageAsk, _ lane: WindowLane) {
        guard let feed else { return }
        requests += 1
        let number = requests
        let laneNumber = lane.number
        let fetch = parts.fetch
        let lister = lister
        let mapping = mapping
        let message = lister.request(for: ask.stated(asOf: lane.walk.plan.startedAt))
        let expected = lister.expectedStatuses
        let startedAt = parts.context.clock.now()
        let window = laneNumber > 1 ? ", window \(laneNumber)" : ""
        let place = "\(mapping.resource) list\(window), page \(lane.walk.counters.pages + 1)"
        // A first walk meets rows that nobody has seen; any other one mostly rows that are stored as they are.
        let ahead = lane.walk.plan.kind == .backfill
        let task = Task {
            let answer: Swift.Result<PageInHand, PageFault>
            do throws(HTTPError) {
                let response = try await fetch(message, expected)
                do throws(ProviderFault) {
                    let page = try lister.page(from: response, to: ask)
                    answer = .success(
                        PageInHand(page, mapping: mapping, startedAt: startedAt, place: place, ahead: ahead))
                } catch {
                    answer = .failure(.content(error))
                }
            } catch {
                answer = .failure(.request(error))
            }
            feed.yield(.answer(lane: laneNumber, request: number, answer, ask))
        }
        lane.request = (number, task, parts.machine.milliseconds())
    }

    private func handle(
        _ answer: Swift.Result<PageInHand, PageFault>, _ ask: PageAsk, _ lane: WindowLane, after wait: Int
    ) {
        switch answer {
        case .success(let page):
            lane.unreadable = 0
            take(page, lane, after: wait)
        case .failure(.request(let error)):
            if lane.isTied { lane.failure = error }
            end(lane, .failed(error.description))
        case .failure(.content(let fault)):
            switch fault {
            case .cursorRejected: end(lane, .cursorRejected)
            case .refused: end(lane, .failed(fault.description))
            case .unreadable:
                lane.unreadable += 1
                if lane.unreadable <= Self.unreadablePatience { return self.ask(for: ask, lane) }
                end(lane, .failed(fault.description))
            }
        }
    }

    /// Tells a window what went wrong. One that was just split off is forgotten instead: the walk above reads its rows.
    private func end(_ lane: WindowLane, _ event: Walk.Event) {
        if !abandon(lane) { perform(lane.walk.handle(event), lane) }
    }

    private func take(_ page: PageInHand, _ lane: WindowLane, after wait: Int) {
        lane.take(page, at: parts.machine.milliseconds(), after: wait)
        if !interest.isEmpty {
            for identity in page.identities {
                if let id = identity.id, interest.contains(id) { lane.met.insert(id) }
            }
        }
        var actions = lane.walk.handle(.page(page.facts))
        if let parent = lane.parent, !lane.isTied {
            guard adopt(lane, parent, page) else { return }
            // The position of both must be stored before either may rely on the other.
            if !lane.walk.isFinished { actions += lane.walk.handle(.groupIsOld) }
        }
        if lane.hasMetBelow(page) {
            hasJoined = true
            lane.endedAtBelow = true
            perform(lane.walk.handle(.metWindowBelow), lane)
            return
        }
        perform(actions, lane)
        let pending = lanes.reduce(0) { $0 + $1.pendingRows }
        guard pending >= parts.settings.groupRows, let fullest = lanes.max(by: { $0.pendingRows < $1.pendingRows })
        else { return }
        if !fullest.walk.isFinished { perform(fullest.walk.handle(.groupIsOld), fullest) }
    }

    // MARK: Windows

    /// Splits what is long and slow, until as many windows are read as may be.
    private func split() {
        while lanes.count(where: { !$0.walk.isFinished }) < windows {
            var best: (lane: WindowLane, split: WindowSplit)?
            for lane in lanes where !lane.walk.isFinished && lane.child == nil && lane.splitsTried < Self.splitsTried {
                // One that was itself split off must be tied to the window above first.
                guard lane.parent == nil, lane.walk.counters.pages >= WindowSplit.pagesRead, lane.heldAsk == nil,
                    let split = WindowSplit(of: lane.walk, remaining: lane.remaining),
                    split.rowsLeft / lane.walk.plan.limit * lane.pace >= Self.worthSplitting
                else { continue }
                if best.map({ $0.split.rowsLeft < split.rowsLeft }) != false { best = (lane, split) }
            }
            guard let best else { return }
            splitOff(best.lane, below: best.split.moment)
        }
    }

    private func splitOff(_ lane: WindowLane, below moment: Timestamp) {
        // Its position must be stored before that of the new window: the latter alone would look like all that is left.
        perform(lane.walk.handle(.groupIsOld), lane)
        lastLane += 1
        var plan = lane.walk.plan
        // What is asked for is wider by the overlap: exactly up to the moment.
        plan.to = moment.adding(seconds: -WalkPlan.overlap)
        let new = WindowLane(
            number: lastLane, name: WindowName(base: name, number: lastLane).text,
            walk: Walk(plan: plan, learntFrom: lane.walk), isBelow: true)
        new.parent = lane
        lane.child = new
        lane.splitsTried += 1
        lanes.append(new)
        perform(new.walk.start(), new)
    }

    /// The first page of a window that was split off: it becomes the one below `parent`, or is of no use. False: gone.
    private func adopt(_ lane: WindowLane, _ parent: WindowLane, _ page: PageInHand) -> Bool {
        let total = lane.walk.totals.isUsable ? lane.walk.totals.first : nil
        let bound = parent.walk.below?.newest
        guard let head = WindowHead(of: page, total: total), !parent.walk.isFinished,
            lane.walk.counters.rowsOutOfOrder == 0, parent.walk.oldest.map({ head.newest < $0 }) == true,
            bound.map({ head.newest > $0 }) != false
        else { return !abandon(lane) }
        lane.head = head
        parent.splitsTried = 0
        lane.walk.below = parent.walk.below
        return true
    }

    /// Forgets a window that was split off and has stored nothing: the walk above reads its rows. False: it is none.
    private func abandon(_ lane: WindowLane) -> Bool {
        guard !lane.isTied else { return false }
        lane.parent?.child = nil
        lane.request?.task.cancel()
        lanes.removeAll { $0 === lane }
        return true
    }

    // MARK: Commits

    private func commit(_ lane: WindowLane, _ point: WalkCheckpoint?, proof: BackfillProof? = nil) {
        let isFinal = lane.end?.isComplete == true
        var (group, pages) = lane.takeGroup(watermark: watermark, reachesEnd: isFinal && !lane.endedAtBelow)
        var point = point
        // One window's position says that the others have theirs: it begins anew, but is not forgotten.
        if point == nil, !isFinal, lanes.count > 1 || lane.isBelow || lane.walk.below != nil {
            var fresh = Walk(plan: lane.walk.plan)
            fresh.below = lane.walk.below
            point = fresh.checkpoint
        }
        group.checkpoint =
            point.map { .save(resource: mapping.resource, walk: lane.name, $0) }
            ?? .drop(resource: mapping.resource, walk: lane.name)
        group.proof = proof
        committedRows += pages.reduce(0) { $0 + $1.identities.count }
        parts.context.log(
            LogLine(
                .debug, "polling", [("source", store.source), ("walk", lane.name), ("rows", String(committedRows))])
        )
        lane.commitsUnderWay += 1
        commitsUnderWay += 1
        jobs?.yield(StoreWriter.Job(lane: lane.number, group: group, pages: pages))
    }

    private func finish(_ lane: WindowLane, _ end: WalkEnd) {
        lane.end = end
        lane.heldAsk = nil
        // Nobody waits for a window whose rows the one above has read to the end.
        if let child = lane.child { _ = abandon(child) }
        guard end.isComplete else { return }
        lane.heldEnd = true
        commitHeldEnds()
    }

    /// The last rows of a walk say whether its backfill is proven, so they wait until all other windows are stored.
    private func commitHeldEnds() {
        for lane in lanes where lane.heldEnd {
            let others = lanes.filter { $0 !== lane }
            let isLast = others.allSatisfy { $0.end?.isComplete == true }
            if isLast, commitsUnderWay > 0 { return }
            lane.heldEnd = false
            commit(lane, nil, proof: isLast ? proof() : nil)
        }
    }

    /// Not before the rows that the list does not show, stored ones or named by others, were asked for one by one.
    private func proof() -> BackfillProof? {
        let plan = WalkResult.whole(lanes)
        guard plan.kind == .backfill, lanes.allSatisfy({ $0.unlistedCount == 0 }) else { return nil }
        guard interest.isSubset(of: lanes.flatMap(\.met)) else { return nil }
        if hasJoined, lanes.contains(where: { $0.walk.counters.rowsOutOfOrder > 0 }) { return nil }
        // Nothing is under way: the store can be asked.
        let oldest = ([store.oldestHeld] + lanes.map(\.walk.oldest)).compactMap(\.self).min()
        return BackfillProof(coveredFrom: plan.from ?? oldest ?? plan.startedAt, watermark: plan.provesUntil)
    }

    private func settle(_ unlisted: [UnlistedRow], _ lane: WindowLane?) {
        commitsUnderWay -= 1
        if let lane {
            lane.commitsUnderWay -= 1
            lane.settle(unlisted, limit: parts.settings.unlistedLimit)
            if let parent = lane.parent, let head = lane.head {
                // Stored with its position: from here on the walk above may end at it.
                if !parent.walk.isFinished { parent.walk.below = head }
                parent.child = nil
                lane.parent = nil
            }
        }
        commitHeldEnds()
        for lane in lanes where commitsUnderWay < Self.groupsUnderWay {
            guard let ask = lane.heldAsk else { continue }
            lane.heldAsk = nil
            launch(ask, lane)
        }
    }
}
