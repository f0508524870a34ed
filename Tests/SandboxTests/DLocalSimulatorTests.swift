import Crypto
import JSON
import Payments
import Testing

@testable import Sandbox

@Suite struct DLocalSimulatorTests {
    private static let shape = WorldShape(seed: 7, transactions: 1_200)
    private static let world = World(shape, providers: ["dlocal"])
    private static let source = world.sources[0]

    /// A client that signs as the sheet says.
    private struct Client {
        let api: SimulatedAPI
        let source: SimulatedSource

        init(switches: [String: String] = [:], night: Int = 3) throws {
            let world =
                switches.isEmpty
                ? DLocalSimulatorTests.world
                : World(DLocalSimulatorTests.shape, providers: ["dlocal"], switches: ["dlocal": switches])
            let made = SimulatedAPI(world: world, wall: { Timestamp(seconds: 0) })
            api = try #require(made)
            source = world.sources[0]
            api.set(now: world.shape.night(night))
        }

        func headers(date: String = "2018-07-12T13:46:28.629Z") -> [(name: String, value: String)] {
            let message = Array((source.secret("login").reveal() + date).utf8)
            let code = Hex.encode(HMACCode.sha256(key: source.secret("secret_key"), message: message))
            return [
                ("X-Date", date), ("X-Login", source.secret("login").reveal()),
                ("X-Trans-Key", source.secret("trans_key").reveal()),
                ("Authorization", "V2-HMAC-SHA256, Signature: \(code)"),
            ]
        }

        func get(_ target: String, headers: [(name: String, value: String)]? = nil) -> APIResponse {
            api.answer(APIRequest(target: target, headers: headers ?? self.headers()))
        }

        func json(_ target: String) throws -> JSONValue { try JSONDocument(get(target).body).root }
    }

    private func code(_ response: APIResponse) throws -> Int64? {
        try JSONDocument(response.body).root["code"]?.integer
    }

    @Test("an old date opens the door; what is missing or wrong is told as the sheet says, and never by 401")
    func door() throws {
        let client = try Client()
        let path = "/payments-methods?country=BR"
        #expect(client.get(path).status == 200)
        for name in ["X-Date", "X-Login", "Authorization", "X-Trans-Key"] {
            let answer = client.get(path, headers: client.headers().filter { $0.name != name })
            #expect(answer.status == 400)
            #expect(try code(answer) == 5001)
        }
        func changed(_ name: String, _ value: String) -> APIResponse {
            client.get(path, headers: client.headers().map { $0.name == name ? (name, value) : $0 })
        }
        #expect(changed("X-Trans-Key", "x").status == 403)
        #expect(changed("X-Login", "x").status == 403)
        #expect(changed("Authorization", "V1, Signature: 00").status == 400)
        #expect(changed("X-Date", "yesterday").status == 400)
        // Another date than the one that was signed.
        let other = changed("X-Date", "2018-07-12T13:46:28.630Z")
        #expect(other.status == 400)
        #expect(try code(other) == 5000)
    }

    @Test("there is no list of anything; an unrouted path is plain text, an unknown record is not")
    func nothingListed() throws {
        let client = try Client()
        for path in ["/payments", "/refunds", "/orders", "/chargebacks", "/payments/T-1/refunds", "/v1/payments"] {
            let answer = client.get(path)
            #expect(answer.status == 404)
            #expect(String(decoding: answer.body, as: UTF8.self) == "NOT_FOUND")
        }
        #expect(try code(client.get("/payments/T-0")) == 4000)
        #expect(try code(client.get("/orders/A-0")) == 4000)
        #expect(try code(client.get("/chargebacks/C-0")) == 4000)
        #expect(try code(client.get("/refunds/R-0")) == 4001)
    }

