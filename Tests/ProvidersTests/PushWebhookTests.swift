import Crypto
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Push Cash: webhooks")
struct PushWebhookTests {
    static let signer = "whsec_demo_0123456789abcdef0123456789abcdef"
    static let body =
        #"{"type":"intent.approved","data":{"id":"intent_sandbox_AbCdEfGhIjKlMnOpQrStUv","tag":"txn_0001","direction":"cash_in","amount":5000,"status":"approved","rail":"card","currency":"USD","type":"card_only_debit"},"timestamp":"2026-11-30T02:00:00.000000Z"}"#
    static let declined =
        #"{"type":"intent.declined","data":{"id":"intent_sandbox_BbCdEfGhIjKlMnOpQrStUv","tag":"txn_0002","direction":"cash_out","amount":2200,"status":"declined","decline_category":"insufficient_funds","currency":"USD","type":"card_only_debit"},"timestamp":"2026-11-27T17:00:01.000000Z"}"#

    static func delivery(_ body: String = body, _ signature: String? = nil, at: String = "2026-11-30T02:00:01Z") throws
        -> WebhookDelivery
    {
        WebhookDelivery(
            receivedAt: try #require(Timestamp(at)), url: "https://merchant.example/hooks/push",
            headers: signature.map { [("x-webhook-SIGNATURE", $0)] } ?? [], body: Array(body.utf8))
    }

    static func scheme(_ secrets: [String] = [signer], environment: String = "sandbox") throws -> any WebhookScheme {
        PushWebhooks(
            secrets: secrets.map { Secret($0) }, statusMap: try Maps.push(), isLive: environment == "live")
    }

