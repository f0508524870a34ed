import Crypto
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Mercuryo, its callbacks")
struct MercuryoWebhookTests {
    static let bought =
        #"{"data":{"id":"0f6f5aaa12c780001","type":"buy","payment_method":"mobile_pay","status":"paid","amount":"104.512300","currency":"USDC","fiat_amount":"100.00","fiat_currency":"EUR","fee":"3.95","partner_fee":"1.00","merchant_transaction_id":"036fecc9-0000-4875-8d6f-000000000001","card":{"number":"4242"},"user":{"uuid4":"11111111-2222-4333-8444-555555555555","country_code":"fr"},"created_at":"2026-07-31 12:00:05","created_at_ts":1785499205,"updated_at":"2026-07-31 12:00:21","updated_at_ts":1785499221}}"#
    static let withdrawn =
        #"{"data":{"id":"0f6f5ab8ed8670003","type":"withdraw","status":"completed","amount":"104.512300","currency":"USDC","fiat_amount":"100.00","fiat_currency":"EUR","merchant_transaction_id":"036fecc9-0000-4875-8d6f-000000000001","tx":{"id":"0xaa00000000000000000000000000000000000000000000000000000000000001","address":"0x51FB8001311111111111111212111111111111AA"},"created_at":"2026-07-31 12:00:20","created_at_ts":1785499220,"updated_at":"2026-07-31 12:03:02","updated_at_ts":1785499382}}"#
    static let key = "mercuryo-sign-key"

    static func scheme(_ keys: String...) throws -> any WebhookScheme {
        try #require(try MercuryoSample.provider(keys: keys).webhooks)
    }

    static func delivery(_ body: String, signature: String? = nil) -> WebhookDelivery {
        WebhookDelivery(
            receivedAt: Timestamp(seconds: 1_785_499_300), url: "https://shop.example.com/mercuryo",
            headers: signature.map { [("X-Signature", $0)] } ?? [], body: Array(body.utf8))
    }

    static func event(_ body: String, signature: String? = nil, keys: String...) throws -> MappedEvent {
        let scheme = try #require(try MercuryoSample.provider(keys: keys).webhooks)
        return try scheme.event(delivery(body, signature: signature), bodyDigest: [0xAB])
    }

    static let spaced = #"{"data":{"id":"0f1","status":"paid","updated_at":"2026-07-31 12:00:21"}}"#
    static let raw = "0b5ca69c4d1e01b7f2b6440f1787e5ecd890969fddcba619431785d668c1ad66"
    static let stripped = "b8b87313c9ac4dfce3a2d53ef2d385b528bb8685b263bbca9b3be0a72ea278b4"

    @Test("case 24: both documented readings of the signature verify, with any of several keys; changes do not")
    func signature() throws {
        let scheme = try Self.scheme("an-old-one", Self.key)
        let valid = SignatureCheck(.valid, keyFingerprint: Secret(Self.key).fingerprint)
        let plain = #"{"data":{"id":"0f1","status":"paid"}}"#
        let sign = "168025e9730eddf8f78e975533455e8a7167587090be72321b50402ae70e557d"
        #expect(scheme.check(Self.delivery(plain, signature: sign)) == valid)
        #expect(scheme.check(Self.delivery(plain, signature: sign.uppercased())) == valid)
        #expect(scheme.check(Self.delivery(Self.spaced, signature: Self.raw)).verdict == .valid)
        #expect(scheme.check(Self.delivery(Self.spaced, signature: Self.stripped)).verdict == .valid)
        #expect(scheme.check(Self.delivery(plain.replacing("paid", with: "pain"), signature: sign)).verdict == .invalid)
        #expect(scheme.check(Self.delivery(Self.spaced, signature: "no hex")).verdict == .invalid)
        #expect(scheme.check(Self.delivery(plain)).verdict == .unsigned)
        #expect(try Self.scheme("another").check(Self.delivery(plain, signature: sign)).verdict == .invalid)
        #expect(try Self.scheme().check(Self.delivery(plain, signature: sign)).verdict == .noKey)
        #expect(scheme.check(Self.delivery(plain, signature: sign), also: [Secret("x")]) == valid)
    }

    @Test("white space is what JavaScript takes for it")
    func blanks() {
        let text = "{\"a\": \"b\t\u{00A0}\u{2003}\u{FEFF}ü\u{2028}\" }\r\n"
        #expect(MercuryoWebhooks.withoutWhiteSpace(Array(text.utf8)) == Array(#"{"a":"bü"}"#.utf8))
        #expect(MercuryoWebhooks.withoutWhiteSpace([0x20, 0xFF, 0x0A]) == [0xFF])
    }

    @Test("which reading proved a callback is noted, where they differ")
    func seen() throws {
        func flag(_ body: String, _ signature: String, keys: String...) throws -> String? {
            let scheme = MercuryoWebhooks(
                signKeys: keys.map { Secret($0) }, statusMap: try MercuryoSample.map("mercuryo"))
            return scheme.check(Self.delivery(body, signature: signature)).form.flag
        }
        #expect(try flag(Self.spaced, Self.raw, keys: Self.key) == "signed_raw")
        #expect(try flag(Self.spaced, Self.stripped, keys: "x", Self.key) == "signed_without_blanks")
        #expect(try flag(Self.spaced, Self.raw, keys: "x") == nil)
        let plain = String(Self.spaced.filter { !$0.isWhitespace })
        #expect(try flag(plain, Self.stripped, keys: Self.key) == nil)
    }

