import HTTP
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Mercuryo, its list")
struct MercuryoPagesTests {
    @Test("the token goes into its header; days, limit and offset into the query; the widget where it is configured")
    func request() throws {
        let lister = try #require(try MercuryoSample.provider().payments.lister)
        let ask = PageAsk(
            from: Timestamp("2026-07-30T12:00:00Z"), to: Timestamp("2026-08-01T01:00:00Z"), cursor: "50", limit: 100)
        let request = lister.request(for: ask)
        #expect(
            request.url
                == "https://api.mercuryo.io/v1.6/sdk-partner/transactions?date_start=2026-07-30&date_end=2026-08-01&limit=50&offset=50"
        )
        #expect(request.secretHeaders.map(\.name) == ["Sdk-Partner-Token"])
        #expect(request.secretHeaders.first?.value.reveal() == "partner-token")
        let own = try #require(
            try MercuryoSample.provider(options: ["widget_id": "W 1", "page_limit": "7"]).payments.lister)
        let open = own.request(for: PageAsk(from: nil, to: nil, limit: 50))
        #expect(open.url.hasSuffix("transactions?widget_id=W%201&limit=7&offset=0"))
        #expect(own.isOneWay)
        // Days are more than was asked for: rows around a window are no surprise, and no day is split.
        #expect(!own.hasExactWindows)
    }

    @Test("a page leads on by the rows it shows, never by more than were asked for; an empty one ends")
    func pages() throws {
        let lister = try #require(try MercuryoSample.provider().payments.lister)
        var ask = PageAsk(from: nil, to: nil, limit: 50)
        let page = try lister.page(from: MercuryoSample.response(200, MercuryoSample.page), to: ask)
        #expect(page.facts.next == "2" && page.facts.total == 2 && !page.facts.saysEnd)
        #expect(page.identities.map(\.id) == ["0f6f5aaa17cb60002", "0f6f5aaa17cb60008"])
        ask.cursor = "2"
        ask.limit = 1
        #expect(try lister.page(from: MercuryoSample.response(200, MercuryoSample.page), to: ask).facts.next == "3")
        let empty = try lister.page(
            from: MercuryoSample.response(200, #"{"status":200,"total":"2","data":[]}"#), to: ask)
        #expect(empty.facts.next == nil && empty.facts.total == 2)
        let bare = try lister.page(from: MercuryoSample.response(200, "[\(MercuryoSample.bought)]"), to: ask)
        #expect(bare.facts.rows.count == 1 && bare.facts.total == nil)
    }

    @Test("an offset that is refused is told from a request that is; what is no list is no page")
    func refusals() throws {
        let lister = try #require(try MercuryoSample.provider().payments.lister)
        var ask = PageAsk(from: nil, to: nil, limit: 50)
        let refused = MercuryoSample.response(400, #"{"status":400,"code":400010,"message":"offset 9 of Jane Doe"}"#)
        #expect(throws: ProviderFault.refused(status: 400, code: "400010")) { try lister.page(from: refused, to: ask) }
        ask.cursor = "50"
        #expect(throws: ProviderFault.cursorRejected) { try lister.page(from: refused, to: ask) }
        for text in ["{}", #"{"data":{}}"#, "<html>"] {
            #expect(throws: ProviderFault.self) { try lister.page(from: MercuryoSample.response(200, text), to: ask) }
        }
    }

    @Test("a payment is looked for by the merchant's reference; without one it cannot be asked for")
    func reader() throws {
        let reader = try #require(try MercuryoSample.provider().payments.reader)
        #expect(reader.keys == [.row, .order])
        let order = try #require(Reference("book:order", "A/17"))
        let request = try #require(reader.request(for: ReadAsk(id: nil, references: [order])))
        #expect(request.url.hasSuffix("transactions?merchant_transaction_id=A%2F17&limit=50"))
        #expect(reader.request(for: ReadAsk(id: "0f6f5aaa17cb60002")) == nil)
        let ask = ReadAsk(id: nil, references: [order])
        guard
            case .elements(let found) = try reader.answer(
                from: MercuryoSample.response(200, MercuryoSample.page), to: ask)
        else { return #expect(Bool(false), "elements expected") }
        #expect(found.count == 2)
        guard case .elements(let none) = try reader.answer(from: MercuryoSample.response(404, ""), to: ask) else {
            return #expect(Bool(false), "elements expected")
        }
        #expect(none.isEmpty)
    }

    @Test(
        "bad settings are refused with a message that says which",
        arguments: [
            ("page_limit", "51", "mercuryo: page_limit must be 1 to 50"),
            ("page_limit", "x", "mercuryo: page_limit must be 1 to 50"),
            ("widget_id", "", "mercuryo: widget_id must not be empty"),
        ])
    func settings(name: String, value: String, message: String) throws {
        #expect(throws: ProviderConfigurationFault(message)) { try MercuryoSample.provider(options: [name: value]) }
    }

    @Test("the address is that of the environment, or the given one with or without its version; a key is needed")
    func configuration() throws {
        func base(_ environment: String, _ given: String? = nil, key: String? = "k") throws -> String {
            try MercuryoConfiguration(
                ProviderOptions(environment: environment, apiBase: given, apiKey: key.map { Secret($0) })
            ).apiBase
        }
        #expect(try base("live") == "https://api.mercuryo.io")
        #expect(try base("sandbox") == "https://sandbox-api.mrcr.io")
        #expect(try base("live", "https://localhost:1/v1.6/") == "https://localhost:1")
        #expect(throws: ProviderConfigurationFault.self) { try base("test") }
        #expect(throws: ProviderConfigurationFault.self) { try base("live", key: nil) }
        #expect(throws: ProviderConfigurationFault.self) { try base("live", key: "a\n") }
    }
}
