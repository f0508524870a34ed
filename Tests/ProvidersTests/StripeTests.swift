import HTTP
import JSON
import Payments
import Testing

@testable import Providers

/// What the tests of Stripe share: the example documents of its fact sheet, and a provider made of options.
enum StripeSample {
    static let wallet = "0x51FB8001311111111111111212111111111111AA"
    static let hash = "0x1f00000000000000000000000000000000000000000000000000000000000001"

    /// Example 10.1, the element of the list, with members replaced by text.
    static func session(_ changes: [(String, String)] = []) -> String {
        let text = """
            {"id":"cos_1RfA0001ExampleAAAA","object":"crypto.onramp_session",\
            "client_secret":"cos_1RfA0001ExampleAAAA_secret_x","created":1785499200,"kyc_details_provided":true,\
            "livemode":false,"metadata":{"meld_order":"WoRdErabcexample0000002"},"redirect_url":null,\
            "status":"fulfillment_complete","transaction_details":{"destination_amount":"95.790000",\
            "destination_currencies":["usdc"],"destination_currency":"usdc","destination_network":"base",\
            "destination_networks":["base"],"fees":{"network_fee_amount":"0.17","transaction_fee_amount":"4.04"},\
            "lock_wallet_address":true,"settlement_speed":"instant","source_amount":"100.00","source_currency":"usd",\
            "transaction_id":"\(hash)","wallet_address":"\(wallet)","wallet_addresses":{"base_network":"\(wallet)"}}}
            """
        return changes.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    /// Example 10.2.
    static func event(_ changes: [(String, String)] = []) -> String {
        let text = """
            {"id":"evt_1RfA0002ExampleBBBB","object":"event","api_version":"2026-08-26.dahlia","created":1785499321,\
            "data":{"object":{"id":"cos_1RfA0001ExampleAAAA","object":"crypto.onramp_session","created":1785499200,\
            "livemode":false,"metadata":{},"kyc_details_provided":true,"redirect_url":null,\
            "client_secret":"cos_1RfA0001ExampleAAAA_secret_x","status":"fulfillment_processing",\
            "transaction_details":{"destination_amount":"95.790000","destination_currency":"usdc",\
            "destination_network":"base","fees":{"network_fee_amount":"0.17","transaction_fee_amount":"4.04"},\
            "lock_wallet_address":true,"source_amount":"100.00","source_currency":"usd","transaction_id":null,\
            "wallet_address":"\(wallet)"}},"previous_attributes":{"status":"requires_payment"}},"livemode":false,\
            "pending_webhooks":1,"request":{"id":null,"idempotency_key":null},"type":"crypto.onramp_session.updated"}
            """
        return changes.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    static func stripe(
        _ options: [String: String] = ["metadata_keys": "meld_order"], environment: String = "sandbox",
        secrets: [String] = [], key: String = "sk_test_example"
    ) throws -> Stripe {
        let configuration = try StripeConfiguration(
            ProviderOptions(
                environment: environment, apiKey: Secret(key), webhookSecrets: secrets.map { Secret($0) },
                options: options))
        return Stripe(configuration: configuration, statusMap: try Maps.stripe())
    }

    static func map(_ text: String, _ options: [String: String] = [:], environment: String = "sandbox") throws
        -> MappedTransaction
    {
        let key = environment == "live" ? "sk_live_example" : "sk_test_example"
        return try stripe(options, environment: environment, key: key).payments.mapping.map(try JSONDocument(text).root)
    }

    static func fault(_ text: String) throws -> RowFault? {
        do {
            _ = try map(text)
            return nil
        } catch let fault as RowFault {
            return fault
        }
    }

    static func response(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders([]), body: HTTPBody(Array(text.utf8)))
    }
}

@Suite("Stripe: sessions")
struct StripeTests {
    typealias S = StripeSample

    @Test("example 10.1 maps field by field; texts in major units stay the digits they are")
    func example() throws {
        let mapped = try S.map(S.session(), ["metadata_keys": "meld_order", "order_key": "meld_order"])
        #expect(mapped.transactionID == "cos_1RfA0001ExampleAAAA")
        #expect(mapped.createdAt == Timestamp(seconds: 1_785_499_200))
        #expect(mapped.updatedAt == nil)
        #expect(mapped.direction == .in)
        #expect(mapped.charged?.description == "100")
        #expect(mapped.chargedCurrency == "USD")
        #expect(mapped.delivered?.description == "95.79")
        #expect(mapped.deliveredCurrency == "USDC")
        #expect(mapped.feeNetwork?.description == "0.17")
        #expect(mapped.feeProvider?.description == "4.04")
        #expect(mapped.feeTotal?.description == "4.21")
        #expect(mapped.feeCurrency == "USD")
        #expect(mapped.walletAddress == S.wallet)
        #expect(mapped.walletTag == nil)
        #expect(mapped.paymentMethod == nil)
        #expect(mapped.isTest == false)
        #expect(mapped.unmappedPaths == [])
        #expect(mapped.flagTexts == ["event_expected", "reading_fees_included"])
        #expect(
            mapped.referenceTexts == [
                "book:order=WoRdErabcexample0000002", "chain:tx=\(S.hash)",
                "stripe:transaction=cos_1RfA0001ExampleAAAA",
            ])
    }

