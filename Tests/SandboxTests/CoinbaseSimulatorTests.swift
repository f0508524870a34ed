import Crypto
import JSON
import Payments
import Testing

@testable import Sandbox

@Suite struct CoinbaseSimulatorTests {
    private static let world = World(WorldShape(seed: 7, transactions: 1_200), providers: ["coinbase"])
    private static let wall = Timestamp(seconds: 1_785_499_200)

    /// The API in this process, and a client that signs as the sheet says.
    private struct Asked {
        let api: SimulatedAPI
        let source: SimulatedSource

        init(_ spec: String = "", switches: [String: String] = [:]) throws {
            let world =
                switches.isEmpty
                ? CoinbaseSimulatorTests.world
                : World(
                    WorldShape(seed: 7, transactions: 1_200), providers: ["coinbase"], switches: ["coinbase": switches])
            source = world.sources[0]
            api = try #require(
                SimulatedAPI(
                    world: world, misbehaviour: try Misbehaviour(spec), wall: { CoinbaseSimulatorTests.wall }))
        }

        /// A token whose parts a test may change.
        func token(
            _ uri: String, nonce: String, age: Int64 = 0, lifetime: Int64 = 120, claim: String = "uris",
            kid: String? = nil, key: Secret? = nil
        ) throws -> String {
            let id = source.secret("api-key").reveal()
            let now = CoinbaseSimulatorTests.wall.microseconds / 1_000_000 - age
            let uris = claim == "uris" ? #"["\#(uri)"]"# : #""\#(uri)""#
            let signing = try SigningKey(key ?? source.secret("api_secret"))
            let header =
                #"{"alg":"\#(signing.algorithm.rawValue)","kid":"\#(kid ?? id)","typ":"JWT","nonce":"\#(nonce)"}"#
            let claims =
                #"{"sub":"\#(id)","iss":"cdp","aud":null,"nbf":\#(now),"exp":\#(now + lifetime),"\#(claim)":\#(uris)}"#
            return try JSONWebToken(header: Array(header.utf8), claims: Array(claims.utf8), key: signing).text
        }

        func get(_ target: String, token: String? = nil, host: String? = "api.example.com") throws -> APIResponse {
            let path = String(target.prefix { $0 != "?" })
            let bearer = try token ?? self.token("GET api.example.com\(path)", nonce: "\(api.requests)")
            var headers = [(name: "Authorization", value: "Bearer \(bearer)")]
            if let host { headers.append((name: "Host", value: host)) }
            return api.answer(APIRequest(target: target, headers: headers))
        }

        func page(_ target: String) throws -> (rows: [JSONValue], next: String?, total: JSONValue?) {
            let root = try JSONDocument(try get(target).body).root
            let key = root["next_page_key"] ?? root["nextPageKey"]
            return (
                root["transactions"].map { Array($0.elements) } ?? [], key?.string,
                root["total_count"] ?? root["totalCount"]
            )
        }

