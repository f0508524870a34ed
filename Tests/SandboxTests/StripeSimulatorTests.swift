import Crypto
import JSON
import Payments
import Testing

@testable import Sandbox

@Suite struct StripeSimulatorTests {
    private static let world = World(WorldShape(seed: 7, transactions: 1_200), providers: ["stripe"])
    private static let key = world.sources[0].secret("api-key").reveal()

    /// The API in this process, and a client that pages as the sheet says.
    private struct Asked {
        let api: SimulatedAPI

        init(_ spec: String = "", switches: [String: String] = [:], days: Int = 10) throws {
            let isUsual = switches.isEmpty && days == 10
            let shape = WorldShape(seed: 7, transactions: 1_200, days: days)
            let world =
                isUsual
                ? StripeSimulatorTests.world : World(shape, providers: ["stripe"], switches: ["stripe": switches])
            let api = SimulatedAPI(world: world, misbehaviour: try Misbehaviour(spec), wall: { Timestamp(seconds: 0) })
            self.api = try #require(api)
        }

        func get(_ target: String, authorization: String? = "Bearer \(StripeSimulatorTests.key)") -> APIResponse {
            let headers = authorization.map { [(name: "Authorization", value: $0)] } ?? []
            return api.answer(APIRequest(target: "/v1/\(target)", headers: headers))
        }

        func page(_ target: String) throws -> (root: JSONValue, rows: [JSONValue]) {
            let root = try JSONDocument(get(target).body).root
            return (root, root["data"].map { Array($0.elements) } ?? [])
        }

        func walk(_ path: String, _ query: String = "limit=100") throws -> [JSONValue] {
            var rows: [JSONValue] = []
            var after = ""
            for _ in 0..<1_000 {
                let (root, page) = try page("\(path)?\(query)\(after)")
                rows += page
                guard root["has_more"]?.boolValue == true, let last = page.last?["id"]?.string else { return rows }
                after = "&starting_after=\(last)"
            }
            return rows
        }
    }

    static let sessions = "crypto/onramp_sessions"

    @Test("only the key opens it, as user name or bearer; what is not documented is refused")
    func door() throws {
        let asked = try Asked()
        let basic = "Basic \(Base64.encode(Array("\(Self.key):".utf8)))"
        #expect(asked.get(Self.sessions, authorization: basic).status == 200)
        #expect(asked.get(Self.sessions).status == 200)
        for wrong in [nil, "", "Bearer x", "Basic \(Base64.encode(Array(Self.key.utf8)))"] {
            #expect(asked.get(Self.sessions, authorization: wrong).status == 401)
        }
        for bad in [
            "limit=101", "limit=0", "page=1", "created[gte]=2026-06-01", "starting_after=cos_x",
            "starting_after=cos_x&ending_before=cos_y",
        ] {
            #expect(asked.get("\(Self.sessions)?\(bad)").status == 400, "\(bad)")
        }
        let missing = asked.get("\(Self.sessions)/cos_missing")
        #expect(missing.status == 404)
        #expect(try JSONDocument(missing.body).root["error"]?["code"]?.string == "resource_missing")
        #expect(asked.get("charges").status == 404)
    }