    @Test(
        "the sample with 104.21 = 100 + 0.17 + 4.04 includes the fees; 100 for 100 leaves them out, so they come on top"
    )
    func sourceAmount() throws {
        let delivered = ("95.790000", "100.000000")
        let including = try S.map(S.session([delivered, ("\"100.00\"", "\"104.21\"")]))
        #expect(including.charged?.description == "104.21")
        #expect(including.flagTexts.contains("reading_fees_included"))
        let excluding = try S.map(S.session([delivered]))
        #expect(excluding.charged?.description == "104.21")
        #expect(excluding.flagTexts.contains("reading_fees_on_top"))
        // What a coin costs is not in the session: the configured reading holds, and the flag says so.
        let bitcoin = [
            ("95.790000", "0.0015"), ("\"destination_currency\":\"usdc\"", "\"destination_currency\":\"btc\""),
        ]
        let open = try S.map(S.session(bitcoin))
        #expect(open.charged?.description == "100")
        #expect(open.flagTexts.contains("reading_open") && open.flagTexts.contains("fees_on_top=104.21"))
        let told = try S.map(S.session(bitcoin), ["source_amount": "excludes_fees"])
        #expect(told.charged?.description == "104.21")
        #expect(told.flagTexts.contains("reading_open") && told.flagTexts.contains("fees_included=100"))
        // Nothing is at par with a currency that is not named.
        let unnamed = try S.map(
            S.session([
                ("95.790000", "100.00"), ("\"destination_currency\":\"usdc\"", "\"destination_currency\":\"btc\""),
                ("\"source_currency\":\"usd\"", "\"source_currency\":null"),
            ]))
        #expect(unnamed.chargedCurrency == nil && unnamed.charged?.description == "100")
        #expect(unnamed.flagTexts.contains("reading_open"))
        // Proof goes before configuration.
        let proven = try S.map(S.session(), ["source_amount": "excludes_fees"])
        #expect(proven.charged?.description == "100")
        // Without fees both readings are the same.
        let free = try S.map(S.session([("\"0.17\"", "\"0.00\""), ("\"4.04\"", "\"0\"")]))
        #expect(free.charged?.description == "100")
        #expect(free.flagTexts == ["event_expected"])
        #expect(free.feeTotal?.isZero == true)
    }

    @Test("null fees are not known yet, which is not zero; most of the details may be null")
    func nulls() throws {
        let fees = "{\"network_fee_amount\":\"0.17\",\"transaction_fee_amount\":\"4.04\"}"
        for missing in ["null", "{\"network_fee_amount\":null,\"transaction_fee_amount\":null}"] {
            let mapped = try S.map(S.session([(fees, missing)]))
            #expect(mapped.feeNetwork == nil && mapped.feeProvider == nil && mapped.feeTotal == nil)
            #expect(mapped.charged?.description == "100")
        }
        let half = try S.map(S.session([("\"4.04\"", "null")]))
        #expect(half.feeNetwork?.description == "0.17")
        #expect(half.feeTotal == nil)
        let bare = try S.map(
            "{\"id\":\"cos_1\",\"created\":1785499200,\"livemode\":false,\"metadata\":null,\"status\":\"initialized\",\"transaction_details\":{\"destination_amount\":null,\"destination_currency\":null,\"destination_currencies\":null,\"destination_network\":null,\"fees\":null,\"source_amount\":null,\"source_currency\":null,\"transaction_id\":null,\"wallet_address\":null,\"wallet_addresses\":null}}"
        )
        #expect(bare.charged == nil && bare.delivered == nil && bare.walletAddress == nil)
        #expect(bare.referenceTexts == ["stripe:transaction=cos_1"])
        #expect(bare.flagTexts == [])
    }

