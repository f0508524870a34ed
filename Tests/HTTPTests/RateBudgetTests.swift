import HTTP
import Payments
import Testing

@Suite("the rate budget, in virtual time", .timeLimit(.minutes(15)))
struct RateBudgetTests {
    let time = VirtualClock()

    private func budget(_ limits: [RateLimit], seed: UInt64 = 1) -> RateBudget {
        RateBudget(limits, clock: time.clock, random: Seeded(seed).number)
    }

    /// The moments at which `count` callers were served.
    private func moments(_ budget: RateBudget, _ count: Int) async -> [Int] {
        let served = Record<Int>()
        _ = await time.drive(budget, workers: count) { _ in
            _ = try? await budget.acquire()
            served.append(time.now)
        }
        return served.all.sorted()
    }

    @Test("a burst passes at once, the rest at the pace")
    func paced() async {
        let budget = budget([.paced(permits: 10, per: .seconds(1), burst: 3)])
        #expect(await moments(budget, 7) == [0, 0, 0, 100, 200, 300, 400])
    }

    @Test("after a quiet time the burst is back, and no more than the burst")
    func refill() async {
        let budget = budget([.paced(permits: 10, per: .seconds(1), burst: 3)])
        _ = await moments(budget, 3)
        time.advance(by: 10_000)
        #expect(await moments(budget, 4) == [10_000, 10_000, 10_000, 10_100])
    }

    @Test("300 an hour: no span of an hour holds 301, wherever it begins")
    func hourly() async {
        let budget = budget([.perHour(300)])
        let first = await moments(budget, 150)
        time.advance(by: 1_800_000)
        let all = first + (await moments(budget, 350))
        #expect(all.count == 500)
        for index in 300..<500 { #expect(all[index] - all[index - 300] >= 3_600_000) }
        #expect(all[299] == 1_800_000 && all[300] == 3_600_000)
    }

    @Test("several limits hold together")
    func both() async {
        let budget = budget([.paced(permits: 10, per: .seconds(1), burst: 1), .window(permits: 3, per: .seconds(5))])
        #expect(await moments(budget, 5) == [0, 100, 200, 5000, 5100])
    }

    @Test("no limit: nobody waits")
    func unlimited() async { #expect(await moments(budget([]), 50) == Array(repeating: 0, count: 50)) }

    @Test("callers are served in the order they came")
    func fair() async throws {
        let budget = budget([.paced(permits: 1, per: .seconds(1), burst: 1)])
        try await budget.acquire()
        let order = Record<Int>()
        var tasks: [Task<Void, Never>] = []
        for number in 0..<5 {
            tasks.append(
                Task {
                    _ = try? await budget.acquire()
                    order.append(number)
                })
            while await budget.waiting < number + 1 { await Task.yield() }
        }
        for served in 1...5 {
            while time.sleeping == 0 { await Task.yield() }
            time.step()
            while order.all.count < served { await Task.yield() }
        }
        #expect(order.all == [0, 1, 2, 3, 4])
        #expect(time.now == 5000)
    }

    @Test("a hold binds everybody, is never shortened, and lets callers back one by one")
    func hold() async {
        let budget = budget([])
        await budget.hold(until: 7000)
        await budget.hold(until: 3000)
        let moments = await moments(budget, 4)
        #expect(moments.allSatisfy { $0 >= 7000 && $0 <= 9000 })
        for (a, b) in zip(moments, moments.dropFirst()) { #expect((100...300).contains(b - a)) }
        time.advance(by: 60_000)
        let later = await self.moments(budget, 4)
        #expect(Set(later).count == 1)
    }

    @Test("a cancelled caller leaves the queue at once and takes no permit; a pre-cancelled one never enters")
    func cancellation() async throws {
        let budget = budget([.perHour(1)])
        try await budget.acquire()
        let waiting = Task { await failure { () async throws(HTTPError) in try await budget.acquire() }?.kind }
        while await budget.waiting == 0 { await Task.yield() }
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        while time.sleeping > 0 { await Task.yield() }
        time.advance(by: 3_600_000)
        let early = Task {
            while !Task.isCancelled { await Task.yield() }
            return await failure { () async throws(HTTPError) in try await budget.acquire() }?.kind
        }
        early.cancel()
        #expect(await early.value == .cancelled)
        #expect(try await budget.acquire() == 0)
    }

    @Test("a stopped source tells who waits and who comes, until the moment has passed")
    func stop() async throws {
        let budget = budget([.perHour(1)])
        try await budget.acquire()
        let waiting = Task { await failure { () async throws(HTTPError) in try await budget.acquire() }?.kind }
        while await budget.waiting == 0 { await Task.yield() }
        let until = time.wall(86_400_000)
        await budget.stop(until: until)
        #expect(await waiting.value == .tryLater(until: until))
        #expect(
            await failure { () async throws(HTTPError) in try await budget.acquire() }?.kind == .tryLater(until: until))
        time.advance(by: 86_400_000)
        #expect(try await budget.acquire() == 0)
    }
}
