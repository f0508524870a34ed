import HTTP
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Push Cash: requests and pages")
struct PushAPITests {
    private static func response(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders([]), body: HTTPBody(Array(text.utf8)))
    }

    private static func lister(_ resource: String, _ options: [String: String] = [:]) throws -> any Lister {
        try #require(try PushTests.push(options: options).resource(named: resource)?.lister)
    }

    @Test("traps 3 and 9: the cursor is sent back percent-encoded and the window with every page; the key as a bearer")
    func requests() throws {
        let ask = PageAsk(
            from: Timestamp("2026-11-25T00:00:00Z"), to: Timestamp("2026-11-26T00:00:00.123456Z"),
            cursor: "vjl8vk3l4o8dhsjlzh==", limit: 100)
        let names = [
            "transaction": "intent", "payout": "transfer", "settlement_line": "transaction", "refund": "refund",
            "dispute": "dispute",
        ]
        for (resource, path) in names {
            let request = try Self.lister(resource).request(for: ask)
            #expect(
                request.url
                    == "https://sandbox.pushcash.com/\(path)/list?created_at.after=2026-11-25T00%3A00%3A00.000Z&created_at.before=2026-11-26T00%3A00%3A00.124Z&cursor=vjl8vk3l4o8dhsjlzh%3D%3D"
            )
            #expect(request.method == "GET")
            #expect(request.secretHeaders.map { $0.value.reveal() } == ["Bearer pcsk_sandbox_pub1.priv1"])
        }
        let bare = try Self.lister("transaction").request(for: PageAsk(from: nil, to: nil, limit: 100))
        #expect(bare.url == "https://sandbox.pushcash.com/intent/list")
        let line = try Self.lister("settlement_line", ["account_id": "account_1"])
            .request(for: PageAsk(from: nil, to: nil, limit: 100))
        #expect(line.url == "https://sandbox.pushcash.com/transaction/list?account_id=account_1")
        #expect(PushPages.moment(Timestamp(microseconds: -1)) == "1969-12-31T23:59:59.999Z")
        let reader = try #require(try PushTests.push().payments.reader)
        #expect(reader.request(for: ReadAsk(id: "intent/1"))?.url == "https://sandbox.pushcash.com/intent/intent%2F1")
        #expect(reader.request(for: ReadAsk(id: nil)) == nil)
    }

    @Test("null says that nothing follows, a list without the key says nothing, an empty page may name a next one")
    func pages() throws {
        let lister = try Self.lister("transaction")
        let ask = PageAsk(from: nil, to: nil, limit: 100)
        func page(_ text: String) throws -> PageFacts {
            try lister.page(from: Self.response(200, text), to: ask).facts
        }
        let row = #"{"id":"intent_1","created_at":"2026-11-27T17:00:00.000Z"}"#
        let more = try page(#"{"data":[\#(row)],"next_cursor":"ZGVtb2N1cnNvcjE=="}"#)
        #expect((more.next, more.saysEnd) == ("ZGVtb2N1cnNvcjE==", false))
        #expect(more.rows == [RowFacts(id: "intent_1", createdAt: Timestamp("2026-11-27T17:00:00Z"))])
        let last = try page(#"{"data":[\#(row)],"next_cursor":null}"#)
        #expect((last.next, last.saysEnd) == (nil, true))
        let silent = try page(#"{"data":[\#(row)]}"#)
        #expect((silent.next, silent.saysEnd) == (nil, false))
        let gap = try page(#"{"data":[],"next_cursor":"c"}"#)
        #expect((gap.next, gap.rows.count, gap.saysEnd) == ("c", 0, false))
        let empty = try page(#"{"data":[],"next_cursor":""}"#)
        #expect((empty.next, empty.saysEnd) == (nil, true))
        for text in ["{}", #"{"data":{}}"#, "[]", "<html>", #"{"data":[],"next_cursor":7}"#] {
            #expect(throws: ProviderFault.self, "\(text)") { try page(text) }
        }
    }

    @Test("a refused position is told from a refused request; a window that is refused is no position")
    func refusals() throws {
        let lister = try Self.lister("transaction")
        let first = PageAsk(from: nil, to: nil, limit: 100)
        let behind = PageAsk(from: nil, to: nil, cursor: "c=", limit: 100)
        for status in [400, 404, 410, 422] {
            #expect(throws: ProviderFault.cursorRejected) {
                try lister.page(from: Self.response(status, #"{"error":"x"}"#), to: behind)
            }
            #expect(throws: ProviderFault.refused(status: status, code: nil)) {
                try lister.page(from: Self.response(status, "{}"), to: first)
            }
        }
        #expect(throws: ProviderFault.refused(status: 401, code: nil)) {
            try lister.page(from: Self.response(401, "{}"), to: behind)
        }
    }

    @Test("trap 2: a 401 that carries an id and `declined` is an answer, any other one is about the key")
    func declined() throws {
        let push = try PushTests.push()
        let body = PushTests.declinedIntent
        #expect(!push.refusesCredentials(Self.response(401, body)))
        #expect(!push.refusesCredentials(Self.response(401, #"{"id":"refund_1","status":"declined"}"#)))
        for text in ["", "{}", #"{"error":"declined"}"#, #"{"id":"i","status":"approved"}"#, #"{"status":"declined"}"#]
        {
            #expect(push.refusesCredentials(Self.response(401, text)), "\(text)")
        }
        #expect(push.refusesCredentials(Self.response(403, body)))
        #expect(!push.refusesCredentials(Self.response(429, "")))
        let reader = try #require(push.payments.reader)
        func ids(_ status: Int, _ text: String) throws -> [String] {
            guard
                case .elements(let elements) = try reader.answer(
                    from: Self.response(status, text), to: ReadAsk(id: "i"))
            else { return ["another one"] }
            return elements.compactMap { $0["id"]?.string }
        }
        #expect(try ids(401, body) == ["intent_sandbox_BbCdEfGhIjKlMnOpQrStUv"])
        #expect(try ids(200, PushTests.intent) == [PushTests.intentID])
        for status in [400, 404, 410, 422] { #expect(try ids(status, "{}") == []) }
        #expect(throws: ProviderFault.refused(status: 401, code: nil)) { try ids(401, "{}") }
        #expect(throws: ProviderFault.refused(status: 401, code: nil)) {
            try ids(401, #"{"id":"i","status":"declined"}"#)
        }
        #expect(throws: ProviderFault.self) { try ids(200, "[]") }
        #expect(reader.expectedStatuses.contains(401))
    }

    @Test("another account's records are strangers; where no account is named nobody is")
    func strangers() throws {
        func isStranger(_ resource: String, _ text: String, _ account: String?) throws -> Bool {
            let push = try PushTests.push(options: account.map { ["account_id": $0] } ?? [:])
            let mapping = try #require(push.resource(named: resource)).mapping
            return mapping.identity(of: try JSONDocument(text).root).isStranger
        }
        for (resource, text) in [
            ("transaction", PushTests.intent), ("settlement_line", PushTests.ledgerLine),
            ("payout", PushLegTests.transfer),
        ] {
            #expect(try isStranger(resource, text, "account_other"))
            #expect(try !isStranger(resource, text, "account_demo0000000000000001"))
            #expect(try !isStranger(resource, text, nil))
        }
        #expect(try !isStranger("refund", PushLegTests.refund, "account_other"))
    }

    @Test("1,000 reads an hour are a quota over any hour; five lists are read, each record by its id too")
    func declaration() throws {
        let push = try PushTests.push()
        #expect(push.declaration.budget == RequestBudget(1000, perSeconds: 3600, isQuota: true))
        #expect(push.resources.map(\.name) == ["transaction", "payout", "settlement_line", "refund", "dispute"])
        #expect(Set(push.declaration.lists) == Set(push.resources.map(\.name)))
        #expect(push.declaration.settlesTo == .merchant)
        #expect(push.probe?.url == "https://sandbox.pushcash.com/intent/list")
        #expect(push.probe?.method == "GET")
        #expect(try PushTests.push(options: ["page_size": "7"]).payments.lister?.pageLimit == 7)
        #expect(try PushTests.push(options: ["settles_to": "customer"]).declaration.settlesTo == .customer)
    }

    @Test("where only some payments are given an address for events, a missing one is no finding")
    func announced() throws {
        func flags(_ options: [String: String]) throws -> [String] {
            try PushTests.push(options: options).payments.mapping.map(try JSONDocument(PushTests.intent).root).flagTexts
        }
        #expect(try flags(["webhook_url": "sometimes"]) == ["guaranteed"])
        #expect(try flags(["webhook_url": "always"]) == ["event_expected", "guaranteed"])
    }

    @Test("a key or an address of the other environment is refused before anything is sent; bad options are named")
    func configuration() throws {
        func fault(
            _ environment: String, key: String = "k", base: String? = nil, _ options: [String: String] = [:]
        ) -> String? {
            do throws(ProviderConfigurationFault) {
                _ = try PushConfiguration(
                    ProviderOptions(environment: environment, apiBase: base, apiKey: Secret(key), options: options))
                return nil
            } catch {
                return error.description
            }
        }
        #expect(
            fault("live", key: "pcsk_sandbox_a.b")
                == "push: environment live, but the API key is one of the sandbox (pcsk_sandbox_…)")
        #expect(
            fault("sandbox", key: "pcsk_production_a.b")
                == "push: environment sandbox, but the API key is one of production (pcsk_production_…)")
        #expect(fault("sandbox", key: "pcsk_live_a.b")?.contains("production") == true)
        for (environment, word) in [("live", "production"), ("live", "live"), ("sandbox", "sandbox"), ("live", "eu")] {
            #expect(fault(environment, key: "pcsk_\(word)_a.b") == nil)
        }
        #expect(fault("live", key: "older-key-of-another-form") == nil)
        #expect(
            fault("live", base: "https://sandbox.pushcash.com")
                == "push: environment live, but api_base is the sandbox (sandbox.pushcash.com)")
        #expect(
            fault("sandbox", base: "https://API.pushcash.com/")
                == "push: environment sandbox, but api_base is production (api.pushcash.com)")
        #expect(fault("live", base: "https://127.0.0.1:8443") == nil)
        #expect(fault("staging") == "push: environment `staging` is neither live nor sandbox")
        #expect(fault("live", key: "") == "push: an API key is needed")
        #expect(fault("live", key: "a b") == "push: the API key holds blanks or line breaks")
        #expect(fault("live", ["page_size": "0"]) == "push: page_size must be 1 to 10000")
        #expect(fault("live", ["webhook_url": "never"]) == "push: webhook_url must be always or sometimes")
        #expect(fault("live", ["settles_to": "me"]) == "push: settles_to must be customer or merchant")
        #expect(fault("live", ["account_id": ""]) == "push: account_id must not be empty")
    }
}