        func walk(_ path: String = "/onramp/v1/buy/transactions", size: Int = 200) throws -> [String] {
            var ids: [String] = []
            var key: String?
            for _ in 0..<500 {
                let more = key.map { "&page_key=" + $0.replacing("=", with: "%3D") } ?? ""
                let page = try page("\(path)?page_size=\(size)\(more)")
                ids += page.rows.compactMap { ($0["transaction_id"] ?? $0["transactionId"])?.string }
                key = page.next
                if key == nil || key == "" { return ids }
            }
            return ids
        }
    }

    static let list = "/onramp/v1/buy/transactions"

    @Test("a token must be signed, young, fresh, the account's own, and for this method, host and path")
    func door() throws {
        let asked = try Asked()
        let uri = "GET api.example.com\(Self.list)"
        #expect(try asked.get(Self.list + "?page_size=1").status == 200)
        let good = try asked.token(uri, nonce: "n")
        #expect(try asked.get(Self.list, token: good).status == 200)
        let other = Secret(Base64.encode([UInt8](1...32)))
        let bad: [String] = [
            good, "", "x.y.z", try asked.token(uri + "?page_size=1", nonce: "a"),
            try asked.token("POST api.example.com\(Self.list)", nonce: "b"), try asked.token(uri + "/", nonce: "c"),
            try asked.token("GET elsewhere.example.com\(Self.list)", nonce: "d"),
            try asked.token(uri, nonce: "e", age: 121), try asked.token(uri, nonce: "f", age: -60),
            try asked.token(uri, nonce: "g", lifetime: 600), try asked.token(uri, nonce: "h", claim: "uri"),
            try asked.token(uri, nonce: "i", kid: "another"), try asked.token(uri, nonce: "j", key: other),
            try asked.token(uri, nonce: ""),
        ]
        for token in bad {
            let answer = try asked.get(Self.list, token: token)
            #expect(answer.status == 401 && answer.body == Array("Unauthorized".utf8), "\(token.count)")
        }
        let singular = try Asked(switches: ["uri": "uri"])
        #expect(try singular.get(Self.list, token: singular.token(uri, nonce: "h", claim: "uri")).status == 200)
    }

    @Test("only documented paths and parameters")
    func routes() throws {
        let asked = try Asked()
        for target in [
            "/onramp/v1/buy/orders", "/v2/onramp/orders/x", "/platform/v2/onramp/orders", "/onramp/v1/buy/user/x",
        ] {
            #expect(try asked.get(target).status == 404, "\(target)")
        }
        for query in ["page_size=0", "page_size=1001", "page_key=x", "limit=5", "start_date=soon"] {
            let answer = try asked.get("\(Self.list)?\(query)")
            #expect(answer.status == 400, "\(query)")
            #expect(try JSONDocument(answer.body).root["code"]?.integer == 3)
        }
        #expect(try Asked(switches: ["query": "camel"]).get("\(Self.list)?page_size=5").status == 400)
        #expect(try Asked(switches: ["query": "camel"]).get("\(Self.list)?pageSize=5").status == 200)
    }

    @Test(
        "the app's list shows what is finished, each once, newest first; open ones are in their customer's list alone")
    func lists() throws {
        let asked = try Asked()
        let shown = asked.api.shown()
        let final = shown.filter { $0.status.hasSuffix("_SUCCESS") || $0.status.hasSuffix("_FAILED") }.map(\.id)
        let all = try asked.walk()
        #expect(all.count > 40 && all == final)
        #expect(try asked.walk(size: 7) == all)
        #expect(try Asked(switches: ["app-list": "all"]).walk().count == shown.count)
        let open = try #require(
            asked.source.trades.first { trade in shown.contains { $0.id == trade.id } && !all.contains(trade.id) })
        let path = "/onramp/v1/buy/user/\(open.customer.externalId)/transactions"
        #expect(try asked.walk(path).contains(open.id))
        #expect(try asked.page(path).rows.count == 1)
        #expect(try asked.page("/onramp/v1/buy/user/nobody/transactions").rows.isEmpty)
    }

    @Test("bounds: the start is listed, the end is not; days and moments")
    func bounds() throws {
        let asked = try Asked()
        let all = try asked.page("\(Self.list)?page_size=1000").rows
        let middle = try #require(all[all.count / 2]["created_at"]?.string).replacing(":", with: "%3A")
        let before = try asked.page("\(Self.list)?page_size=1000&end_date=\(middle)").rows.count
        let after = try asked.page("\(Self.list)?page_size=1000&start_date=\(middle)").rows.count
        #expect(before + after == all.count && after == all.count / 2 + 1)
        #expect(try asked.page("\(Self.list)?start_date=2100-01-01").rows.isEmpty)
    }

    @Test("names, totals and the last key are as the switches say")
    func spellings() throws {
        let plain = try Asked().page("\(Self.list)?page_size=1000")
        #expect(plain.rows.first?["partner_user_ref"] != nil && plain.total == nil && plain.next == nil)
        let turned = try Asked(switches: ["case": "camel", "total": "number", "end": "empty"])
        let page = try turned.page("\(Self.list)?page_size=1000")
        #expect(page.rows.first?["partnerUserRef"] != nil && page.next == "")
        #expect(page.total?.integer == Int64(page.rows.count))
        #expect(try turned.walk() == (try Asked().walk()))
    }

    @Test("orders of the merchant's own checkout are read by id at v2, and are transactions once the outcome is known")
    func orders() throws {
        let asked = try Asked()
        let trade = try #require(
            asked.source.trades.first { CoinbaseSimulator.isHeadless($0) && $0.isVisible(at: asked.api.now) })
        let answer = try asked.get("/platform/v2/onramp/orders/\(trade.headlessOrder)")
        let order = try #require(try JSONDocument(answer.body).root["order"])
        #expect(order["orderId"]?.string == trade.headlessOrder && order["orderId"]?.string != trade.id)
        #expect(
            order["status"]?.string == "ONRAMP_ORDER_STATUS_COMPLETED"
                && order["txHash"]?.string == "0x\(trade.chainId)")
        #expect(try asked.walk().contains(trade.id))
        let missing = try asked.get("/platform/v2/onramp/orders/\(trade.id)")
        #expect(missing.status == 404)
        #expect(try JSONDocument(missing.body).root["errorType"]?.string == "not_found")
    }

    @Test("a delivery is signed as the sheet's vectors are")
    func vectors() throws {
        let secret = Secret("123e4567-e89b-12d3-a456-426614174000")
        let delivery = Delivery(
            eventId: "7a1d4c1e-0000-4000-8000-000000000001", receivedAt: Timestamp(seconds: 1_785_499_200), retry: 0,
            retryReason: nil, body: Array(#"{"eventType":"onramp.transaction.success"}"#.utf8), night: 1, file: 0)
        let headers = try Asked().api.provider.headers(of: delivery, signedWith: secret, capitals: false)
        #expect(
            headers.first { $0.name == "x-hook0-signature" }?.value
                == "t=1785499200,v0=39e6b4f007091edb963967c2b114eeba4119a0e0af9831cc8c0992c46371d27e,h=content-type x-event-id x-event-type,v1=603df75ec4068cfd2890b477cfe143284cebb530cb3ea8e2565309a38766fcf5"
        )
        #expect(headers.contains { $0.name == "x-event-id" })
    }

    @Test("events tell of transactions in the standard flow and of orders in the other; both are in the captures")
    func events() throws {
        let asked = try Asked()
        var kinds: Set<String> = []
        for line in asked.api.captureLines(night: 1).split(separator: 10) {
            let text = try JSONDocument(Array(line)).root["rawBody"]?.string ?? ""
            guard !text.isEmpty else { continue }
            let root = try JSONDocument(Array(text.utf8)).root
            kinds.insert("\(root["orderId"] == nil ? "transaction" : "order") \(root["eventType"]?.string ?? "")")
        }
        #expect(
            kinds.isSuperset(of: [
                "transaction onramp.transaction.created", "transaction onramp.transaction.success",
                "transaction onramp.transaction.failed", "order onramp.transaction.success",
            ]))
        #expect(!kinds.contains("order onramp.transaction.created"))
    }

    @Test("misbehaviour comes from the shared layer; the truth names its own source alone")
    func truth() throws {
        #expect(try Asked("429").get(Self.list).status == 429)
        #expect(try Asked("silent").walk().isEmpty)
        let rules = Set(Self.world.planted.map(\.rule))
        #expect(rules.isSuperset(of: ["paid_unsettled", "amount_mismatch", "taken_not_returned", "webhook_missing"]))
        #expect(
            Self.world.planted.allSatisfy {
                $0.subject.hasPrefix("order:CB-") || $0.subject.contains("coinbase-sandbox")
            })
    }
}
