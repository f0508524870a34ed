import HTTP
import Testing

@Suite("what comes back broken is never data", .timeLimit(.minutes(15)))
struct FaultTests {
    let server: TestServer

    init() throws { server = try TestServer.get() }

    private func kind(_ path: String, _ change: (inout HTTPConfiguration) -> Void = { _ in }) async throws -> HTTPError
        .Kind?
    {
        let client = try server.client(change)
        return await failure { () async throws(HTTPError) in try await client.send(HTTPRequest(url: server.url(path)))
        }?.kind
    }

    @Test("a body shorter than announced, a chunked one without end, and no answer at all are cut")
    func cut() async throws {
        for path in ["/cut", "/cut-chunked", "/no-answer"] { #expect(try await kind(path) == .cut, "\(path)") }
    }

    @Test("a body that is not the compression it claims is cut")
    func badGzip() async throws { #expect(try await kind("/bad-gzip") == .cut) }

    @Test("a compressed body that ends early is cut, though its length is as announced")
    func cutGzip() async throws { #expect(try await kind("/cut-gzip") == .cut) }

    @Test("a stall in the middle of the body ends by the low-speed time-out")
    func stall() async throws {
        let start = ContinuousClock.now
        #expect(try await kind("/stall") { $0.lowSpeedTime = .seconds(1) } == .stalled)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test("a server that accepts and says nothing is a stall too")
    func silent() async throws { #expect(try await kind("/silent") { $0.lowSpeedTime = .seconds(1) } == .stalled) }

    @Test("a trickle that is no stall ends by the total time-out")
    func trickle() async throws {
        #expect(try await kind("/trickle") { $0.totalTimeout = .milliseconds(700) } == .timeout)
    }

    @Test("a refused connection is a failed connection")
    func refused() async throws {
        let client = try server.client()
        let request = HTTPRequest(url: "https://127.0.0.1:1/")
        #expect(await failure { () async throws(HTTPError) in try await client.send(request) }?.kind == .connect)
    }

    @Test("the cap counts decompressed bytes: a bomb is refused, a body of exactly the cap is not")
    func tooLarge() async throws {
        #expect(try await kind("/big?bytes=100001") { $0.bodyCap = 100_000 } == .tooLarge)
        #expect(try await kind("/big?bytes=100000") { $0.bodyCap = 100_000 } == nil)
        #expect(try await kind("/bomb?bytes=20000000") { $0.bodyCap = 1_000_000 } == .tooLarge)
        #expect(try await kind("/bomb?bytes=1000000") { $0.bodyCap = 1_000_000 } == nil)
    }

    @Test("large headers pass up to the cap and are refused beyond it")
    func headers() async throws {
        #expect(try await kind("/headers?bytes=60000") == nil)
        #expect(try await kind("/headers?bytes=200000") == .tooLarge)
        #expect(try await kind("/long-header?bytes=90000") == nil)
        #expect(try await kind("/long-header?bytes=150000") == .tooLarge)
    }

    @Test("garbage in place of a status line is no response")
    func garbage() async throws {
        #expect(try await kind("/garbage") == .garbled)
        #expect(try await kind("/bad-status") == .garbled)
    }
}
