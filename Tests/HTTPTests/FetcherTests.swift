import HTTP
import Payments
import Synchronization
import Testing

@Suite("the fetcher, in virtual time", .timeLimit(.minutes(15)))
struct FetcherTests {
    let time = VirtualClock()
    let request = HTTPRequest(url: "https://api.example.com/transactions?cursor=c1")

    /// One account's provider: the n-th call gets the n-th answer, later ones 200. Remembers when calls came and until
    /// when it had asked for silence.
    final class Account: Sendable {
        enum Step { case seconds(Int), date(Int), garbage }
        struct Call: Equatable {
            let at: Int
            let notBefore: Int
        }
        private struct State {
            var calls: [Call] = []
            var stated: [(at: Int, until: Int)] = []
        }
        private let state = Mutex(State())
        private let time: VirtualClock
        private let script: [Step]

        init(_ time: VirtualClock, _ script: [Step]) {
            self.time = time
            self.script = script
        }

        var calls: [Call] { state.withLock { $0.calls } }

        func answer() -> HTTPResponse {
            let now = time.now
            let retryAfter = state.withLock { state -> String? in
                // What was stated at this very instant may still be on its way to the other workers.
                let notBefore = state.stated.filter { $0.at < now }.map(\.until).max() ?? 0
                let index = state.calls.count
                state.calls.append(Call(at: now, notBefore: notBefore))
                guard index < script.count else { return nil }
                switch script[index] {
                case .seconds(let seconds):
                    state.stated.append((now, now + seconds * 1000))
                    return String(seconds)
                case .date(let seconds):
                    let second = now / 1000 + seconds  // the form has whole seconds
                    state.stated.append((now, second * 1000))
                    return FetcherTests.httpDate(time.epoch.adding(seconds: Int64(second)))
                case .garbage:
                    return "garbage"
                }
            }
            let headers = retryAfter.map { [(name: "Retry-After", value: $0)] } ?? []
            let status = retryAfter == nil ? 200 : 429
            return HTTPResponse(status: status, headers: HTTPHeaders(headers), body: HTTPBody([]))
        }
    }

    private func fetcher(
        _ budget: RateBudget, seed: UInt64 = 7, onRetry: @escaping @Sendable (Fetcher.Retry) -> Void = { _ in },
        send: @escaping @Sendable (HTTPRequest) async throws(HTTPError) -> HTTPResponse
    ) -> Fetcher {
        Fetcher(budget: budget, clock: time.clock, random: Seeded(seed).number, onRetry: onRetry, send: send)
    }

