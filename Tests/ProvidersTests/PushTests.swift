import HTTP
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Push Cash: records")
struct PushTests {
    static func push(
        environment: String = "sandbox", secrets: [String] = [], options: [String: String] = [:],
        apiBase: String? = nil, key: String = "pcsk_sandbox_pub1.priv1"
    ) throws -> Push {
        let configuration = try PushConfiguration(
            ProviderOptions(
                environment: environment, apiBase: apiBase,
                apiKey: Secret(environment == "live" && key.contains("sandbox") ? "pcsk_production_pub1.priv1" : key),
                webhookSecrets: secrets.map { Secret($0) }, options: options))
        return Push(configuration: configuration, statusMap: try Maps.push(), currencies: try Maps.currencies())
    }

    /// Made once: their redactions take a moment.
    private static let made = Result { (sandbox: try push(), live: try push(environment: "live")) }

    static func mapping(_ resource: String, environment: String = "sandbox") throws -> any ElementMapping {
        let made = try made.get()
        return try #require((environment == "live" ? made.live : made.sandbox).resource(named: resource)).mapping
    }

    static func map(
        _ resource: String, _ text: String, environment: String = "sandbox"
    ) throws -> MappedTransaction {
        try mapping(resource, environment: environment).map(try JSONDocument(text).root)
    }

    static let intentID = "intent_sandbox_AbCdEfGhIjKlMnOpQrStUv"
    static let ledgerLine =
        #"{"id":"txn_demo0000000000000001","amount":5000,"currency":"USD","created_at":"2026-11-27T18:04:06.000Z","date":"2026-11-30","batch":"400001","account_id":"account_demo0000000000000001","type":"intent","source_id":"\#(intentID)","status":"pending","direction":"credit"}"#
    static let account =
        #"{"id":"account_demo0000000000000001","type":"settlement","name":"Settlement Account","created_at":"2026-01-01T00:00:00.000Z"}"#
    static let intent =
        #"{"id":"\#(intentID)","idempotency_key":"ord-1001","created_at":"2026-11-27T18:04:05.123Z","direction":"cash_in","user_id":"user_Zz11Yy22Xx33Ww44Vv55Uu","amount":5000,"currency":"USD","guarantee_amount":5000,"status":"approved","decline_category":null,"transactions":[\#(ledgerLine)],"dispute":null,"refund":null,"credential":{"display_name":"Visa","last4":"4444"},"rail":"card","account":\#(account),"type":"card_only_debit"}"#
    static let declinedIntent =
        #"{"id":"intent_sandbox_BbCdEfGhIjKlMnOpQrStUv","idempotency_key":null,"created_at":"2026-11-27T17:00:00.000Z","direction":"cash_out","user_id":"user_Zz11Yy22Xx33Ww44Vv55Uu","amount":2200,"currency":"USD","guarantee_amount":null,"status":"declined","decline_category":"insufficient_funds","transactions":[],"dispute":null,"refund":null,"credential":{"display_name":"Visa","last4":"9010"},"rail":"card","account":\#(account),"type":"card_only_debit"}"#