    @Test("an amount as a number is read as exactly as one as text")
    func numbers() throws {
        let mapped = try S.map(S.session([("\"100.00\"", "100.00"), ("\"95.790000\"", "95.790000")]))
        #expect(mapped.charged?.description == "100")
        #expect(mapped.flagTexts.contains("reading_fees_included"))
    }

    @Test("the tag is that of the network it goes to, else the only one")
    func tags() throws {
        let wallets = "{\"base_network\":\"\(S.wallet)\"}"
        let stellar = [("\"destination_network\":\"base\"", "\"destination_network\":\"stellar\"")]
        func tag(_ tags: String, _ more: [(String, String)] = []) throws -> String? {
            try S.map(S.session([(wallets, "{\"stellar\":\"GABC\",\"destination_tags\":\(tags)}")] + more)).walletTag
        }
        #expect(try tag("{\"stellar\":\"4711\"}", stellar) == "4711")
        #expect(try tag("{\"stellar\":\"4711\",\"xrp\":\"1\"}", stellar) == "4711")
        #expect(try tag("{\"stellar\":\"4711\"}") == "4711")
        #expect(try tag("{\"stellar\":\"4711\",\"xrp\":\"1\"}") == nil)
        #expect(try tag("null", stellar) == nil)
    }

    @Test(
        "each status has its state, money and end; what was taken before a rejection stays taken",
        arguments: [
            ("initialized", PaymentState.created, MoneyState.none, false, nil),
            ("requires_payment", .pending, .none, false, nil),
            ("fulfillment_processing", .paid, .taken, false, nil),
            ("fulfillment_complete", .settled, .delivered, true, nil),
            ("rejected", .declined, .none, true, .taken),
            ("fulfillment_paused", .unknown, .unknown, false, nil),
        ] as [(String, PaymentState, MoneyState, Bool, MoneyState?)])
    func statuses(status: String, state: PaymentState, money: MoneyState, isFinal: Bool, afterTaken: MoneyState?) throws
    {
        let map = try Maps.stripe()
        // There is no direction out here; a map that made one up would make up money too.
        for direction in [Direction.in, .out] {
            let reading = map.reading(status, .init(direction: direction))
            #expect(reading.state == state)
            #expect(reading.money == money)
            #expect(reading.isFinal == isFinal)
            #expect(reading.afterTaken == afterTaken)
            #expect(reading.afterHeld == nil)
            #expect(reading.isKnown == (status != "fulfillment_paused"))
        }
        #expect(map.announcedStatuses == ["fulfillment_complete", "rejected"])
    }

    @Test("paid with a transfer on the chain is settling, with a null, empty or zero hash it is paid")
    func transfer() throws {
        let processing = [("fulfillment_complete", "fulfillment_processing")]
        #expect(try S.map(S.session(processing)).reading.state == .settling)
        for hash in ["null", "\"\"", "\"0x\"", "\"0\""] {
            let mapped = try S.map(S.session(processing + [("\"\(S.hash)\"", hash)]))
            #expect(mapped.reading.state == .paid)
            #expect(mapped.money == .taken)
            #expect(!mapped.referenceTexts.contains { $0.hasPrefix("chain:tx") })
        }
    }

    @Test("case 17: a status nobody modelled is stored as it came")
    func unknownStatus() throws {
        let mapped = try S.map(S.session([("fulfillment_complete", "retry_scheduled")]))
        #expect(mapped.rawStatus == "retry_scheduled")
        #expect(mapped.reading.state == .unknown)
        #expect(mapped.flagTexts.contains("status_unknown"))
    }

    @Test("case 26: a test session of a live source is marked; in a sandbox it is what is expected")
    func testMode() throws {
        let test = try S.map(S.session(), environment: "live")
        #expect(test.isTest)
        #expect(test.flagTexts.contains("environment_differs"))
        let live = try S.map(S.session([("\"livemode\":false", "\"livemode\":true")]), environment: "live")
        #expect(!live.isTest)
        #expect(!live.flagTexts.contains("environment_differs"))
        let stray = try S.map(S.session([("\"livemode\":false", "\"livemode\":true")]))
        #expect(!stray.isTest)
        #expect(stray.flagTexts.contains("environment_differs"))
        #expect(try S.map(S.session([("\"livemode\":false,", "")])).flagTexts.contains("livemode_missing"))
    }

