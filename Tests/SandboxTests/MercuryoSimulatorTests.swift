import Crypto
import JSON
import Payments
import Testing

@testable import Sandbox

@Suite struct MercuryoSimulatorTests {
    private static let world = World(WorldShape(seed: 7, transactions: 1_200), providers: ["mercuryo"])
    private static let token = world.sources[0].secret("api-key").reveal()

    /// The API in this process, and a client that counts rows as the sheet says.
    private struct Asked {
        let api: SimulatedAPI

        init(_ spec: String = "", switches: [String: String] = [:]) throws {
            let world =
                switches.isEmpty
                ? MercuryoSimulatorTests.world
                : World(
                    WorldShape(seed: 7, transactions: 1_200), providers: ["mercuryo"], switches: ["mercuryo": switches])
            let api = SimulatedAPI(world: world, misbehaviour: try Misbehaviour(spec), wall: { Timestamp(seconds: 0) })
            self.api = try #require(api)
        }

        func get(_ query: String, token: String? = MercuryoSimulatorTests.token, path: String = "transactions")
            -> APIResponse
        {
            let headers = token.map { [(name: "Sdk-Partner-Token", value: $0)] } ?? []
            return api.answer(
                APIRequest(target: "/v1.6/sdk-partner/\(path)\(query.isEmpty ? "" : "?\(query)")", headers: headers))
        }

        func page(_ query: String) throws -> (root: JSONValue, rows: [JSONValue]) {
            let root = try JSONDocument(get(query).body).root
            return (root, root["data"].map { Array($0.elements) } ?? [])
        }

        func walk(_ query: String = "", limit: Int = 50) throws -> [String] {
            var ids: [String] = []
            for page in 0..<1_000 {
                let rows = try self.page("\(query.isEmpty ? "" : "\(query)&")limit=\(limit)&offset=\(page * limit)")
                    .rows
                if rows.isEmpty { return ids }
                ids += rows.compactMap { MercuryoSimulatorTests.main($0)?["transaction_id"]?.string }
            }
            return ids
        }
    }

    private static func main(_ row: JSONValue) -> JSONValue? {
        row["mobile_pay"] ?? row["buy"] ?? row["buy_acquirer"] ?? row["sell"]
    }

    @Test("only the right token opens the one list there is")
    func door() throws {
        let asked = try Asked()
        #expect(asked.get("").status == 200)
        for wrong in [nil, "", "x", Self.token + "0"] {
            let answer = asked.get("", token: wrong)
            #expect(answer.status == 401)
            #expect(try JSONDocument(answer.body).root["code"]?.integer == 401_000)
        }
        #expect(asked.get("", path: "transaction").status == 404)
        for bad in ["limit=51", "limit=0", "offset=-1", "date_start=yesterday", "page=1"] {
            #expect(asked.get(bad).status == 400, "\(bad)")
        }
    }

    @Test("limit and offset walk over every payment once, newest first, and the total says how many")
    func walk() throws {
        let asked = try Asked()
        let all = try asked.walk()
        #expect(all.count > 40 && Set(all).count == all.count)
        #expect(all == asked.api.ids("transaction"))
        #expect(try asked.walk(limit: 7) == all)
        #expect(try asked.page("").root["total"]?.integer == Int64(all.count))
        #expect(try asked.page("limit=5").root["next"]?.isNull == true)
        let turned = try Asked(switches: ["order": "oldest", "next": "url"])
        #expect(try turned.walk() == all.reversed())
        #expect(try turned.page("limit=5").root["next"]?.string?.hasSuffix("offset=5") == true)
    }

    @Test("days are whole days of creation in UTC; whether the last one counts is a switch")
    func days() throws {
        let asked = try Asked()
        let day = asked.api.now.adding(seconds: -3 * 86_400).utcDate
        let there = asked.api.shown().filter { $0.createdAt.utcDate == day }.map(\.id)
        #expect(!there.isEmpty)
        #expect(try asked.walk("date_start=\(day)&date_end=\(day)") == there)
        let turned = try Asked(switches: ["dates": "exclusive"])
        #expect(try turned.walk("date_start=\(day)&date_end=\(day)").isEmpty)
    }

    @Test("a purchase is one element of linked operations; the withdrawal is there once the money was taken")
    func elements() throws {
        let rows = try Asked().page("").rows + Asked().page("offset=50").rows
        let kinds = Set(rows.flatMap { $0.members.map { $0.key } })
        #expect(kinds.isSuperset(of: ["mobile_pay", "buy", "withdraw", "sell", "deposit"]))
        for row in rows {
            let main = try #require(Self.main(row))
            guard let withdraw = row["withdraw"] else {
                #expect(row["sell"] != nil || main["status"]?.string != "paid")
                continue
            }
            #expect(["paid", "refunded", "retry_scheduled"].contains(main["status"]?.string))
            #expect(withdraw["transaction_id"]?.string == main["transaction_id"]?.string)
            #expect((withdraw["hash"]?.string != nil) == (withdraw["status"]?.string == "completed"))
        }
    }

