import Crypto
import HTTP
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Coinbase, its lists and tokens")
struct CoinbasePagesTests {
    private static func lister(_ options: [String: String] = [:]) throws -> any Lister {
        try #require(try CoinbaseSample.provider(options: options).payments.lister)
    }

    private static func reader(_ options: [String: String] = [:]) throws -> any SingleReader {
        try #require(try CoinbaseSample.provider(options: options).payments.reader)
    }

    @Test("the app's list is asked for by period, size and key, in either spelling; a start is always named")
    func request() throws {
        let ask = PageAsk(
            from: Timestamp("2026-07-30T12:00:00.5Z"), to: Timestamp("2026-08-01T01:00:00Z"), cursor: "a+b==",
            limit: 2000)
        let base = "https://api.developer.coinbase.com/onramp/v1/buy/transactions?"
        #expect(
            try Self.lister().request(for: ask).url == base
                + "page_size=1000&start_date=2026-07-30T12%3A00%3A00Z&end_date=2026-08-01T01%3A00%3A00Z&page_key=a%2Bb%3D%3D"
        )
        let camel = try Self.lister(["query_names": "camel", "page_size": "7"])
        let open = camel.request(for: PageAsk(from: nil, to: nil, limit: 1000)).url
        #expect(open == base + "pageSize=7&startDate=2020-01-01T00%3A00%3A00Z")
        #expect(!camel.showsAllRows)
    }

    @Test("a page in either spelling, with a total as text or number; the end is a key that is missing or empty")
    func pages() throws {
        let lister = try Self.lister()
        let ask = PageAsk(from: nil, to: nil, limit: 1)
        func page(_ text: String) throws -> ProviderPage {
            try lister.page(from: MercuryoSample.response(200, text), to: ask)
        }
        let sample = try page(CoinbaseSample.page)
        #expect(sample.facts.next == "eyJndF9za2lwIjowLCJvdF9za2lwIjoxfQ==" && sample.facts.total == 3)
        #expect(sample.facts.rows.map(\.id) == ["1f0aa001-0000-6000-8000-000000000001"] && !sample.facts.saysEnd)
        let camel = try page(try CoinbaseSample.camel(CoinbaseSample.page).replacing(#""3""#, with: "3"))
        #expect(camel.facts == sample.facts)
        for end in ["", #","next_page_key":"""#, #","nextPageKey":null"#] {
            let last = try page(#"{"transactions":[\#(CoinbaseSample.row)]\#(end)}"#)
            #expect(last.facts.next == nil && last.facts.saysEnd && last.facts.total == nil)
            let empty = try page(#"{"transactions":[]\#(end)}"#)
            #expect(empty.facts.next == nil && !empty.facts.saysEnd)
        }
        #expect(try page("{}").elements.isEmpty)
        for bad in [#"{"transactions":{}}"#, #"{"code":3,"message":"m"}"#, "Unauthorized"] {
            #expect(throws: ProviderFault.self) { try page(bad) }
        }
    }

    @Test("errors of both generations and plain text; a refused key is told from a refused request")
    func refusals() throws {
        let lister = try Self.lister()
        var ask = PageAsk(from: nil, to: nil, limit: 1000)
        func page(_ text: String) throws { _ = try lister.page(from: MercuryoSample.response(400, text), to: ask) }
        #expect(throws: ProviderFault.refused(status: 400, code: "3")) {
            try page(#"{"code":3,"message":"bad date of jane","details":[]}"#)
        }
        #expect(throws: ProviderFault.refused(status: 400, code: "invalid_request")) {
            try page(#"{"errorType":"invalid_request","errorMessage":"m"}"#)
        }
        #expect(throws: ProviderFault.refused(status: 400, code: nil)) { try page("Bad Request") }
        ask.cursor = "k"
        #expect(throws: ProviderFault.cursorRejected) { try page("{}") }
    }

    @Test("a customer's own list is asked for with a page size, page by page; her reference is escaped and never shown")
    func customer() throws {
        let reader = try Self.reader()
        #expect(reader.keys == [.customer, .row] && reader.idKinds == [])
        let ask = ReadAsk(id: nil, customerID: "cust/1?x")
        let request = try #require(reader.request(for: ask))
        let base = "https://api.developer.coinbase.com/onramp/v1/buy/user/cust%2F1%3Fx/transactions?page_size=1000"
        #expect(request.url == base)
        #expect(request.description == "GET api.developer.coinbase.com/onramp/v1/buy/user/…/transactions")
        #expect(!HTTPError(.status(500), request).description.contains("cust"))
        #expect(reader.request(for: ReadAsk(id: "T1")) == nil)
        let more = MercuryoSample.response(200, CoinbaseSample.page)
        #expect(
            reader.following(more, to: ask)?.url == base + "&page_key=eyJndF9za2lwIjowLCJvdF9za2lwIjoxfQ%3D%3D")
        #expect(reader.following(more, to: ask)?.shownPath == request.shownPath)
        for last in [#"{"transactions":[]}"#, #"{"transactions":[],"nextPageKey":""}"#] {
            #expect(reader.following(MercuryoSample.response(200, last), to: ask) == nil)
        }
        #expect(reader.following(MercuryoSample.response(404, CoinbaseSample.page), to: ask) == nil)
        guard case .elements(let none) = try reader.answer(from: MercuryoSample.response(404, ""), to: ask),
            case .elements(let rows) = try reader.answer(from: more, to: ask)
        else { return #expect(Bool(false), "elements expected") }
        #expect(none.isEmpty && rows.count == 1)
        #expect(throws: ProviderFault.self) { try reader.answer(from: MercuryoSample.response(400, "x"), to: ask) }
    }

    @Test("orders are read by id at the other host; one that is not known is none")
    func orders() throws {
        let reader = try #require(try CoinbaseSample.provider().resource(named: "order")?.reader)
        #expect(try CoinbaseSample.provider().resource(named: "order")?.lister == nil)
        #expect(reader.idKinds == ["coinbase:order"])
        let id = "0f3c0000-0000-4000-8000-000000000002"
        let ask = ReadAsk(id: id)
        #expect(reader.request(for: ask)?.url == "https://api.cdp.coinbase.com/platform/v2/onramp/orders/\(id)")
        func ids(_ status: Int, _ text: String, _ ask: ReadAsk = ask) throws -> [String] {
            guard case .elements(let found) = try reader.answer(from: MercuryoSample.response(status, text), to: ask)
            else { return ["another"] }
            return found.compactMap { $0["orderId"]?.string }
        }
        #expect(try ids(200, #"{"order":\#(CoinbaseSample.order)}"#) == [id])
        #expect(try ids(200, CoinbaseSample.order) == [id])
        #expect(
            try ids(404, #"{"errorType":"not_found","errorMessage":"Order with the given ID does not exist."}"#) == [])
        let invalid = #"{"errorType":"invalid_request","errorMessage":"m"}"#
        #expect(try ids(400, invalid, ReadAsk(id: "A-17")) == [])
        #expect(throws: ProviderFault.refused(status: 400, code: "invalid_request")) { try ids(400, invalid) }
        #expect(throws: ProviderFault.self) { try ids(200, "{}") }
    }

    @Test(
        "each request has a token of its own for method, host and path without the query; the public half verifies it")
    func token() throws {
        let signer = try #require(try CoinbaseSample.provider().signer)
        let ask = PageAsk(from: nil, to: nil, cursor: "k", limit: 1000)
        let request = try Self.lister().request(for: ask)
        let moment = SigningMoment(
            now: Timestamp("2026-07-31T12:00:00.9Z") ?? Timestamp(seconds: 0), uniqueMilliseconds: 1,
            random: [UInt8](0..<16))
        let signed = try signer.sign(try signer.sign(request, at: moment), at: moment)
        #expect(signed.url == request.url && signed.secretHeaders.count == 1)
        let value = try #require(signed.secretHeaders.first)
        #expect(value.name == "Authorization" && value.value.reveal().hasPrefix("Bearer "))
        let token = try #require(JSONWebToken(String(value.value.reveal().dropFirst(7))))
        let key = try SigningKey(Secret(Base64.encode(try CoinbaseSample.seed())))
        let isSigned = token.isSigned(by: try VerifyingKey(try key.publicKey(), .edDSA))
        #expect(isSigned)
        let header = try JSONDocument(token.header).root
        #expect(header["alg"]?.string == "EdDSA" && header["typ"]?.string == "JWT")
        #expect(header["kid"]?.string == CoinbaseSample.keyID)
        #expect(header["nonce"]?.string == "000102030405060708090a0b0c0d0e0f")
        let claims = try JSONDocument(token.claims).root
        #expect(claims["sub"]?.string == CoinbaseSample.keyID && claims["iss"]?.string == "cdp")
        #expect(claims["nbf"]?.integer == 1_785_499_200 && claims["exp"]?.integer == 1_785_499_320)
        #expect(claims["aud"]?.isNull == true)
        let uris = claims["uris"].map { $0.elements.compactMap(\.string) }
        #expect(uris == ["GET api.developer.coinbase.com/onramp/v1/buy/transactions"])
    }

    @Test("bad settings are refused with a message that names them and shows no key")
    func settings() throws {
        func fault(
            id: String? = "k", secret: String? = nil, environment: String = "live", options: [String: String] = [:]
        ) throws -> String {
            let secrets = ["api_secret": Secret(try secret ?? Base64.encode(CoinbaseSample.seed()))]
            do throws(ProviderConfigurationFault) {
                _ = try CoinbaseConfiguration(
                    ProviderOptions(
                        environment: environment, apiKey: id.map { Secret($0) }, secrets: secret == "" ? [:] : secrets,
                        options: options))
            } catch {
                return error.description
            }
            return ""
        }
        #expect(try fault() == "")
        #expect(try fault(id: nil).contains("API key is needed"))
        #expect(try fault(id: "a b").contains("blanks"))
        #expect(try fault(secret: "").contains("api_secret is needed"))
        let bad = try fault(secret: "c2VjcmV0")
        #expect(bad == "coinbase: api_secret is no key: Base64 of 6 bytes; an Ed25519 key has 64")
        #expect(try fault(environment: "test").contains("neither live nor sandbox"))
        #expect(try fault(options: ["page_size": "0"]) == "coinbase: page_size must be 1 to 1000")
        #expect(try fault(options: ["page_size": "1001"]) == "coinbase: page_size must be 1 to 1000")
        #expect(try fault(options: ["query_names": "kebab"]) == "coinbase: query_names must be camel or snake")
        let own = try CoinbaseSample.configuration(base: "https://localhost:1/", options: [:])
        #expect(own.apiBase == "https://localhost:1" && own.ordersBase == "https://localhost:1")
        let two = try CoinbaseSample.configuration(
            base: "https://a.test", options: ["orders_api_base": "https://b.test/"])
        #expect(two.ordersBase == "https://b.test")
    }
}
