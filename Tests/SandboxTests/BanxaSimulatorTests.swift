import Crypto
import JSON
import Payments
import Testing

@testable import Sandbox

@Suite struct BanxaSimulatorTests {
    private static let world = World(WorldShape(seed: 7, transactions: 1_200), providers: ["banxa"])
    private static let now = Timestamp(seconds: 1_796_000_000)
    private static let days = "start=2014-01-01&end=2037-12-31"

    /// The API in this process, asked as the sheet says.
    private struct Asked {
        let api: SimulatedAPI
        let key: String
        let secret: Secret

        init(_ switches: [String: String] = [:], _ spec: String = "") throws {
            let world =
                switches.isEmpty
                ? BanxaSimulatorTests.world
                : World(WorldShape(seed: 7, transactions: 1_200), providers: ["banxa"], switches: ["banxa": switches])
            api = try #require(
                SimulatedAPI(world: world, misbehaviour: try Misbehaviour(spec), wall: { BanxaSimulatorTests.now }))
            key = world.sources[0].secret("api-key").reveal()
            secret = world.sources[0].secret("api_secret")
        }

        func v2(_ path: String, key: String? = nil) -> APIResponse {
            api.answer(APIRequest(target: "/demo-partner/v2/orders\(path)", headers: [("x-api-key", key ?? self.key)]))
        }

        /// `signed`: what is signed, if not the target; `shift` of the nonce in milliseconds.
        func signed(_ target: String, signed: String? = nil, shift: Int64 = 0, nonce: String? = nil) -> APIResponse {
            let nonce = nonce ?? String(BanxaSimulatorTests.now.microseconds / 1_000 + shift)
            let code = Hex.encode(
                HMACCode.sha256(key: secret, message: Array("GET\n\(signed ?? target)\n\(nonce)".utf8)))
            return api.answer(
                APIRequest(target: target, headers: [("Authorization", "Bearer \(key):\(code):\(nonce)")]))
        }