    @Test("the sheet's pay-in, field by field: cents become dollars, its line in the ledger says how far it has come")
    func payIn() throws {
        let mapped = try Self.map("transaction", Self.intent)
        #expect(mapped.transactionID == Self.intentID)
        #expect(mapped.createdAt == Timestamp("2026-11-27T18:04:05.123Z"))
        #expect(mapped.updatedAt == nil)
        #expect(mapped.direction == .in)
        #expect(mapped.kind == "card_only_debit")
        #expect(mapped.paymentMethod == "card")
        #expect(mapped.charged?.description == "50")
        #expect(mapped.chargedCurrency == "USD")
        #expect(mapped.delivered == nil)
        #expect(mapped.customerID == "user_Zz11Yy22Xx33Ww44Vv55Uu")
        #expect(mapped.rawStatus == "approved")
        #expect(mapped.reading.state == .settling)
        #expect(mapped.money == .taken)
        #expect(mapped.feeTotal == nil)
        #expect(mapped.flagTexts == ["event_expected", "guaranteed"])
        #expect(!mapped.isTest)
        #expect(
            mapped.referenceTexts == [
                "book:order=ord-1001", "push:order=\(Self.intentID)", "push:transaction=\(Self.intentID)",
            ])
        #expect(mapped.unmappedPaths == [])
    }

    @Test("the sheet's declined pay-out: what would have been paid, and nothing moved")
    func payOut() throws {
        let mapped = try Self.map("transaction", Self.declinedIntent)
        #expect(mapped.direction == .out)
        #expect(mapped.charged?.description == "22")
        #expect(mapped.delivered?.description == "22")
        #expect(mapped.deliveredCurrency == "USD")
        #expect(mapped.reading.state == .declined)
        #expect(mapped.reading.isFinal)
        #expect(mapped.money == .none)
        #expect(mapped.flagTexts == ["event_expected"])
        #expect(mapped.unmappedPaths == [])
    }

    @Test("an approved intent is paid, settling or settled by its own lines alone, whatever shape the list has")
    func ledger() throws {
        func reading(_ lines: String, _ direction: String = "cash_in") throws -> (PaymentState, MoneyState, Bool) {
            let text = #"{"id":"intent_1","created_at":"2026-11-27T17:00:00.000Z","direction":"\#(direction)","#
            let mapped = try Self.map(
                "transaction", text + #""amount":2000,"currency":"USD","status":"approved""# + lines + "}")
            #expect(mapped.rawStatus == "approved")
            return (mapped.reading.state, mapped.money, mapped.reading.isFinal)
        }
        func line(_ status: String, type: String = "intent", source: String = "intent_1") -> String {
            #"{"id":"txn_1","type":"\#(type)","source_id":"\#(source)","status":"\#(status)"}"#
        }
        for lines in ["", #","transactions":null"#, #","transactions":[]"#] {
            #expect(try reading(lines) == (.paid, .taken, true))
        }
        #expect(try reading(#","transactions":[\#(line("pending"))]"#) == (.settling, .taken, false))
        #expect(try reading(#","transactions":[\#(line("settled"))]"#) == (.settled, .taken, true))
        #expect(try reading(#","transactions":[\#(line("settled"))]"#, "cash_out") == (.settled, .delivered, true))
        #expect(try reading(#","transactions":[\#(line("pending"))]"#, "cash_out") == (.settling, .taken, false))
        let both = #","transactions":[\#(line("settled")),\#(line("pending"))]"#
        #expect(try reading(both) == (.settling, .taken, false))
        // Lines of a refund, of another intent, or in a status nobody knows say nothing about this one.
        let other = [line("settled", type: "refund", source: "refund_1"), line("settled", source: "intent_2")]
        #expect(try reading(#","transactions":[\#(other.joined(separator: ","))]"#) == (.paid, .taken, true))
        #expect(try reading(#","transactions":[\#(line("lost"))]"#) == (.paid, .taken, true))
        // `balance` in place of `account_id`, and a line without its type, are the same line.
        let old = #","transactions":[{"id":"t","balance":"settlement","source_id":"intent_1","status":"settled"}]"#
        #expect(try reading(old) == (.settled, .taken, true))
    }

    @Test("whether a line inside an intent names its account or its balance is no news; another status is")
    func shapes() throws {
        let one = try Self.map("transaction", Self.intent).contentHash()
        let balance = Self.intent.replacing(
            #""account_id":"account_demo0000000000000001""#, with: #""balance":"settlement""#)
        #expect(try Self.map("transaction", balance).contentHash() == one)
        let settled = Self.intent.replacing(#""status":"pending""#, with: #""status":"settled""#)
        #expect(try Self.map("transaction", settled).contentHash() != one)
        let funds = Self.intent.replacing(#""decline_category":null"#, with: #""decline_category":"other""#)
        #expect(try Self.map("transaction", funds).contentHash() != one)
        let mapping = try Self.mapping("transaction")
        func raw(_ balance: String) throws -> [UInt8] {
            let text = Self.intent.replacing(
                #""type":"settlement","#, with: #""type":"settlement","balance":\#(balance),"#)
            return RawHash.of(try JSONDocument(text).root, mapping)
        }
        #expect(try raw("1") == raw("2"))
    }

    @Test("a refund or dispute inside an intent is named, so that it is read by itself")
    func embedded() throws {
        let text = Self.intent
            .replacing(
                #""refund":null"#,
                with:
                    #""refund":{"id":"refund_1","intent_id":"i","amount":1,"currency":"USD","status":"approved","created_at":"2026-11-28T00:00:00.000Z"}"#
            )
            .replacing(#""dispute":null"#, with: #""dispute":{"id":"dispute_1","amount":1,"code":"R01"}"#)
        let mapped = try Self.map("transaction", text)
        #expect(mapped.referenceTexts.contains("push:refund=refund_1"))
        #expect(mapped.referenceTexts.contains("push:dispute=dispute_1"))
        #expect(mapped.unmappedPaths == [])
        #expect(mapped.reading.state == .settling)
        #expect(mapped.returned?.description == "0.01")
        let declined = text.replacing(
            #""approved","created_at":"2026-11-28"#, with: #""declined","created_at":"2026-11-28"#)
        #expect(try Self.map("transaction", declined).returned == nil)
    }

    @Test(
        "a sandbox intent in a source of real money is a test row, and so are its refund and its line; others are not")
    func testRows() throws {
        #expect(try Self.map("transaction", Self.intent, environment: "live").isTest)
        #expect(try Self.map("settlement_line", Self.ledgerLine, environment: "live").isTest)
        #expect(try Self.map("refund", PushLegTests.refund, environment: "live").isTest)
        let live = Self.intent.replacing("intent_sandbox_", with: "intent_production_")
        #expect(try !Self.map("transaction", live, environment: "live").isTest)
        #expect(
            try !Self.map("transaction", Self.intent.replacing("intent_sandbox_", with: "intent_"), environment: "live")
                .isTest)
    }

    @Test("a key of order that could be somebody's name or address is refused, and not kept")
    func tags() throws {
        for name in ["ann@example.com", "Ann Lee", "ann\\u0040example.com"] {
            let text = Self.intent.replacing(
                #""idempotency_key":"ord-1001""#, with: #""idempotency_key":"\#(name)","tag":"ord-7""#)
            let mapped = try Self.map("transaction", text)
            #expect(mapped.flags.contains("tag_refused"))
            #expect(mapped.referenceTexts.filter { $0.hasPrefix("book:") } == ["book:order=ord-7"])
            let kept = try Self.mapping("transaction").redaction.kept(try JSONDocument(text).root).bytes
            #expect(!String(decoding: kept, as: UTF8.self).lowercased().contains("ann"))
            #expect(String(decoding: kept, as: UTF8.self).contains("ord-7"))
        }
        let same = Self.intent.replacing(#""rail":"card""#, with: #""rail":"card","tag":"txn_0001""#)
        let mapped = try Self.map("transaction", same)
        #expect(
            mapped.referenceTexts.contains("book:order=txn_0001")
                && mapped.referenceTexts.contains("book:order=ord-1001"))
        #expect(!mapped.flags.contains("tag_refused"))
    }

    @Test("nothing that must not be stored is kept, however deep it lies")
    func redaction() throws {
        let secret =
            #""payment_credential":{"bank_name":"First Bank","account":{"number_mask":"6789","routing":"021000021"},"card":{"primary_account_number_mask":"411111","expiration":"12/30","brand":"visa"}},"limits_utilization":{"daily_cash_in":"5000.00"},"user":{"email":"ann@example.com"},"webhook_secret":"whsec_x","token":"token_9","a":{"b":[{"routing":"021000021","transactionIdentifier":"tid","email":"ann@example.com"}]},"#
        let text = Self.intent.replacing(#""user_id":"#, with: secret + #""user_id":"#)
        for resource in try Self.made.get().sandbox.resources {
            let kept = String(
                decoding: resource.mapping.redaction.kept(try JSONDocument(text).root).bytes, as: UTF8.self)
            for value in [
                "First Bank", "6789", "021000021", "411111", "12/30", "5000.00", "ann@example.com", "whsec_x",
                "token_9",
                "tid",
            ] {
                #expect(!kept.contains(value), "\(resource.name): \(value)")
            }
            #expect(kept.contains(#""last4":"4444""#) && kept.contains("Visa"))
        }
        // What is cut is known: it is no news that it is there.
        #expect(try Self.map("transaction", text).unmappedPaths == [])
    }

    @Test("the map's words: each status of the sheet, both directions", arguments: ["cash_in", "cash_out"])
    func statuses(direction: String) throws {
        let isOut = direction == "cash_out"
        let rows: [(String, PaymentState, Bool, MoneyState, MoneyState?)] = [
            ("created", .created, false, .none, nil), ("pending", .pending, false, .held, nil),
            ("approved", .paid, true, .taken, nil), ("declined", .declined, true, .none, nil),
            ("canceled", .cancelled, true, .none, .unknown), ("cancelled", .unknown, false, .unknown, nil),
            ("settled", .unknown, false, .unknown, nil), ("expired", .unknown, false, .unknown, nil),
            ("won", .unknown, false, .unknown, nil), ("requires_init", .created, false, .none, nil),
            ("initialized", .created, false, .none, nil), ("error", .failed, true, .none, .unknown),
            ("processed", .settled, true, isOut ? .delivered : .taken, nil), ("timedout", .expired, true, .none, nil),
            ("chargedback", .disputed, true, .returned, nil),
        ]
        for (status, state, isFinal, money, after) in rows {
            let mapped = try Self.map(
                "transaction",
                #"{"id":"i","created_at":"2026-11-27T17:00:00.000Z","direction":"\#(direction)","amount":1,"currency":"USD","status":"\#(status)"}"#
            )
            #expect(mapped.reading.state == state, "\(status)")
            #expect(mapped.reading.isFinal == isFinal, "\(status)")
            #expect(mapped.money == money, "\(status)")
            #expect(mapped.reading.afterTaken == after, "\(status)")
            #expect(mapped.reading.afterDelivered == after, "\(status)")
            #expect(mapped.flags.contains("status_unknown") == (state == .unknown), "\(status)")
        }
    }
}