    @Test(
        "case 24: the sheet's vector verifies in each spelling, by any of several keys; a changed byte or key does not")
    func signature() throws {
        let code = HMACCode.sha256(key: Secret(Self.signer), message: Array(Self.body.utf8))
        let hex = Hex.encode(code)
        let scheme = try Self.scheme(["an-old-one", Self.signer])
        let valid = SignatureCheck(.valid, keyFingerprint: Secret(Self.signer).fingerprint)
        let spellings = [
            hex, hex.uppercased(), "sha256=\(hex)", "SHA256=\(hex)", Base64.encode(code),
            "sha256=" + Base64.encode(code),
            Base64.encode(code, alphabet: .url, padding: false),
        ]
        for text in spellings { #expect(scheme.check(try Self.delivery(Self.body, text)) == valid, "\(text)") }
        #expect(scheme.check(try Self.delivery(Self.body + " ", hex)).verdict == .invalid)
        #expect(scheme.check(try Self.delivery(Self.body.replacing("5000", with: "5001"), hex)).verdict == .invalid)
        #expect(try Self.scheme(["another"]).check(try Self.delivery(Self.body, hex)).verdict == .invalid)
        for text in [String(hex.dropLast()), "zz" + hex.dropFirst(2), "sha512=\(hex)", "sha256=", "é"] {
            #expect(scheme.check(try Self.delivery(Self.body, text)).verdict == .invalid, "\(text)")
        }
        #expect(scheme.check(try Self.delivery()).verdict == .unsigned)
        #expect(try Self.scheme([]).check(try Self.delivery(Self.body, hex)).verdict == .noKey)
    }

    @Test("a payment's own secret proves its delivery, beside those of the source or without any")
    func ownSecrets() throws {
        let hex = Hex.encode(HMACCode.sha256(key: Secret("its-own"), message: Array(Self.body.utf8)))
        let delivery = try Self.delivery(Self.body, hex)
        let valid = SignatureCheck(.valid, keyFingerprint: Secret("its-own").fingerprint)
        for secrets in [[], [Self.signer]] {
            let scheme = try Self.scheme(secrets)
            #expect(scheme.check(delivery, also: [Secret("x"), Secret("its-own")]) == valid)
            #expect(scheme.check(delivery, also: [Secret("x")]).verdict == .invalid)
        }
    }

    @Test("the vector's own text: an event is sent again for a day, so age makes none stale")
    func vector() throws {
        let code = HMACCode.sha256(key: Secret(Self.signer), message: Array(Self.body.utf8))
        #expect(Hex.encode(code) == "9c97913fbd05f360065e431319dedb1e3a200e0a02a800bd3fb75278681867e7")
        let late = try Self.delivery(Self.body, Hex.encode(code), at: "2026-12-01T01:59:00Z")
        #expect(try Self.scheme().check(late).verdict == .valid)
    }

    @Test("the sheet's two events: status and direction of the body, at its own time, with the merchant's tag")
    func events() throws {
        let scheme = try Self.scheme()
        let event = try scheme.event(try Self.delivery(), bodyDigest: [1])
        #expect(event.kind == "intent.approved")
        #expect(event.transactionID == PushTests.intentID)
        #expect((event.rawStatus, event.reading?.state, event.reading?.money) == ("approved", .paid, .taken))
        #expect(event.direction == .in)
        #expect(event.eventTime == Timestamp("2026-11-30T02:00:00Z"))
        #expect(
            event.referenceTexts == [
                "book:order=txn_0001", "push:order=\(PushTests.intentID)", "push:transaction=\(PushTests.intentID)",
            ])
        #expect(event.flags == [])
        #expect(!event.isTest)
        let declined = try scheme.event(try Self.delivery(Self.declined), bodyDigest: [1])
        #expect(
            (declined.rawStatus, declined.reading?.state, declined.reading?.money) == (
                "declined", .declined, MoneyState.none
            ))
        #expect(declined.direction == .out)
        #expect(try Self.scheme(environment: "live").event(try Self.delivery(), bodyDigest: [1]).isTest)
    }

    @Test("trap 12: the same body is the same event whatever its rendering; one that says something else is another")
    func keys() throws {
        let scheme = try Self.scheme()
        func key(_ text: String) throws -> String {
            try scheme.event(try Self.delivery(text), bodyDigest: [1]).eventKey
        }
        let one = try key(Self.body)
        #expect(one.hasPrefix("intent.approved/\(PushTests.intentID)/"))
        let profile = Self.body.replacing(
            #""rail":"card""#, with: #""rail":"card","limits_utilization":{"daily_cash_in":"5000.00"}"#)
        for same in [
            Self.body.replacing("02:00:00", with: "02:05:00"), profile, Self.body.replacing("5000", with: "5000.0"),
            Self.body.replacing(#""amount":5000,"status":"approved""#, with: #""status":"approved","amount":5000"#),
        ] {
            #expect(try key(same) == one)
        }
        for other in [
            Self.body.replacing(#""status":"approved""#, with: #""status":"pending""#),
            Self.body.replacing("5000", with: "5001"), Self.body.replacing("intent.approved", with: "intent.declined"),
        ] {
            #expect(try key(other) != one)
        }
    }

    @Test("the type decides nothing: under manual approval intent.approved is pending, and announces what follows")
    func manual() throws {
        let text = Self.body.replacing(#""status":"approved""#, with: #""status":"pending""#).replacing(
            "cash_in", with: "cash_out")
        let event = try Self.scheme().event(try Self.delivery(text), bodyDigest: [1])
        #expect((event.rawStatus, event.reading?.state, event.reading?.money) == ("pending", .pending, .held))
        #expect(event.flags == ["announces=approved"])
    }

    @Test("older events: a float, idempotency_key, a settlement, and the words of 2023")
    func old() throws {
        let scheme = try Self.scheme()
        func event(_ text: String) throws -> MappedEvent { try scheme.event(try Self.delivery(text), bodyDigest: [1]) }
        let float = try event(
            #"{"type":"intent.approved","data":{"id":"intent_1","idempotency_key":"ord-1","direction":"cash_in","amount":50.5,"status":"approved"},"timestamp":"2024-01-14T22:31:02.756096Z"}"#
        )
        #expect(float.referenceTexts.contains("book:order=ord-1"))
        #expect(float.reading?.state == .paid)
        for (direction, money) in [("cash_in", MoneyState.taken), ("cash_out", .delivered)] {
            let settled = try event(
                #"{"type":"intent.settled","data":{"id":"intent_1","direction":"\#(direction)","status":"approved","transaction":{"id":"txn_1","amount":50,"currency":"USD"}},"timestamp":"2024-01-14T22:31:02Z"}"#
            )
            #expect(
                (settled.rawStatus, settled.reading?.state, settled.reading?.money) == ("approved", .settled, money))
        }
        let processed = try event(
            #"{"type":"intent.processed","data":{"id":"intent_1","direction":"cash_out"},"timestamp":"2023-07-01T00:00:00Z"}"#
        )
        #expect((processed.rawStatus, processed.reading?.money) == ("processed", .delivered))
        let back = try event(
            #"{"type":"intent.chargedback","data":{"id":"intent_1"},"timestamp":"2023-07-01T00:00:00Z"}"#)
        #expect((back.rawStatus, back.reading?.state, back.reading?.money) == ("chargedback", .disputed, .returned))
        let available = try event(
            #"{"type":"transaction.available","data":{"id":"txn_1","status":"available"},"timestamp":"2023-07-01T00:00:00Z"}"#
        )
        #expect((available.transactionID, available.reading) == ("settlement_line/txn_1", nil))
        #expect(available.referenceTexts == ["push:line=txn_1"])
    }

    @Test("an event about a refund or dispute is about that record and says nothing of the payment's state")
    func others() throws {
        for (word, resource) in [("refund", "refund"), ("dispute", "dispute"), ("transfer", "payout")] {
            let text =
                #"{"type":"\#(word).created","data":{"id":"x_1","intent_id":"intent_1","status":"approved"},"timestamp":"2026-11-30T02:00:00Z"}"#
            let event = try Self.scheme().event(try Self.delivery(text), bodyDigest: [1])
            #expect((event.transactionID, event.reading, event.rawStatus) == ("\(resource)/x_1", nil, nil))
            #expect(event.referenceTexts.contains("push:order=intent_1"))
        }
    }

    @Test("a body that is no event names what is wrong; of one that is, the spending profile and secrets are not kept")
    func bad() throws {
        let scheme = try Self.scheme()
        for (text, reason) in [
            ("[]", "no object"), ("{}", "missing: type"), (#"{"type":"intent.approved"}"#, "missing: data.id"),
            (#"{"type":"intent.approved","data":[]}"#, "type_changed: data object->array"),
            (#"{"type":"intent.approved","data":{"id":7}}"#, "type_changed: data.id string->number"),
            (Self.body.replacing("cash_in", with: "sideways"), "direction: neither cash_in nor cash_out"),
            (Self.body.replacing("2026-11-30T02", with: "yesterday"), "timestamp: not a time"),
        ] {
            let fault = #expect(throws: RowFault.self) { try scheme.event(try Self.delivery(text), bodyDigest: [0xAB]) }
            #expect(fault?.reason == reason)
            #expect(fault?.recordID == "ab")
        }
        let text = Self.body.replacing(
            #""tag":"txn_0001""#,
            with:
                #""tag":"ann@example.com","limits_utilization":{"daily_cash_in":"5000.00"},"token":"token_1","webhook_secret":"s3cret""#
        )
        let kept = String(
            decoding: scheme.redaction(ofKind: "intent.approved").kept(try JSONDocument(text).root).bytes, as: UTF8.self
        )
        for value in ["5000.00", "token_1", "s3cret", "ann@"] { #expect(!kept.contains(value), "\(value)") }
        #expect(kept.contains(PushTests.intentID))
        #expect(try scheme.event(try Self.delivery(text), bodyDigest: [1]).flags == ["tag_refused"])
    }
}
