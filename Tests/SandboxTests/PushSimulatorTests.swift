import Crypto
import JSON
import Payments
import Testing

@testable import Sandbox

@Suite("Push Cash, simulated")
struct PushSimulatorTests {
    static let world = World(WorldShape(seed: 11, transactions: 400), providers: ["push"])

    static func api(_ switches: [String: String] = [:]) throws -> SimulatedAPI {
        let world =
            switches.isEmpty
            ? Self.world
            : World(WorldShape(seed: 11, transactions: 400), providers: ["push"], switches: ["push": switches])
        let api = try #require(SimulatedAPI(world: world, source: "push-sandbox"))
        api.set(now: world.shape.night(3))
        return api
    }

    private static func get(_ api: SimulatedAPI, _ target: String, key: String? = nil) -> APIResponse {
        let own = Self.world.source("push-sandbox")?.secret("api-key").reveal() ?? ""
        return api.answer(APIRequest(target: target, headers: [("Authorization", "Bearer \(key ?? own)")]))
    }

    /// All rows of a list, page by page.
    private static func rows(_ api: SimulatedAPI, _ list: String) throws -> [JSONValue] {
        var rows: [JSONValue] = []
        var target = "/\(list)/list"
        for _ in 0..<200 {
            let response = get(api, target)
            #expect(response.status == 200)
            let root = try JSONDocument(response.body).root
            rows += root["data"].map { Array($0.elements) } ?? []
            guard let next = root["next_cursor"]?.string else { return rows }
            #expect(next.hasSuffix("=="))
            target = "/\(list)/list?cursor=\(next.replacing("=", with: "%3D"))"
        }
        Issue.record("the list has no end")
        return rows
    }

    private static func cents(_ row: JSONValue) -> Int64 { row["amount"]?.integer ?? 0 }

    @Test("a transfer is the exact net of its transactions, but for the one that is planted, and no line is in two")
    func nets() throws {
        let api = try Self.api()
        let transfers = try Self.rows(api, "transfer")
        #expect(transfers.count >= 8)
        var seen: Set<String> = []
        var off: [Int64] = []
        for transfer in transfers {
            let lines = try #require(transfer["transactions"])
            let sum = lines.elements.reduce(Int64(0)) { $0 + Self.cents($1) }
            let amount = Self.cents(transfer) * (transfer["direction"]?.string == "debit" ? -1 : 1)
            if amount != sum { off.append(amount - sum) }
            for line in lines.elements {
                #expect(line["status"]?.string == "settled")
                #expect(seen.insert(try #require(line["id"]?.string)).inserted)
            }
            // 16:00 in New York, at four hours behind UTC.
            #expect(transfer["created_at"]?.string?.hasSuffix("T20:00:00.000Z") == true)
        }
        #expect(off == [-1_727])
        #expect(api.world.planted.filter { $0.rule == "payout_variance" }.map(\.difference) == ["-17.27"])
    }

    @Test("in the older ledger a transfer has a transaction of its own that offsets it")
    func oldLedger() throws {
        let api = try Self.api(["ledger": "old"])
        for transfer in try Self.rows(api, "transfer") {
            let lines = try #require(transfer["transactions"])
            let own = lines.elements.filter { $0["type"]?.string == "transfer" }
            #expect(own.count == 1)
            let amount = Self.cents(transfer) * (transfer["direction"]?.string == "debit" ? -1 : 1)
            #expect(own.first.map(Self.cents) == -amount)
            #expect(lines.elements.allSatisfy { $0["balance"]?.string == "settlement" && $0["account_id"] == nil })
        }
    }

