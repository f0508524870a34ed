package import Payments

/// How many requests a source may see.
package enum RateLimit: Sendable {
    /// `permits` per `interval` on average, and up to `burst` at once after a quiet time.
    case paced(permits: Int, per: Duration, burst: Int)
    /// Never more than `permits` within any span of `interval`: an hourly quota, say.
    case window(permits: Int, per: Duration)

    package static func perHour(_ permits: Int) -> RateLimit { .window(permits: permits, per: .seconds(3600)) }
}

/// The requests one source may still get: callers are served in the order they came, all limits kept, and everybody
/// waits while the source asked for a pause. Runs on the machine clock handed in.
package actor RateBudget {
    private struct Waiter {
        let id: Int
        let since: Int
        let continuation: CheckedContinuation<Result<Int, HTTPError>, Never>
    }

    private let clock: MachineClock
    private let random: RandomNumber
    private let spread: Int
    private var meters: [RateMeter]
    private var queue: [Waiter] = []
    private var lastID = 0
    /// Machine milliseconds; nobody is served before.
    private var heldUntil = 0
    /// Behind a hold the callers return one by one, not in step.
    private var nextAfterHold = 0
    private var gapsUntil = 0
    private var stopped: (until: Timestamp, milliseconds: Int)?
    private var pump: Task<Void, Never>?

    /// `spread`, in milliseconds: after a hold the first caller comes back at a random moment within it, so that
    /// several processes do not return in step either.
    package init(_ limits: [RateLimit], clock: MachineClock, random: @escaping RandomNumber, spread: Int = 1000) {
        self.clock = clock
        self.random = random
        self.spread = spread
        meters = limits.map(RateMeter.init)
    }

    /// The same with the system's randomness.
    package init(_ limits: [RateLimit], clock: MachineClock) {
        self.init(limits, clock: clock, random: { Int.random(in: $0) })
    }

    deinit { pump?.cancel() }

    /// Waits for a permit; returns the milliseconds waited. Throws `.cancelled` when the task is, at once, and
    /// `.tryLater` while the source is stopped.
    @discardableResult
    package func acquire() async throws(HTTPError) -> Int {
        if Task.isCancelled { throw HTTPError(.cancelled) }
        lastID += 1
        let id = lastID
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { enqueue(id, $0) }
        } onCancel: {
            Task { await self.cancel(id) }
        }
        return try result.get()
    }

    /// Nobody is served before `until`, in milliseconds of the machine clock. Never shortens an earlier hold.
    package func hold(until: Int) {
        guard until > heldUntil else { return }
        heldUntil = until
        nextAfterHold = until + random(0...spread)
        gapsUntil = until + 10 * spread
        restart()
    }

    /// The source asked for more patience than a run has: everybody who waits, and who asks before `until`, is told.
    package func stop(until: Timestamp) {
        let wait = Int((until.microseconds - clock.wall().microseconds) / 1000)
        stopped = (until, clock.milliseconds() + wait)
        let waiting = queue
        queue = []
        for waiter in waiting { waiter.continuation.resume(returning: .failure(HTTPError(.tryLater(until: until)))) }
        pump?.cancel()
        pump = nil
    }

    /// How many callers wait.
    package var waiting: Int { queue.count }

    private func enqueue(_ id: Int, _ continuation: CheckedContinuation<Result<Int, HTTPError>, Never>) {
        if Task.isCancelled { return continuation.resume(returning: .failure(HTTPError(.cancelled))) }
        let now = clock.milliseconds()
        if let stopped, now < stopped.milliseconds {
            return continuation.resume(returning: .failure(HTTPError(.tryLater(until: stopped.until))))
        }
        queue.append(Waiter(id: id, since: now, continuation: continuation))
        if queue.count == 1 { restart() }
    }

    private func cancel(_ id: Int) {
        guard let index = queue.firstIndex(where: { $0.id == id }) else { return }
        queue.remove(at: index).continuation.resume(returning: .failure(HTTPError(.cancelled)))
        if queue.isEmpty {
            pump?.cancel()
            pump = nil
        }
    }

    /// Serves whoever can be served now and leaves one sleeper for the first who cannot.
    private func restart() {
        pump?.cancel()
        pump = nil
        while let first = queue.first {
            let now = clock.milliseconds()
            let ready = readyAt(now)
            if ready > now {
                let clock = clock
                pump = Task { [weak self] in
                    guard (try? await clock.sleep(ready - now)) != nil, !Task.isCancelled else { return }
                    await self?.restart()
                }
                return
            }
            queue.removeFirst()
            for index in meters.indices { meters[index].take(now) }
            nextAfterHold = now < gapsUntil ? now + random(spread / 10...spread * 3 / 10) : 0
            first.continuation.resume(returning: .success(now - first.since))
        }
    }

    private func readyAt(_ now: Int) -> Int {
        var ready = max(now, heldUntil, nextAfterHold)
        for meter in meters { ready = max(ready, meter.readyAt()) }
        return ready
    }
}