    @Test("every order names a payment that can be read; code, date and amount have the shapes of the sheet")
    func payments() throws {
        let client = try Client()
        let shown = client.api.shown()
        #expect(shown.count >= 60)
        for payment in shown {
            let order = try client.json("/orders/\(payment.bookOrder)")
            #expect(order["order_id"]?.string == payment.bookOrder)
            #expect(order["payment_id"]?.string?.hasPrefix("T-648-") == true)
            let row = try client.json("/payments/\(payment.id)")
            #expect(row["id"]?.string == payment.id)
            #expect(row["status"]?.string == payment.status)
            #expect(row["status_code"]?.kind == .string)
            #expect(row["refunds"]?.isArray == true)
            #expect(row["created_date"]?.string?.hasSuffix("+0000") == true)
            #expect(try client.json("/payments/\(payment.id)/status")["status"]?.string == payment.status)
        }
        let minus = try Client(switches: ["dates": "minus"])
        #expect(try minus.json("/payments/\(shown[0].id)")["created_date"]?.string?.hasSuffix("-00:00") == true)
    }

    @Test("an authorization and its capture are two payments; which of them the order names is a switch")
    func captures() throws {
        let client = try Client()
        let simulator = DLocalSimulator(client.source)
        #expect(simulator.authorizations.count == 3)
        for (index, held) in simulator.authorizations {
            let capture = client.source.trades[index]
            let authorization = client.source.trades[held]
            let row = try client.json("/payments/\(capture.id)")
            #expect(row["authorization_id"]?.string == authorization.id)
            #expect(row["status"]?.string == "PAID")
            #expect(try client.json("/payments/\(authorization.id)")["status"]?.string == "AUTHORIZED")
            #expect(try client.json("/orders/\(capture.bookOrder)")["payment_id"]?.string == authorization.id)
            let turned = try Client(switches: ["order": "capture"])
            #expect(try turned.json("/orders/\(capture.bookOrder)")["payment_id"]?.string == capture.id)
        }
    }

    @Test("refunds and chargebacks are objects of their own with numbers as codes; the payment stays paid")
    func returns() throws {
        let client = try Client()
        let refunds = client.api.ids("refund")
        #expect(!refunds.isEmpty)
        for id in refunds {
            let row = try client.json("/refunds/\(id)")
            #expect(row["status_code"]?.kind == .number)
            let payment = try client.json("/payments/\(row["payment_id"]?.string ?? "")")
            #expect(payment["status"]?.string == "PAID")
            #expect(payment["refunds"]?.elements.contains { $0["id"]?.string == id } == true)
        }
        let words = try Set(client.api.ids("dispute").map { try client.json("/chargebacks/\($0)")["status"]?.string })
        #expect(words == ["INQUIRY", "DISPUTE_LOST"])
        let ids = try Client(switches: ["refunds": "ids"])
        let parent = try client.json("/refunds/\(refunds[0])")["payment_id"]?.string ?? ""
        #expect(try ids.json("/payments/\(parent)")["refunds"]?.elements.contains { $0.string == refunds[0] } == true)
        let empty = try Client(switches: ["refunds": "empty"])
        #expect(try empty.json("/payments/\(parent)")["refunds"]?.elements.contains { _ in true } == false)
    }

    @Test("notifications are signed over login, date and body; the truth knows a forged one by its bytes")
    func notifications() throws {
        let client = try Client()
        let provider = DLocalSimulator(client.source)
        let deliveries = Deliveries(provider).all()
        #expect(deliveries.count > 60)
        for delivery in deliveries.prefix(50) {
            let headers = provider.headers(
                of: delivery, signedWith: client.source.secret("secret_key"), capitals: true)
            let date = headers.first { $0.name == "X-Date" }?.value ?? ""
            let message = Array((client.source.secret("login").reveal() + date).utf8) + delivery.body
            let code = Hex.encode(HMACCode.sha256(key: client.source.secret("secret_key"), message: message))
            #expect(headers.contains { $0.name == "Authorization" && $0.value == "V2-HMAC-SHA256, Signature: \(code)" })
        }
        let first = deliveries.first { $0.isForged }
        let forged = try #require(first)
        let digest = Hex.encode(Digest.sha256(forged.body))
        #expect(Self.world.planted.contains { $0.rule == "webhook_unverified" && $0.subject.hasSuffix("/\(digest)") })
        let kinds = try Set(
            deliveries.map { delivery in
                try JSONDocument(delivery.body).root["id"]?.string?.prefix { $0 != "-" && !$0.isNumber }
            })
        #expect(kinds == ["T", "REF", "CHAR"])
    }