    @Test(
        "case 16: what has another type than documented, or is missing, costs its row and names the path",
        arguments: [
            ("\"created\":1785499200", "\"created\":\"1785499200\"", "type_changed: created number->string"),
            ("\"created\":1785499200", "\"created\":1785499200.5", "created: not a time in whole seconds"),
            ("\"created\":1785499200", "\"created\":1785499200000", "created: not a time in whole seconds"),
            ("\"created\":1785499200,", "", "missing: created"),
            ("\"status\":\"fulfillment_complete\",", "", "missing: status"),
            ("\"id\":\"cos_1RfA0001ExampleAAAA\",", "", "missing: id"),
            ("\"livemode\":false", "\"livemode\":\"false\"", "type_changed: livemode bool->string"),
            (
                "\"0.17\"", "{\"amount\":17}",
                "type_changed: transaction_details.fees.network_fee_amount number->object"
            ),
            ("\"100.00\"", "\"12.3.4\"", "transaction_details.source_amount: not a number"),
            ("\"usd\"", "[\"usd\"]", "type_changed: transaction_details.source_currency string->array"),
            (
                "{\"meld_order\":\"WoRdErabcexample0000002\"}", "\"x\"", "type_changed: metadata object->string"
            ),
        ])
    func changedTypes(part: String, replacement: String, reason: String) throws {
        let text = S.session([(part, replacement)])
        #expect(text != S.session())
        let fault = try S.fault(text)
        #expect(fault?.reason == reason)
        if reason != "missing: id" {
            #expect(fault?.recordID == "cos_1RfA0001ExampleAAAA")
            #expect(fault?.references.contains { $0.kind == "stripe:transaction" } == true)
        }
    }

    @Test("no secret, address with a token, foreign metadata or second wallet is kept, whatever its depth or shape")
    func redaction() throws {
        let text = S.session([
            ("\"redirect_url\":null", "\"redirect_url\":\"https://crypto.example.com?session_hash=LEAK1\""),
            ("{\"meld_order\"", "{\"email\":\"LEAK2@example.com\",\"note\":{\"deep\":\"LEAK3\"},\"meld_order\""),
            ("_secret_x", "_secret_LEAK4"),
            ("\"base_network\":\"\(S.wallet)\"", "\"tempo\":\"LEAK5\",\"destination_tags\":{\"stellar\":\"4711\"}"),
            ("\"lock_wallet_address\":true", "\"lock_wallet_address\":true,\"client_secret\":\"LEAK6\""),
        ])
        let provider = try S.stripe()
        let mapping = provider.payments.mapping
        let root = try JSONDocument(text).root
        let kept = String(decoding: mapping.redaction.kept(root).bytes, as: UTF8.self)
        #expect(!kept.contains("LEAK"))
        #expect(kept.contains("4711") && kept.contains("WoRdEr") && kept.contains(S.wallet))
        // That they are there is no news, and what is kept maps to the same columns: it can be read again.
        #expect(try mapping.map(root).unmappedPaths == [])
        let once = try mapping.map(root)
        let again = try mapping.map(try JSONDocument(kept).root)
        #expect(again.referenceTexts == once.referenceTexts)
        #expect(again.charged == once.charged)
        #expect(again.walletTag == once.walletTag)
    }

    @Test("metadata that is not allowed is neither kept nor news; the order key is allowed by itself")
    func metadata() throws {
        let mapping = try S.stripe(["order_key": "order"]).payments.mapping
        func row(_ metadata: String) throws -> JSONValue {
            try JSONDocument(S.session([("{\"meld_order\":\"WoRdErabcexample0000002\"}", metadata)])).root
        }
        let one = try row("{\"order\":\"A-17\",\"name\":\"Zoe\"}")
        let other = try row("{\"order\":\"A-17\",\"name\":\"Ann\"}")
        #expect(RawHash.of(one, mapping) == RawHash.of(other, mapping))
        #expect(try mapping.map(one).contentHash() == (try mapping.map(other).contentHash()))
        #expect(try mapping.map(one).referenceTexts.contains("book:order=A-17"))
        #expect(RawHash.of(one, mapping) != RawHash.of(try row("{\"order\":\"A-18\"}"), mapping))
    }

    @Test("networks and fields that grow are counted, and cost nothing; their change is news")
    func growth() throws {
        let grown = try S.map(
            S.session([("\"settlement_speed\"", "\"rail\":\"tempo\",\"settlement_speed\""), ("\"base\"", "\"tempo\"")]))
        #expect(grown.unmappedPaths == ["transaction_details.rail"])
        let other = try S.map(
            S.session([("\"settlement_speed\"", "\"rail\":\"celo\",\"settlement_speed\""), ("\"base\"", "\"tempo\"")]))
        #expect(grown.contentHash() != other.contentHash())
        #expect(
            try S.map(S.session([("\"instant\"", "\"standard\"")])).contentHash()
                != (try S.map(S.session()).contentHash()))
    }
}