    @Test(
        "seconds that are no moment are no time of an event",
        arguments: ["9223372036854775807", "9223372036855", "\"-9223372036854775808\"", "-1"])
    func impossibleTime(seconds: String) throws {
        let text = #"{"data":{"id":"1","type":"buy","status":"paid","updated_at_ts":\#(seconds)}}"#
        #expect(try Self.event(text).eventTime == nil)
        let plain = try Self.event(text.replacing(seconds, with: "1785499221"))
        #expect(plain.eventTime == Timestamp("2026-07-31T12:00:21Z"))
    }

    @Test("a callback tells of one operation; the row knows it by the operation's id and the merchant's reference")
    func events() throws {
        let paid = try Self.event(Self.bought)
        #expect(paid.eventKey == "buy/0f6f5aaa12c780001/paid/2026-07-31 12:00:21")
        #expect(paid.kind == "buy" && paid.rawStatus == "paid" && paid.direction == .in)
        #expect(paid.reading?.state == .paid && paid.reading?.money == .taken)
        #expect(paid.eventTime == Timestamp("2026-07-31T12:00:21Z"))
        #expect(paid.transactionID == nil)
        #expect(paid.flagTexts == ["fee=3.95 EUR", "partner_fee=1 EUR"])
        #expect(
            paid.referenceTexts == [
                "book:order=036fecc9-0000-4875-8d6f-000000000001", "mercuryo:operation=0f6f5aaa12c780001",
                "mercuryo:transaction=036fecc9-0000-4875-8d6f-000000000001", "mercuryo:transaction=0f6f5aaa12c780001",
            ])
        let sent = try Self.event(Self.withdrawn)
        #expect(sent.reading?.state == .settled && sent.reading?.money == .delivered)
        #expect(sent.referenceTexts.contains { $0.hasPrefix("chain:tx=0xaa") })
        let row = try MercuryoSample.map(element: MercuryoSample.bought)
        for event in [paid, sent] { #expect(!Set(event.referenceTexts).isDisjoint(with: row.referenceTexts)) }
        #expect(try Self.event(#"{"payload":\#(Self.bought)}"#) == paid)
    }

    @Test(
        "the wallet is told from the card by payment_method; sales run out",
        arguments: [
            (#""type":"buy","payment_method":"mobile_pay","status":"pending""#, MoneyState.held, Direction.in),
            (#""type":"buy","payment_method":"card","status":"pending""#, .none, .in),
            (#""type":"buy","payment_method":"invoice","status":"completed""#, .taken, .in),
            (#""type":"sell","status":"succeeded""#, .delivered, .out),
            (#""type":"deposit","status":"failed","tx":{"id":"0xab12"}"#, .unknown, .out),
            (#""type":"deposit","status":"failed""#, .none, .out),
            (#""type":"withdraw","status":"failed""#, .taken, .in),
            (#""type":"withdraw","status":"odd""#, .unknown, .in),
        ])
    func kinds(members: String, money: MoneyState, direction: Direction) throws {
        let event = try Self.event(#"{"data":{"id":"1",\#(members),"updated_at_ts":1785499221}}"#)
        #expect(event.reading?.money == money && event.direction == direction)
        #expect(event.eventTime == Timestamp(seconds: 1_785_499_221))
        #expect(event.eventKey.hasSuffix("/1785499221"))
    }

    @Test("without an id the body's digest is the key; a named transaction is taken; a null reference is none")
    func sparse() throws {
        let event = try Self.event(
            #"{"data":{"type":"buy","status":"paid","transaction_id":"T1","merchant_transaction_id":null}}"#)
        #expect(event.eventKey == "ab" && event.transactionID == "T1")
        #expect(event.referenceTexts == ["mercuryo:transaction=T1"])
        let card = try Self.event(#"{"event_id":"e-1","event_name":"card.issued","phone":"+4912345"}"#)
        #expect(card.eventKey == "e-1" && card.reading == nil && card.rawStatus == nil)
        #expect(throws: RowFault.self) { try Self.event(#"{"data":[]}"#) }
        #expect(throws: RowFault.self) { try Self.event(#"{"data":{"id":"1","status":{"a":1}}}"#) }
    }

    @Test("no personal data of a callback is kept")
    func redaction() throws {
        let scheme = try Self.scheme()
        let text = Self.bought.replacing(
            #""user":{"#, with: #""email":"a@b.de","user":{"name":"Jane Doe","phone":"+49","#)
        func kept(_ text: String, _ kind: String?) throws -> String {
            String(decoding: scheme.redaction(ofKind: kind).kept(try JSONDocument(text).root).bytes, as: UTF8.self)
        }
        let open = try kept(text, "buy")
        for cut in ["4242", "11111111", "Jane", "+49", "a@b.de"] { #expect(!open.contains(cut), "\(cut)") }
        #expect(open.contains("3.95") && open.contains("036fecc9"))
        #expect(!(try kept(Self.withdrawn, "withdraw")).contains("0x51FB"))
        let closed = try kept(#"{"event_id":"e-1","event_name":"card.issued","phone":"+4912345"}"#, "event:card.issued")
        #expect(closed.contains("e-1") && !closed.contains("+49"))
    }
}