    @Test(
        "signatures are those of the sheet's vectors, whichever reading of them is on",
        arguments: [
            ("raw", "0b5ca69c4d1e01b7f2b6440f1787e5ecd890969fddcba619431785d668c1ad66"),
            ("stripped", "b8b87313c9ac4dfce3a2d53ef2d385b528bb8685b263bbca9b3be0a72ea278b4"),
        ])
    func vectors(reading: String, signature: String) throws {
        let asked = try Asked(switches: ["signature": reading])
        let body = #"{"data":{"id":"0f1","status":"paid","updated_at":"2026-07-31 12:00:21"}}"#
        let delivery = Delivery(
            eventId: "", receivedAt: asked.api.now, retry: 0, retryReason: nil, body: Array(body.utf8), night: 1,
            file: 0)
        let headers = asked.api.provider.headers(of: delivery, signedWith: Secret("mercuryo-sign-key"), capitals: true)
        #expect(headers.map(\.name) == ["X-Signature"] && headers[0].value == signature)
    }

    @Test("callbacks tell each change of each operation, signed; money given back is told by none")
    func callbacks() throws {
        let asked = try Asked()
        let key = Self.world.sources[0].secret("webhook-secret")
        var types: Set<String> = []
        var forged = 0
        for line in asked.api.captureLines(night: 1).split(separator: 10) {
            let root = try JSONDocument(Array(line)).root
            let text = root["rawBody"]?.string ?? ""
            guard !text.isEmpty else { continue }
            let data = try #require(try JSONDocument(Array(text.utf8)).root["data"])
            types.insert("\(data["type"]?.string ?? "") \(data["status"]?.string ?? "")")
            let given = root["headers"]?.members.first { $0.key.lowercased() == "x-signature" }?.value.string
            if given != Hex.encode(HMACCode.sha256(key: key, message: Array(text.utf8))) { forged += 1 }
        }
        // The one that nobody can prove.
        #expect(forged == 1)
        #expect(types.isSuperset(of: ["buy new", "buy paid", "withdraw new", "withdraw completed", "sell succeeded"]))
        #expect(!types.contains { $0.hasSuffix("refunded") || $0.hasSuffix("retry_scheduled") })
    }

    @Test("misbehaviour comes from the shared layer: it strikes here as anywhere")
    func misbehaviour() throws {
        let all = try Asked().walk()
        #expect(try Asked("429").get("").status == 429)
        #expect(try Asked("expired").get("offset=50").status == 400)
        #expect(try Asked("short:rows=3").page("").rows.count == 3)
        #expect(try Asked("silent").walk().isEmpty)
        #expect(try Asked("empty").page("").rows.isEmpty)
        #expect(try JSONDocument(Asked("bare").get("").body).root.isArray)
        #expect(try Asked("total:off=9").page("").root["total"]?.integer == Int64(all.count + 9))
        #expect(try Asked("duplicate:rows=3").page("limit=20").rows.count == 23)
        func rows(_ spec: String, _ matches: (JSONValue) -> Bool) throws -> Int {
            try Asked(spec).page("").rows.count { Self.main($0).map(matches) ?? matches($0) }
        }
        #expect(try rows("bad:rows=1") { $0["fiat_amount"]?.string == "12.3.4" } == 1)
        #expect(try rows("bad-type:rows=1") { $0["fiat_amount"]?.isObject == true } >= 1)
        #expect(try rows("bad-status:rows=1") { $0["status"]?.string == "retry_scheduled" } >= 1)
        #expect(try Asked("bad-field:rows=1").page("").rows.contains { $0["unheard_of"] != nil })
        let widgets = Set(try Asked("stranger").page("").rows.compactMap { Self.main($0)?["widget_id"]?.string })
        #expect(widgets.count == 3)
        // Offsets shift with what comes in between.
        let late = try Asked("insert:after=1:rows=1").walk(limit: 2)
        #expect(Array(late.prefix(3)) == [all[1], all[2], all[2]])
        #expect(try Asked("late:rows=4").walk().count == all.count - 4)
    }

    @Test("what it plays it plants, under its own source; the truth agrees with itself")
    func truth() throws {
        let rules = Set(Self.world.planted.map(\.rule))
        #expect(rules.isSuperset(of: ["duplicate_charge", "paid_unsettled", "amount_mismatch", "taken_not_returned"]))
        #expect(
            Self.world.planted.allSatisfy {
                $0.subject.hasPrefix("order:MC-") || $0.subject.contains("mercuryo-sandbox/")
            })
        #expect(Self.world.quarantined.count == 1)
        let both = World(WorldShape(seed: 7, transactions: 1_200), providers: ["meld", "mercuryo"])
        #expect(both.planted.count == Self.world.planted.count + sampleWorld.planted.count)
        #expect(both.sources[0].trades.map(\.id) == sampleWorld.trades.map(\.id))
        #expect(Set(both.orders.map(\.id)).count == both.orders.count)
    }
}
