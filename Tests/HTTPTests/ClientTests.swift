import Foundation
import Payments
import Testing

@testable import HTTP

@Suite("the client against a real HTTPS server", .timeLimit(.minutes(15)))
struct ClientTests {
    let server: TestServer

    init() throws { server = try TestServer.get() }

    @Test("a response carries status, headers without regard to case, and body")
    func plainResponse() async throws {
        let response = try await server.client().send(HTTPRequest(url: server.url("/ok")))
        #expect(response.status == 200)
        #expect(response.headers["x-KIND"] == "plain")
        #expect(response.headers["absent"] == nil)
        #expect(response.text == "hello")
    }

    @Test("gzip is asked for and undone; wire bytes are fewer than body bytes")
    func gzip() async throws {
        let client = try server.client()
        let response = try await client.send(HTTPRequest(url: server.url("/gzip")))
        #expect(response.text == String(repeating: "zlib ", count: 1000))
        #expect(response.wireBytes < 1000 && response.wireBytes > 0)
        let echo = try await client.send(HTTPRequest(url: server.url("/echo")))
        #expect(echo.text.contains("gzip"))
    }

    @Test("method, query, headers and body arrive as they were given")
    func request() async throws {
        let request = HTTPRequest(
            method: "POST", url: server.url("/echo?a=1&b=%20"),
            headers: [("X-Empty", ""), ("Content-Type", "text/plain")],
            secretHeaders: [("Authorization", Secret("BASIC key-1234"))], body: Array("zwölf".utf8))
        let response = try await server.client().send(request)
        let echo = try #require(try JSONSerialization.jsonObject(with: Data(response.body.bytes)) as? [String: Any])
        #expect(echo["method"] as? String == "POST")
        #expect(echo["target"] as? String == "/echo?a=1&b=%20")
        #expect(echo["body"] as? String == "zwölf")
        let headers = try #require(echo["headers"] as? [[String]])
        #expect(headers.contains(["authorization", "BASIC key-1234"]))
        #expect(headers.contains(["content-type", "text/plain"]))
        #expect(headers.contains(["x-empty", ""]))
        #expect(headers.contains(["user-agent", "tieout"]))
    }

    @Test("HEAD has no body and does not wait for one")
    func head() async throws {
        let response = try await server.client().send(HTTPRequest(method: "HEAD", url: server.url("/echo")))
        #expect(response.status == 200 && response.body.count == 0)
    }

    @Test("a connection is kept and used again; another client makes its own")
    func reuse() async throws {
        let client = try server.client()
        let first = try await client.send(HTTPRequest(url: server.url("/connection")))
        let second = try await client.send(HTTPRequest(url: server.url("/connection")))
        #expect(first.text == second.text)
        #expect(!first.reusedConnection && second.reusedConnection)
        let other = try await server.client().send(HTTPRequest(url: server.url("/connection")))
        #expect(other.text != first.text)
    }

    @Test("a redirect is a response, not a second request")
    func redirect() async throws {
        let response = try await server.client().send(HTTPRequest(url: server.url("/status?code=302")))
        #expect(response.status == 302 && response.text == "no" && response.headers["location"] == "/ok")
    }

    @Test("headers of an interim answer do not mix with the final ones")
    func earlyHints() async throws {
        let response = try await server.client().send(HTTPRequest(url: server.url("/early-hints")))
        #expect(response.headers["x-hint"] == nil && response.headers["x-kind"] == "final")
    }

    @Test("every error status is a response")
    func statuses() async throws {
        let client = try server.client()
        for status in [204, 304, 400, 401, 404, 429, 500, 503] {
            #expect(try await client.send(HTTPRequest(url: server.url("/status?code=\(status)"))).status == status)
        }
    }

    @Test("twenty at once all arrive, with at most as many in flight as configured")
    func concurrency() async throws {
        let client = try server.client { $0.maxConnectionsPerHost = 5 }
        _ = try await client.send(HTTPRequest(url: server.url("/peak")))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { try await client.send(HTTPRequest(url: server.url("/wait?ms=50"))).text }
            }
            var all: [String] = []
            for try await text in group { all.append(text) }
            #expect(all == Array(repeating: "waited", count: 20))
        }
        // Other tests do not use /wait, so the peak is this one's.
        #expect(try await client.send(HTTPRequest(url: server.url("/peak"))).text == "5")
    }

    @Test("plain HTTP only where the configuration permits it; other schemes and bad URLs never")
    func schemes() async throws {
        let strict = try server.client()
        let lenient = try server.client { $0.allowPlainHTTP = true }
        let plain = HTTPRequest(url: server.url("/ok", port: "plain"))
        #expect(
            await failure { () async throws(HTTPError) in try await strict.send(plain) }?.kind
                == .invalid("only https is allowed"))
        #expect(try await lenient.send(plain).text == "hello")
        for url in [
            "file:///etc/passwd", "ftp://127.0.0.1/x", "", "https://", "https://user:pw@127.0.0.1/", "nonsense",
        ] {
            let error = await failure { () async throws(HTTPError) in try await lenient.send(HTTPRequest(url: url)) }
            guard case .invalid = error?.kind else {
                Issue.record("\(url) gave \(String(describing: error))")
                continue
            }
            #expect(error.map { !"\($0)".contains("pw") } == true)
        }
    }

    @Test("a line break in a header is refused before anything is sent")
    func headerInjection() async throws {
        let client = try server.client()
        for value in ["a\r\nX-Evil: 1", "a\nb", "a\0b"] {
            let request = HTTPRequest(url: server.url("/ok"), secretHeaders: [("X-Key", Secret(value))])
            #expect(
                await failure { () async throws(HTTPError) in try await client.send(request) }?.kind
                    == .invalid("header"))
        }
        let named = HTTPRequest(url: server.url("/ok"), headers: [("X Key", "a")])
        #expect(
            await failure { () async throws(HTTPError) in try await client.send(named) }?.kind == .invalid("header"))
    }

    @Test("neither query nor secret header nor body is in any description")
    func descriptions() async throws {
        let request = HTTPRequest(
            method: "POST", url: "https://127.0.0.1:1/path?token=hunter2", headers: [("X-Plain", "hunter2")],
            secretHeaders: [("X-Key", Secret("hunter2"))], body: Array("hunter2".utf8))
        let client = try server.client()
        let error = try #require(await failure { () async throws(HTTPError) in try await client.send(request) })
        #expect(error.kind == .connect)
        var dumped = ""
        dump(request, to: &dumped)
        dump(error, to: &dumped)
        for text in ["\(error)", String(reflecting: error), "\(request)", String(reflecting: request), dumped] {
            #expect(!text.contains("hunter2") && !text.contains("token"))
        }
        #expect("\(error)".hasPrefix("POST 127.0.0.1/path: cannot connect"))
    }
}