    @Test("each approved intent, refund and dispute has its line; there is one refund for an intent")
    func lines() throws {
        let api = try Self.api()
        let lines = try Self.rows(api, "transaction")
        let sources = Set(lines.compactMap { $0["source_id"]?.string })
        for intent in try Self.rows(api, "intent") where intent["status"]?.string == "approved" {
            #expect(sources.contains(try #require(intent["id"]?.string)))
            #expect(intent["transactions"]?.count == 1)
        }
        let refunds = try Self.rows(api, "refund")
        #expect(!refunds.isEmpty)
        #expect(Set(refunds.compactMap { $0["intent_id"]?.string }).count == refunds.count)
        let disputes = try Self.rows(api, "dispute")
        #expect(Set(disputes.compactMap { $0["code"]?.string }) == ["10.4", "R01"])
        for record in refunds + disputes { #expect(sources.contains(try #require(record["id"]?.string))) }
        for line in lines {
            #expect((Self.cents(line) < 0) == (line["direction"]?.string == "debit"))
        }
    }

    @Test("windows and arrays select as documented; whatever is not known, a bad cursor or a bad key is refused")
    func strictness() throws {
        let api = try Self.api()
        #expect(Self.get(api, "/intent/list", key: "pcsk_production_x.y").status == 401)
        #expect(Self.get(api, "/intent/list", key: "").status == 401)
        for target in [
            "/intent/list?limit=5", "/intent/list?status=settled", "/refund/list?status=created",
            "/intent/list?created_at.after=yesterday", "/intent/list?cursor=abc%3D%3D", "/intent/list?cursor=abc",
            "/dispute/list?account_id=x",
        ] {
            #expect(Self.get(api, target).status == 400, "\(target)")
        }
        for target in ["/event/list", "/intent", "/intent/none", "/keys/verify"] {
            #expect(Self.get(api, target).status == 404, "\(target)")
        }
        func ids(_ target: String) throws -> [String] {
            let root = try JSONDocument(Self.get(api, target).body).root
            return root["data"]?.elements.compactMap { $0["id"]?.string } ?? []
        }
        let repeated = try ids("/intent/list?status=declined&status=canceled")
        #expect(!repeated.isEmpty)
        #expect(try ids("/intent/list?status=declined,canceled") == repeated)
        let intent = try #require(try Self.rows(api, "intent").last)
        let moment = try #require(intent["created_at"]?.string)
        let after = try ids("/intent/list?created_at.after=\(moment)&created_at.before=2026-06-02T00:00:00Z")
        #expect(!after.contains(try #require(intent["id"]?.string)))
        let inclusive = try Self.api(["after": "inclusive"])
        let target = "/intent/list?created_at.after=\(moment)&created_at.before=2026-06-02T00:00:00Z"
        let listed = try JSONDocument(Self.get(inclusive, target).body).root["data"]
        #expect(listed?.elements.contains { $0["id"]?.string == intent["id"]?.string } == true)
    }

    @Test("an event is signed over its bytes with the payment's own secret; only approvals and declines are told")
    func events() throws {
        let source = try #require(Self.world.source("push-sandbox"))
        let simulator = PushSimulator(source)
        let deliveries = Deliveries(simulator).all()
        var kinds: Set<String> = []
        for delivery in deliveries {
            let root = try JSONDocument(delivery.body).root
            kinds.insert("\(root["type"]?.string ?? "") \(root["data"]?["status"]?.string ?? "")")
            let trade = try #require(delivery.trade.map { source.trades[$0] })
            #expect(root["data"]?["id"]?.string == trade.id)
            let key = simulator.webhookSecret(of: trade)
            #expect(key.reveal().utf8.count >= 32)
            let headers = simulator.headers(of: delivery, signedWith: key, capitals: false)
            #expect(
                headers.map(\.value) == [Hex.encode(HMACCode.sha256(key: key, message: delivery.body))])
        }
        #expect(kinds == ["intent.approved approved", "intent.approved pending", "intent.declined declined"])
        let secrets = Set(source.trades.map { simulator.webhookSecret(of: $0).reveal() })
        #expect(secrets.count == source.trades.count)
    }

    @Test("what is planted is what Push alone can show: unsettled, in no transfer, short, come back, a sandbox intent")
    func plants() {
        let rules = Set(Self.world.planted.map(\.rule))
        for rule in [
            "paid_unsettled", "settlement_missing", "payout_variance", "refund_mismatch", "dispute_unbooked",
            "credited_unpaid", "environment_mixed", "webhook_missing", "duplicate_charge",
        ] {
            #expect(rules.contains(rule), "\(rule)")
        }
        #expect(Self.world.planted.contains { $0.subject.contains("intent_sandbox_") })
        #expect(Self.world.sources[0].trades.contains { $0.direction == .out })
    }
}
