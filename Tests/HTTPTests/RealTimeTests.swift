import Foundation
import HTTP
import Testing

@Suite("client, policy and budget together, over real HTTPS and in real time", .timeLimit(.minutes(15)))
struct RealTimeTests {
    let server: TestServer

    init() throws { server = try TestServer.get() }

    private func calls(_ client: HTTPClient, _ key: String) async throws -> [Int] {
        let body = try await client.send(HTTPRequest(url: server.url("/calls?key=\(key)"))).body.bytes
        return try JSONDecoder().decode([Int].self, from: Data(body))
    }

    @Test("case 8: seconds, date and garbage are understood as they come over the wire")
    func retryAfter() async throws {
        let client = try server.client()
        let clock = MachineClock.system()
        let fetcher = Fetcher(client: client, budget: RateBudget([], clock: clock), clock: clock)
        let response = try await fetcher.fetch(
            HTTPRequest(url: server.url("/limited?key=real&forms=1,date2,garbage,status503")))
        #expect(response.text == "done")
        let calls = try await calls(client, "real")
        #expect(calls.count == 5)
        #expect(calls[1] - calls[0] >= 1000)
        // The date was two seconds ahead and has whole seconds, so between one and two remained.
        #expect(calls[2] - calls[1] >= 1000)
        #expect(fetcher.metrics.snapshot.tooMany == 3 && fetcher.metrics.snapshot.retries == 4)
    }

    @Test("case 10: headers and half a body, then silence: bounded, said, retried; the half is never data")
    func stall() async throws {
        let client = try server.client { $0.lowSpeedTime = .seconds(1) }
        let clock = MachineClock.system()
        let said = Record<Fetcher.Retry>()
        let fetcher = Fetcher(
            client: client, budget: RateBudget([], clock: clock), clock: clock, onRetry: { said.append($0) })
        let start = ContinuousClock.now
        let response = try await fetcher.fetch(HTTPRequest(url: server.url("/stall?key=page37&times=1")))
        #expect(response.text == #"{"page": "whole""#)
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(said.all.map(\.reason) == [.stalled] && said.all.map(\.attempt) == [1])
        #expect(try await calls(client, "page37").count == 2)
    }

    @Test("case 10: a server that stalls for ever is given up after the last attempt, and nothing is data")
    func stallForEver() async throws {
        let client = try server.client { $0.totalTimeout = .milliseconds(300) }
        let clock = MachineClock.system()
        var policy = RetryPolicy()
        policy.maxAttempts = 3
        policy.baseDelay = 10
        let fetcher = Fetcher(client: client, policy: policy, budget: RateBudget([], clock: clock), clock: clock)
        let request = HTTPRequest(url: server.url("/stall?key=ever"))
        let error = await failure { () async throws(HTTPError) in try await fetcher.fetch(request) }
        #expect(error?.kind == .exhausted(.timeout, attempts: 3))
        #expect(try await calls(client, "ever").count == 3)
        #expect(fetcher.metrics.snapshot.bytes == 0)
    }
}