    private func status(_ status: Int) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders(), body: HTTPBody([1, 2, 3]))
    }

    private let storm: [Account.Step] = [.seconds(7), .seconds(7), .seconds(7), .date(5), .garbage]

    fileprivate static func httpDate(_ moment: Timestamp) -> String {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = "\(moment)"
        let month = names[(Int(text.dropFirst(5).prefix(2)) ?? 1) - 1]
        return "Mon, \(text.dropFirst(8).prefix(2)) \(month) \(text.prefix(4)) \(text.dropFirst(11).prefix(8)) GMT"
    }

    @Test(
        "case 8: a 429 storm, four workers: nobody before the stated moment, not in step, bounded, counted",
        arguments: 1...10)
    func storm(seed: Int) async throws {
        let budget = RateBudget([], clock: time.clock, random: Seeded(UInt64(seed)).number)
        let account = Account(time, storm)
        let retries = Record<Fetcher.Retry>()
        let fetcher = fetcher(budget, seed: UInt64(seed), onRetry: { retries.append($0) }) { _ in account.answer() }
        let statuses = await time.drive(budget, workers: 4) { _ in try? await fetcher.fetch(request).status }
        #expect(statuses == [200, 200, 200, 200])
        let calls = account.calls
        #expect(calls.allSatisfy { $0.at >= $0.notBefore })
        #expect(calls.allSatisfy { $0.at == 0 || $0.at >= 7000 })
        #expect(calls.count == 9)
        let back = calls.map(\.at).filter { $0 > 0 }
        for (first, fourth) in zip(back, back.dropFirst(3)) { #expect(fourth - first >= 200) }
        let counts = fetcher.metrics.snapshot
        #expect(counts.requests == 9 && counts.retries == 5 && counts.tooMany == 5)
        #expect(counts.waitedMilliseconds >= 4 * 7000)
        #expect(retries.all.count == 5)
    }

    @Test("case 8: each of four workers meets the whole storm and needs at most six calls", arguments: 1...5)
    func stormPerWorker(seed: Int) async throws {
        let budget = RateBudget([], clock: time.clock, random: Seeded(UInt64(seed)).number)
        let accounts = (0..<4).map { _ in Account(time, storm) }
        let fetcher = fetcher(budget, seed: UInt64(seed)) { request in
            accounts[Int(request.url.suffix(1)) ?? 0].answer()
        }
        let statuses = await time.drive(budget, workers: 4) { worker in
            try? await fetcher.fetch(HTTPRequest(url: "https://api.example.com/\(worker)")).status
        }
        #expect(statuses == [200, 200, 200, 200])
        for account in accounts {
            #expect(account.calls.count == 6)
            #expect(account.calls.allSatisfy { $0.at >= $0.notBefore })
        }
    }

    @Test("a conflict is tried again where the server's answers call for it, and the header decides; else it is final")
    func conflicts() async throws {
        var policy = RetryPolicy()
        policy.verdictHeader = "stripe-should-retry"
        policy.alsoTransient = [409]
        func outcome(_ policy: RetryPolicy, _ answers: [(status: Int, verdict: String?)]) async -> (
            HTTPError.Kind?, Int
        ) {
            let calls = Record<Int>()
            let budget = RateBudget([], clock: time.clock, random: Seeded(1).number)
            let fetcher = Fetcher(policy: policy, budget: budget, clock: time.clock, random: { $0.lowerBound }) { _ in
                let answer = answers[min(calls.all.count, answers.count - 1)]
                calls.append(answer.status)
                let headers = answer.verdict.map { [(name: "Stripe-Should-Retry", value: $0)] } ?? []
                return HTTPResponse(status: answer.status, headers: HTTPHeaders(headers), body: HTTPBody([]))
            }
            let kinds = await time.drive(budget, workers: 1) { _ in
                await failure { () async throws(HTTPError) in try await fetcher.fetch(request) }
            }
            return ((kinds.first ?? nil)?.kind, calls.all.count)
        }
        #expect(await outcome(policy, [(409, nil), (200, nil)]) == (nil, 2))
        #expect(await outcome(policy, [(409, nil)]) == (.exhausted(.status(409), attempts: 6), 6))
        #expect(await outcome(policy, [(500, "true"), (409, "false")]) == (.status(409), 2))
        #expect(await outcome(policy, [(500, "false")]) == (.status(500), 1))
        #expect(await outcome(RetryPolicy(), [(409, "true")]) == (.status(409), 1))
    }

    @Test("case 8: a server that limits for ever is given up after six calls, as rate limited")
    func bounded() async throws {
        let budget = RateBudget([], clock: time.clock, random: Seeded(1).number)
        let fetcher = fetcher(budget) { _ in status(429) }
        let kinds = await time.drive(budget, workers: 1) { _ in
            await failure { () async throws(HTTPError) in try await fetcher.fetch(request) }
        }
        #expect(kinds.first??.kind == .exhausted(.status(429), attempts: 6))
        #expect(kinds.first??.isRateLimited == true)
        #expect(fetcher.metrics.snapshot.requests == 6)
    }

    @Test("case 8: Retry-After 86400 stops the source at once, for every worker, with the moment to come back")
    func tryLater() async throws {
        let budget = RateBudget([.perHour(1)], clock: time.clock, random: Seeded(1).number)
        let account = Account(time, [.seconds(86_400)])
        let fetcher = fetcher(budget) { _ in account.answer() }
        let errors = await time.drive(budget, workers: 4) { _ in
            await failure { () async throws(HTTPError) in try await fetcher.fetch(request) }
        }
        let until = time.wall(86_400_000)
        #expect(errors.map { $0?.kind } == Array(repeating: .tryLater(until: until), count: 4))
        #expect(errors.allSatisfy { $0?.isRateLimited == true && $0?.description.contains("cursor") == false })
        #expect(account.calls.count == 1 && time.now == 0)
    }

    @Test("401, 403 and what was not expected throw at once; 404 and the expected ones are responses")
    func statuses() async throws {
        let budget = RateBudget([], clock: time.clock, random: Seeded(1).number)
        for code in [301, 400, 401, 403, 409, 422] {
            let fetcher = fetcher(budget) { _ in status(code) }
            let error = await failure { () async throws(HTTPError) in try await fetcher.fetch(request) }
            #expect(error?.kind == .status(code) && error?.isTransient == false)
            #expect(fetcher.metrics.snapshot.requests == 1)
        }
        for code in [200, 204, 404] {
            #expect(try await fetcher(budget) { _ in status(code) }.fetch(request).status == code)
        }
        #expect(try await fetcher(budget) { _ in status(410) }.fetch(request, accepting: [404, 410]).status == 410)
    }

    @Test(
        "a write goes out twice only where the first surely had no effect",
        arguments: [
            (HTTPError.Kind.cut, 1), (.timeout, 1), (.status(503), 1), (.connect, 2), (.status(429), 2),
        ])
    func writes(kind: HTTPError.Kind, calls: Int) async throws {
        let budget = RateBudget([], clock: time.clock, random: Seeded(1).number)
        let sent = Record<Int>()
        let fetcher = fetcher(budget) { request throws(HTTPError) in
            sent.append(1)
            if sent.all.count > 1 { return status(200) }
            if case .status(let code) = kind { return status(code) }
            throw HTTPError(kind, request)
        }
        let post = HTTPRequest(method: "POST", url: "https://api.example.com/refunds")
        let results = await time.drive(budget, workers: 1) { _ in
            await failure { () async throws(HTTPError) in try await fetcher.fetch(post) }?.kind
        }
        #expect(sent.all.count == calls)
        #expect(results == [calls == 1 ? kind : nil])
    }

    @Test("cancelling during a pause ends the fetch at once")
    func cancellation() async throws {
        let budget = RateBudget([], clock: time.clock, random: { $0.upperBound })
        let fetcher = Fetcher(budget: budget, clock: time.clock, random: { $0.upperBound }) { _ in status(503) }
        let task = Task { await failure { () async throws(HTTPError) in try await fetcher.fetch(request) }?.kind }
        while time.sleeping == 0 { await Task.yield() }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(fetcher.metrics.snapshot.requests == 1)
    }
}
