import Crypto
import JSON
import Payments
import Testing

@testable import Sandbox

@Suite struct APITests {
    private let api = SimulatedAPI(world: sampleWorld, apiKey: Secret("W1fake:secret"), controlToken: Secret("control"))
    private let headers = ["authorization": "BASIC W1fake:secret", "meld-version": "2026-05-01"]

    private func get(_ path: String, _ query: [(name: String, value: String)] = [], headers: [String: String]? = nil)
        throws -> (response: APIResponse, json: JSONValue)
    {
        let response = api.answer(APIRequest(path: path, query: query, headers: headers ?? self.headers))
        return (response, try JSONDocument(response.body).root)
    }

    private func list(_ query: [(name: String, value: String)]) throws -> (response: APIResponse, json: JSONValue) {
        try get("/payments/transactions", query)
    }

    @Test(
        "the key goes raw behind the word BASIC; anything else is 401",
        arguments: [
            nil, "BASIC wrong", "Basic VzFmYWtlOnNlY3JldA==", "W1fake:secret", "Bearer W1fake:secret",
        ])
    func unauthorized(value: String?) throws {
        var headers = ["meld-version": "2026-05-01"]
        headers["authorization"] = value
        #expect(try get("/payments/transactions", headers: headers).response.status == 401)
        #expect(try get("/payments/transactions").response.status == 200)
    }

    @Test(
        "an unknown parameter is 400 and the message lists the accepted ones",
        arguments: [
            "offset", "sessionId", "externalSessionId", "status", "ids", "updatedFrom", "orderIds", "page",
        ])
    func unknownParameter(name: String) throws {
        let (response, json) = try list([(name, "1")])
        #expect(response.status == 400)
        #expect(json["code"]?.string == "BAD_REQUEST")
        #expect(json["message"]?.string?.contains("externalSessionIds") == true)
    }

    @Test(
        "the limit is 1 to 100, ten if not said",
        arguments: [
            ("0", 400), ("101", 400), ("-1", 400), ("ten", 400), ("1", 200), ("100", 200),
        ])
    func limits(text: String, status: Int) throws {
        let (response, json) = try list([("limit", text)])
        #expect(response.status == status)
        if status == 200 { #expect(json["transactions"]?.count == Int(text)) }
        #expect(try list([]).json["transactions"]?.count == 10)
    }

    @Test("both cursors at once, and a key of nobody's, are 400")
    func cursors() throws {
        let page = try list([]).json
        let key = try #require(page["transactions"]?.element(0)?["key"]?.string)
        #expect(try list([("before", key), ("after", key)]).response.status == 400)
        #expect(try list([("after", "nonsense")]).response.status == 400)
        let other = key.hasSuffix("1") ? "2" : "1"
        #expect(try list([("after", String(key.dropLast()) + other)]).response.status == 400)
        #expect(try list([("after", key)]).response.status == 200)
    }

    @Test("a status nobody knows is an empty list, a known one only its rows")
    func statuses() throws {
        let none = try list([("statuses", "NO_SUCH")])
        #expect(none.response.status == 200)
        #expect(none.json["totalCount"]?.integer == 0)
        let some = try list([("statuses", "DECLINED,FAILED"), ("limit", "100")]).json
        let seen = Set(try #require(some["transactions"]).elements.compactMap { $0["status"]?.string })
        #expect(seen == ["DECLINED", "FAILED"])
    }

    @Test("from and to are exclusive and mean creation in UTC, whatever their spelling")
    func window() throws {
        let page = try list([("limit", "20")]).json
        let row = try #require(page["transactions"]?.element(15))
        let created = try #require(row["createdAt"]?.string)
        let id = row["id"]?.string
        func ids(_ query: [(name: String, value: String)]) throws -> [String] {
            try #require(try list(query + [("limit", "100")]).json["transactions"]).elements.compactMap {
                $0["id"]?.string
            }
        }
        #expect(try !ids([("from", created)]).contains { $0 == id })
        #expect(try ids([("from", created)]).count == 15)
        #expect(try ids([("to", created)]).first != id)
        #expect(try ids([("from", "2026-06-10"), ("to", "2026-06-11")]).isEmpty == false)
        #expect(try ids([("from", "2026-06-10T00:00:00")]) == ids([("from", "2026-06-10T00:00:00Z")]))
        #expect(try list([("from", "yesterday")]).response.status == 400)
    }

    @Test(
        "the version used is echoed: the newest not newer than the one asked for",
        arguments: [
            ("2026-05-01", "2026-05-01"), ("2026-04-30", "2026-02-03"), ("2030-01-01", "2026-05-01"),
            ("2001-01-01", "2021-10-27"),
        ])
    func versions(asked: String, used: String) throws {
        let (response, json) = try get(
            "/payments/transactions", [("limit", "100"), ("statuses", "SETTLED")],
            headers: ["authorization": "BASIC W1fake:secret", "meld-version": asked])
        #expect(response.headers.first { $0.name == "Meld-Version" }?.value == used)
        let details = try #require(json["transactions"]?.element(0)?["cryptoDetails"])
        #expect((details["destinationWalletAddress"] != nil) == (used >= "2025-03-04"))
        #expect((details["walletAddress"] != nil) == (used < "2025-03-04"))
    }

    @Test("one transaction is wrapped and has no key; an unknown id is 404, a later one too")
    func single() throws {
        let id = try #require(sampleWorld.visible(at: api.now).first?.id)
        let json = try get("/payments/transactions/\(id)").json
        #expect(json["transaction"]?["id"]?.string == id)
        #expect(json["transaction"]?["key"] == nil)
        let future = try #require(sampleWorld.trades.first { !$0.isVisible(at: api.now) }?.id)
        for absent in ["Wnobody", future] {
            let (response, json) = try get("/payments/transactions/\(absent)")
            #expect(response.status == 404)
            #expect(json["code"]?.string == "TRANSACTION_INVALID_ID")
        }
    }

    @Test("a session gives its transaction, or says that the provider has none yet")
    func sessions() throws {
        let trade = try #require(sampleWorld.visible(at: api.now).first { $0.status(at: api.now) == .settled })
        #expect(
            try get("/payments/transactions/sessions/\(trade.session)").json["transaction"]?["id"]?.string == trade.id)
        let (response, json) = try get("/payments/transactions/sessions/Wnone")
        #expect(response.status == 404)
        #expect(json["code"]?.string == "TRANSACTION_FETCH_BY_SESSION_NOT_YET_CREATED_WITH_PROVIDER")
    }

    @Test("only the control token sets the clock")
    func clock() throws {
        let body = Array(#"{"now": "2026-06-12T02:30:00Z"}"#.utf8)
        let refused = api.answer(APIRequest(method: "POST", path: "/_sandbox/clock", headers: headers, body: body))
        #expect(refused.status == 403)
        #expect(api.now == sampleWorld.shape.night(1))
        let token = ["x-sandbox-token": "control"]
        #expect(
            api.answer(APIRequest(method: "POST", path: "/_sandbox/clock", headers: token, body: body)).status == 200)
        #expect(api.now == sampleWorld.shape.night(2))
        let garbled = APIRequest(method: "POST", path: "/_sandbox/clock", headers: token, body: [1, 2])
        #expect(api.answer(garbled).status == 400)
    }
}