        func walk(_ query: String = BanxaSimulatorTests.days, base: Int = 1, limit: Int = 100) throws -> [String] {
            var ids: [String] = []
            for page in base..<1_000 {
                let root = try JSONDocument(v2("?\(query)&limit=\(limit)&page=\(page)").body).root
                let rows = (root["data"] ?? root)["orders"]?.elements.compactMap { $0["id"]?.string } ?? []
                if rows.isEmpty { return ids }
                ids += rows
            }
            return ids
        }
    }

    private func code(_ response: APIResponse) throws -> String? {
        let errors = try JSONDocument(response.body).root["errors"]
        return (errors?.isArray == true ? errors?.element(0) : errors)?["status"]?.string
    }

    @Test("v2 wants its key, legacy and Native a signature over path and query with a nonce of their own")
    func doors() throws {
        let asked = try Asked(["surface": "native"])
        #expect(asked.v2("?\(Self.days)").status == 200)
        #expect(asked.v2("?\(Self.days)", key: "x").status == 401)
        let id = try #require(asked.api.ids("transaction").first)
        let path = "/eapi/v0/ramps/\(id)"
        #expect(asked.signed(path).status == 200)
        #expect(try code(asked.signed(path)) == "40003")
        #expect(asked.signed(path, shift: 1).status == 200)
        #expect(try code(asked.signed(path, shift: 301_000)) == "40002")
        #expect(try code(asked.signed(path, nonce: "soon")) == "40001")
        #expect(try code(asked.signed(path, signed: String(path.dropFirst()), shift: 2)) == "40103")
        #expect(try code(asked.signed("/api/orders?start_date=2026-01-01", signed: "/api/orders", shift: 3)) == "40103")
        #expect(asked.api.answer(APIRequest(target: path, headers: [("x-api-key", asked.key)])).status == 401)
        #expect(asked.signed("/eapi/v0/ramps", shift: 4).status == 404)
        #expect(asked.signed("/eapi/v0/ramps/unknown", shift: 5).status == 404)
    }

    @Test("pages lead over every order once, whatever is assumed of them")
    func pages() throws {
        let all = try Asked().walk()
        #expect(all.count > 40 && Set(all).count == all.count)
        #expect(all == (try Asked().api.ids("transaction")))
        #expect(try Asked(["page": "zero", "envelope": "data"]).walk(base: 0, limit: 50) == all)
        #expect(try Asked(["limit": "capped"]).walk() == all)
        #expect(try Asked(["order": "oldest"]).walk() == all.reversed())
        #expect(try Asked(["filter": "updated"]).walk().count == all.count)
        for bad in ["", "?start=2026-01-01", "?\(Self.days)&limit=0", "?\(Self.days)&order=x", "?start=a&end=b"] {
            #expect(try Asked().v2(bad).status == 422)
        }
        let page = try JSONDocument(try Asked(["page-total": "pages"]).v2("?\(Self.days)&limit=10").body).root
        #expect(page["pageTotal"]?.integer == Int64((all.count + 9) / 10))
        #expect(page["total"]?.integer == Int64(all.count))
    }

    @Test("days are those of creation and counted in, or not, as it is switched")
    func days() throws {
        let asked = try Asked()
        let day = asked.api.now.adding(seconds: -3 * 86_400).utcDate
        let there = asked.api.shown().filter { $0.createdAt.utcDate == day }.map(\.id)
        #expect(!there.isEmpty)
        #expect(try asked.walk("start=\(day)&end=\(day)") == there)
        #expect(try Asked(["bounds": "exclusive"]).walk("start=\(day)&end=\(day)").isEmpty)
        #expect(try Asked(["filter": "updated"]).walk("start=\(day)&end=\(day)") != there)
    }

    @Test("the legacy list has its own names, numbers and meta; both shapes of what varies")
    func legacy() throws {
        for (inner, kind) in [("orders", "object"), ("order", "array")] {
            let asked = try Asked(["surface": "legacy", "inner": inner, "blockchain": kind])
            let answer = asked.signed("/api/orders?start_date=2014-01-01&end_date=2037-12-31&per_page=5&page=2")
            let root = try JSONDocument(answer.body).root
            #expect(root["meta"]?["current_page"]?.integer == 2 && root["meta"]?["per_page"]?.string == "5")
            let row = try #require(root["data"]?[inner]?.element(0))
            #expect(row["fiat_amount"]?.numberText != nil && row["blockchain"]?.isArray == (kind == "array"))
            let created = try #require(row["created_at"]?.string)
            #expect(created.count == 20 && created.hasPrefix(row["created_date"]?.string ?? "?"))
            let id = row["id"]?.string ?? ""
            let single = try JSONDocument(asked.signed("/api/orders/\(id)", shift: 1).body).root
            #expect(single["data"]?["order"]?["id"]?.string == id)
        }
    }

    @Test("a ramp names the sides by their direction, a sale's instructions and tags included")
    func ramps() throws {
        let asked = try Asked(["surface": "native"])
        var words: Set<String> = []
        for (number, shown) in asked.api.shown().enumerated() {
            let root = try JSONDocument(asked.signed("/eapi/v0/ramps/\(shown.id)", shift: Int64(number)).body).root
            let isPurchase = shown.direction == .in
            #expect((root["source"]?["fiat"] != nil) == isPurchase && (root["target"]?["crypto"] != nil) == isPurchase)
            #expect(root["externalId"] == nil && root["status"]?.string == shown.status)
            words.insert(shown.status)
        }
        #expect(words.isSuperset(of: ["FULFILLED", "PAYMENT_DECLINED", "REFUNDED", "EXPIRED", "RETRY_SCHEDULED"]))
        #expect(!words.contains { $0.contains(where: \.isLowercase) })
    }

    @Test("webhooks are signed over the path of the endpoint, in the form of the surface")
    func webhooks() throws {
        for (surface, member) in [("v2", "external_id"), ("native", "internal_reason"), ("legacy", "order_id")] {
            let asked = try Asked(["surface": surface, "dates": "joined", "quotes": "single"])
            let key = asked.api.source.secret("webhook-secret")
            var count = 0
            for line in asked.api.captureLines(night: 1).split(separator: 10).prefix(50) {
                let root = try JSONDocument(Array(line)).root
                guard let text = root["rawBody"]?.string, text.contains("order_id") else { continue }
                count += 1
                let header = root["headers"]?.members.first { $0.key.lowercased() == "authorization" }?.value.string
                let parts = (header ?? "").split(separator: ":")
                let message = "POST\n/hooks/banxa\n\(parts.last ?? "")\n\(text)"
                #expect(
                    parts.dropFirst().first.map(String.init)
                        == Hex.encode(HMACCode.sha256(key: key, message: Array(message.utf8))))
                #expect(text.contains(member) && text.contains("'order_id'") == (surface == "legacy"))
            }
            #expect(count > 10)
        }
    }

    @Test("the webhook vector of the sheet")
    func vector() throws {
        let asked = try Asked()
        let body = #"{"order_id":"0c1d2e3f405162738495a6b7c8d9eafb","status":"FULFILLED"}"#
        let delivery = Delivery(
            eventId: "", receivedAt: Timestamp(microseconds: 1_796_000_000_789_000), retry: 0, retryReason: nil,
            body: Array(body.utf8), night: 1, file: 0)
        let headers = asked.api.provider.headers(of: delivery, signedWith: Secret("sk_demo_9b7e2d"), capitals: true)
        #expect(headers.map(\.name) == ["Authorization"])
        let signature = "4f86ca1ad3892655308b6683cdc9112cf0434028d27218eb0cc9ef201db7aefd"
        #expect(headers[0].value == "Bearer \(asked.key):\(signature):1796000000789")
    }

    @Test("what it plays it plants; where rows do not name the order, a second charge of it is not told")
    func truth() throws {
        let rules = Set(Self.world.planted.map(\.rule))
        #expect(rules.isSuperset(of: ["duplicate_charge", "paid_unsettled", "expired_but_paid", "webhook_missing"]))
        #expect(
            Self.world.planted.allSatisfy {
                $0.subject.hasPrefix("order:BX-") || $0.subject.contains("banxa-sandbox/")
            })
        func planted(_ surface: String) -> Set<String> {
            let world = World(
                WorldShape(seed: 7, transactions: 1_200), providers: ["banxa"],
                switches: ["banxa": ["surface": surface]])
            return Set(world.planted.map(\.rule))
        }
        #expect(!planted("native").contains("duplicate_charge") && planted("native").contains("webhook_missing"))
        #expect(!planted("legacy").contains("webhook_missing") && planted("legacy").contains("paid_unsettled"))
    }

    @Test("a ramp is missed by its event in the night that first can, with a time of its last change or without")
    func silentRamps() throws {
        func opens(_ updated: String) -> Int? {
            let world = World(
                WorldShape(seed: 7, transactions: 1_200), providers: ["banxa"],
                switches: ["banxa": ["surface": "native", "updated": updated]])
            return world.planted.first { $0.rule == "webhook_missing" }?.standing.first?.night
        }
        #expect(opens("shown") == 1 && opens("absent") == 1)
    }

    @Test("assets with a tag show it as text, with the zeros it begins with")
    func tags() throws {
        let asked = try Asked()
        let rows = try asked.walk().compactMap { id in
            try JSONDocument(asked.v2("/\(id)").body).root
        }
        let tagged = rows.filter { ["XRP", "XLM"].contains($0["crypto"]?["id"]?.string) }
        #expect(tagged.count == 3)
        #expect(tagged.count { $0["walletAddressTag"]?.string?.hasPrefix("00") == true } == 2)
        #expect(tagged.count { $0["walletAddressTag"]?.string == "" } == 1)
        #expect(
            rows.filter { $0["crypto"]?["id"]?.string == "BTC" }.allSatisfy { $0["walletAddressTag"]?.string == "" })
    }
}