    @Test("a day's report has two headers, padded rows, signs as inferred, and heads that are the sums of its rows")
    func report() throws {
        for separator in ["comma", "semicolon"] {
            let client = try Client(switches: ["separator": separator])
            let mark: Character = separator == "comma" ? "," : ";"
            let files = (1...3).flatMap { client.api.settlementFiles(night: $0) }
            #expect(files.count > 5)
            #expect(Set(files.map(\.name)).count == files.count)
            var types: Set<String> = []
            var short = 0
            for (name, bytes) in files {
                #expect(name.hasSuffix("_190000.csv"))
                let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                    .map { $0.split(separator: mark, omittingEmptySubsequences: false).map(String.init) }
                #expect(Set(rows.map(\.count)) == [25])
                #expect(rows[0][0] == "ROW_TYPE" && rows[1][0] == "HEADER" && rows[2][0] == "ROW_TYPE")
                #expect(Int(rows[1][2]) == rows.count - 3)
                var sums = [Amount.zero, .zero, .zero]
                for row in rows.dropFirst(3) {
                    types.insert(row[0])
                    let (gross, fee, net) = (Self.amount(row[11]), Self.amount(row[12]), Self.amount(row[13]))
                    #expect(gross + fee == net)
                    #expect(!(Amount.zero < fee))
                    if ["REFUND", "CHARGEBACK"].contains(row[0]) { #expect(gross < .zero && row[8].first != "-") }
                    for (place, amount) in [gross, fee, net].enumerated() { sums[place] += amount }
                }
                // One transfer is short of its rows; which, the truth says.
                let isShort = Self.world.planted.contains {
                    $0.rule == "payout_variance" && $0.subject == "payout:dlocal-sandbox/\(rows[1][7])"
                }
                if isShort { sums[2] = sums[2] - Amount(1_727, digits: 2) }
                short += isShort ? 1 : 0
                #expect([3, 4, 5].map { Self.amount(rows[1][$0]) } == sums)
            }
            #expect(short == 1)
            #expect(types.isSuperset(of: ["PAYMENT", "CAPTURE", "REFUND", "CHARGEBACK", "SETTLEMENT_FEE"]))
        }
    }

    /// Up to six digits behind the point.
    private static func amount(_ text: String) -> Amount {
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        let digits = parts.count == 2 ? String(parts[1]) : ""
        let amount = Amount(Int(parts[0] + digits) ?? 0, digits: digits.count)
        return isNegative ? -amount : amount
    }

    @Test("for Brazil the gross is less than the rate says, elsewhere it is just that")
    func tax() throws {
        let api = try Client().api
        let files = (1...3).flatMap { api.settlementFiles(night: $0) }
        var seen: Set<String> = []
        for (_, bytes) in files {
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("PAYMENT") {
                let row = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                let back = Self.amount(row[11]).scaled(
                    by: row[9] == "BRL" ? 5_400 : 17_250, over: 1_000, digits: 6)
                let local = Self.amount(row[8])
                seen.insert(row[9])
                let cent = Amount(1, digits: 2)
                if row[9] == "MXN" { #expect(local - back < cent) }
                if row[9] == "BRL" { #expect(cent < local - back) }
            }
        }
        #expect(seen == ["BRL", "MXN"])
    }
}