    @Test("the list shows each session once, newest first; seconds at both bounds are inclusive")
    func walk() throws {
        let asked = try Asked()
        let all = try asked.walk(Self.sessions)
        let ids = all.compactMap { $0["id"]?.string }
        #expect(ids.count > 40 && Set(ids).count == ids.count)
        #expect(ids == asked.api.ids("transaction"))
        #expect(try asked.walk(Self.sessions, "limit=7").compactMap { $0["id"]?.string } == ids)
        #expect(try asked.page(Self.sessions).rows.count == 10)
        let second = try #require(all[5]["created"]?.integer)
        let same = all.filter { $0["created"]?.integer == second }.count
        for bounds in [
            "created=\(second)", "created[gte]=\(second)&created[lte]=\(second)",
            "created[gt]=\(second - 1)&created[lt]=\(second + 1)",
        ] {
            #expect(try asked.walk(Self.sessions, bounds).count == same)
        }
        #expect(
            try asked.walk(Self.sessions, "status=rejected&limit=100").allSatisfy { $0["status"]?.string == "rejected" }
        )
        let one = try JSONDocument(asked.get("\(Self.sessions)/\(ids[0])").body).root
        #expect(one["id"]?.string == ids[0])
    }

    @Test(
        "amounts are texts in major units; a dollar coin tells whether the source includes the fees",
        arguments: ["includes", "excludes"])
    func amounts(reading: String) throws {
        let asked = try Asked(switches: ["source": reading])
        var told = 0
        for row in try asked.walk(Self.sessions) {
            guard let details = row["transaction_details"], let source = details["source_amount"]?.string,
                let network = details["fees"]?["network_fee_amount"]?.string,
                let fee = details["fees"]?["transaction_fee_amount"]?.string,
                details["destination_currency"]?.string == "usdc", details["source_currency"]?.string == "usd",
                let delivered = details["destination_amount"]?.string
            else { continue }
            told += 1
            let parts = [delivered] + (reading == "includes" ? [network, fee] : [])
            #expect(try Self.units(source) == parts.reduce(0) { $0 + (try Self.units($1)) })
        }
        #expect(told > 0)
    }

    /// In millionths.
    private static func units(_ text: String) throws -> Int {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let fraction = parts.count == 2 ? parts[1] : ""
        let padded = fraction + String(repeating: "0", count: max(0, 6 - fraction.count))
        return try #require(Int("\(parts[0])\(padded)"))
    }

    @Test("the chain's hash is there at the end alone, the secret always")
    func members() throws {
        var seen: Set<String> = []
        for row in try Asked().walk(Self.sessions) {
            let status = try #require(row["status"]?.string)
            seen.insert(status)
            #expect(
                (row["transaction_details"]?["transaction_id"]?.string != nil) == (status == "fulfillment_complete"))
            #expect(row["client_secret"]?.string?.isEmpty == false)
            #expect(row["livemode"]?.boolValue == false)
        }
        #expect(
            seen.isSuperset(of: [
                "initialized", "fulfillment_processing", "fulfillment_complete", "rejected", "retry_scheduled",
            ]))
    }

    @Test("events go back 30 days and no further; each is the one that was delivered")
    func events() throws {
        let asked = try Asked(days: 40)
        let rows = try asked.walk("events")
        let oldest = asked.api.now.adding(seconds: -30 * 86_400).microseconds / 1_000_000
        #expect(!rows.isEmpty)
        #expect(rows.allSatisfy { ($0["created"]?.integer ?? 0) >= oldest })
        let all = Set(asked.api.provider.items.filter { $0.shelf == "event" && $0.createdAt < asked.api.now }.map(\.id))
        #expect(all.count > rows.count)
        let listed = Set(rows.compactMap { $0["id"]?.string })
        let gone = try #require(all.subtracting(listed).first { _ in true })
        #expect(asked.get("events/\(gone)").status == 404)
        // What a capture holds is in the log, but for what nobody of the account has sent.
        let fresh = try Asked()
        let log = Dictionary(
            try fresh.walk("events").map { ($0["id"]?.string ?? "", $0["data"]?["object"]?["status"]?.string) },
            uniquingKeysWith: { first, _ in first })
        var captured: Set<String> = []
        for line in fresh.api.captureLines(night: 1).split(separator: 10) {
            let text = try JSONDocument(Array(line)).root["rawBody"]?.string ?? "{}"
            let body = try JSONDocument(Array(text.utf8)).root
            guard body["type"]?.string == StripeSimulator.eventType, let id = body["id"]?.string,
                let status = log[id]
            else { continue }
            captured.insert(id)
            #expect(status == body["data"]?["object"]?["status"]?.string)
        }
        #expect(captured.count > 40)
        #expect(log.count > captured.count)
    }

    @Test("types select events, by name and by wildcard; both together do not")
    func types() throws {
        let asked = try Asked()
        #expect(try asked.walk("events", "type=charge.succeeded").count == 1)
        let ours = try asked.walk("events", "type=\(StripeSimulator.eventType)&limit=100")
        #expect(ours.count > 40)
        #expect(try asked.walk("events", "type=crypto.*&limit=100").count == ours.count)
        #expect(try asked.walk("events").count == ours.count + 1)
        #expect(asked.get("events?type=a&types[]=b").status == 400)
        #expect(try Asked(switches: ["wildcard": "refused"]).get("events?type=crypto.*").status == 400)
    }

    @Test("a delivery is signed over its time and its exact bytes, as the sheet's vector is")
    func signature() throws {
        let asked = try Asked()
        let delivery = Delivery(
            eventId: "", receivedAt: Timestamp(seconds: 1_785_499_200), retry: 0, retryReason: nil,
            body: Array("{\"id\":\"evt_1\",\"object\":\"event\"}".utf8), night: 1, file: 0)
        let headers = asked.api.provider.headers(of: delivery, signedWith: Secret("whsec_test_secret"), capitals: false)
        #expect(headers.map(\.name) == ["Stripe-Signature"])
        #expect(
            headers[0].value.hasPrefix(
                "t=1785499200,v1=8f83adc958aec9dafca5bf0afee1e5285ddd54927154c26c0ab90e4cb705bb66,v0="))
    }
}
