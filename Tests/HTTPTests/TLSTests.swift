import HTTP
import Testing

@Suite("TLS is verified, always", .timeLimit(.minutes(15)))
struct TLSTests {
    let server: TestServer

    init() throws { server = try TestServer.get() }

    private func error(_ port: String, host: String = "127.0.0.1", ca: String? = "/ca.pem") async throws -> HTTPError? {
        let client = try server.client { $0.caFile = ca.map { server.directory + $0 } }
        let request = HTTPRequest(url: server.url("/ok", port: port, host: host))
        return await failure { () async throws(HTTPError) in try await client.send(request) }
    }

    @Test("a certificate of the configured authority is accepted, by address and by name")
    func accepted() async throws {
        #expect(try await error("good") == nil)
        #expect(try await error("good", host: "localhost") == nil)
    }

    @Test("an unknown authority is refused, with the system's authorities and with another file")
    func unknownAuthority() async throws {
        #expect(try await error("good", ca: nil)?.kind == .tls)
        #expect(try await error("good", ca: "/other-ca.pem")?.kind == .tls)
        #expect(try await error("good", ca: "/absent.pem")?.kind == .tls)
    }

    @Test("a certificate for another host is refused")
    func wrongHost() async throws { #expect(try await error("wrong")?.kind == .tls) }

    @Test("an expired certificate is refused, and the error says so")
    func expired() async throws {
        let error = try await error("expired")
        #expect(error?.kind == .tls && error?.isTransient == false)
        #expect(error?.description.contains("expired") == true)
    }

    @Test("TLS 1.1 is refused")
    func oldVersion() async throws { #expect(try await error("old")?.kind == .tls) }

    @Test("a peer that hangs up during the handshake is a failed connection, worth a retry")
    func hangUp() async throws {
        let error = try await error("hangup")
        #expect(error?.kind == .connect && error?.isTransient == true)
    }
}
