import Crypto
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Coinbase, its webhooks")
struct CoinbaseWebhookTests {
    static let secret = "123e4567-e89b-12d3-a456-426614174000"
    static let body = #"{"eventType":"onramp.transaction.success"}"#
    static let v1 = "603df75ec4068cfd2890b477cfe143284cebb530cb3ea8e2565309a38766fcf5"
    static let v0 = "39e6b4f007091edb963967c2b114eeba4119a0e0af9831cc8c0992c46371d27e"
    static let names = "content-type x-event-id x-event-type"
    static let signed = "t=1785499200,v0=\(v0),h=\(names),v1=\(v1)"
    static let failed =
        #"{"eventType":"onramp.transaction.failed","transactionId":"1f0aa001-0000-6000-8000-000000000009","status":"ONRAMP_TRANSACTION_STATUS_FAILED","purchaseCurrency":"USDC","purchaseNetwork":"base","purchaseAmount":{"currency":"USDC","value":"10"},"paymentTotal":{"currency":"USD","value":"10.70"},"paymentSubtotal":{"currency":"USD","value":"10"},"coinbaseFee":{"currency":"USD","value":"0.50"},"networkFee":{"currency":"USD","value":"0.20"},"txHash":"0x","createdAt":"2026-07-31T13:00:00Z","completedAt":"0001-01-01T00:00:00Z","country":"US","paymentMethod":"APPLE_PAY","partnerUserRef":"meld-cust-0002","failureReason":"FAILURE_REASON_BUY_FAILED","errorCode":"ERROR_CODE_UNSPECIFIED"}"#

    static func delivery(
        _ body: String = body, signature: String? = signed, after seconds: Int64 = 10,
        type: String = "application/json",
        id: String? = "7a1d4c1e-0000-4000-8000-000000000001"
    ) -> WebhookDelivery {
        var headers: [(name: String, value: String)] = [
            ("Content-Type", type), ("X-Event-Type", "onramp.transaction.success"),
        ]
        if let id { headers.append(("X-Event-Id", id)) }
        if let signature { headers.append(("X-Hook0-Signature", signature)) }
        return WebhookDelivery(
            receivedAt: Timestamp(seconds: 1_785_499_200 + seconds), url: "https://shop.example.com/cb",
            headers: headers,
            body: Array(body.utf8))
    }

    static func scheme(_ secrets: String...) throws -> any WebhookScheme {
        try #require(try CoinbaseSample.provider(webhooks: secrets).webhooks)
    }

    static func event(_ body: String, id: String? = "e-1") throws -> MappedEvent {
        try scheme(secret).event(delivery(body, id: id), bodyDigest: [0xAB])
    }

    @Test("case 24: both versions of the signature verify, with any of several secrets; changes do not")
    func signature() throws {
        let scheme = try Self.scheme("an-old-one", Self.secret)
        let valid = SignatureCheck(.valid, keyFingerprint: Secret(Self.secret).fingerprint)
        #expect(scheme.check(Self.delivery()) == valid)
        #expect(scheme.check(Self.delivery(signature: "t=1785499200,h=\(Self.names),v1=\(Self.v1)")) == valid)
        var bareValid = valid
        bareValid.form = .named("v0")
        #expect(scheme.check(Self.delivery(signature: "t=1785499200,v0=\(Self.v0)")) == bareValid)
        #expect(scheme.check(Self.delivery(signature: "t=1785499200, v0=\(Self.v0)")) == bareValid)
        #expect(scheme.check(Self.delivery(Self.body + " ")).verdict == .invalid)
        // A header that was touched breaks v1; v0 does not know it.
        let other = "application/json; charset=utf-8"
        let bare = "t=1785499200,h=\(Self.names),v1=\(Self.v1)"
        #expect(scheme.check(Self.delivery(signature: bare, type: other)).verdict == .invalid)
        #expect(scheme.check(Self.delivery(type: other)) == bareValid)
        #expect(bareValid.form.flag == "signed_v0" && valid.form.flag == nil)
        #expect(
            scheme.check(Self.delivery(signature: bare.replacing("t=1785499200", with: "t=1785499201"))).verdict
                == .invalid)
        #expect(try Self.scheme("another").check(Self.delivery()).verdict == .invalid)
        #expect(try Self.scheme("another").check(Self.delivery(), also: [Secret(Self.secret)]) == valid)
    }

    @Test(
        "without a signature, a key or a readable header",
        arguments: ["x", "t=1,v0", "t=,v0=ab", "t=1", "v0=ab", "t=a,v0=ab"])
    func unreadable(header: String) throws {
        #expect(try Self.scheme(Self.secret).check(Self.delivery(signature: header)).verdict == .invalid)
        #expect(try Self.scheme(Self.secret).check(Self.delivery(signature: nil)).verdict == .unsigned)
        #expect(try Self.scheme().check(Self.delivery()).verdict == .noKey)
    }

    @Test(
        "a time of signing that no clock shows is no signature, and no event's time",
        arguments: ["9223372036854775807", "9223372036855", "-9223372036855", "-1"])
    func impossibleTime(time: String) throws {
        let signature = "t=\(time),v0=\(Self.v0)"
        let scheme = try Self.scheme(Self.secret)
        #expect(scheme.check(Self.delivery(signature: signature)).verdict == .invalid)
        let event = try scheme.event(Self.delivery(Self.failed, signature: signature), bodyDigest: [0xAB])
        #expect(event.eventTime == nil && event.rawStatus == "ONRAMP_TRANSACTION_STATUS_FAILED")
    }

    @Test(
        "five minutes between signing and arrival, either way, and no more",
        arguments: [
            (0, Verdict.valid), (300, .valid), (301, .stale), (-300, .valid), (-301, .stale),
        ])
    func age(seconds: Int, verdict: Verdict) throws {
        #expect(try Self.scheme(Self.secret).check(Self.delivery(after: Int64(seconds))).verdict == verdict)
    }

    @Test("an event of the standard flow: the status counts, whatever its type says; the signature's time is its own")
    func standard() throws {
        let event = try Self.event(Self.failed)
        #expect(event.eventKey == "e-1" && event.kind == "onramp.transaction.failed")
        #expect(event.transactionID == "1f0aa001-0000-6000-8000-000000000009")
        #expect(event.reading?.state == .failed && event.reading?.money == MoneyState.none)
        #expect(event.eventTime == Timestamp(seconds: 1_785_499_200))
        #expect(event.customerID == "meld-cust-0002" && !event.isTest)
        #expect(event.referenceTexts == ["coinbase:transaction=1f0aa001-0000-6000-8000-000000000009"])
        let odd = Self.failed.replacing("STATUS_FAILED", with: "STATUS_IN_PROGRESS")
        #expect(try Self.event(odd).reading?.state == .pending)
        let mixed = try Self.event(
            Self.failed.replacing("onramp.transaction.failed", with: "onramp.transaction.success"))
        #expect(mixed.reading?.state == .failed)
    }

    @Test("an event of the headless flow is about the order, at the order's own time")
    func headless() throws {
        let body = #"{"eventType":"onramp.transaction.updated",\#(CoinbaseSample.order.dropFirst())"#
        let event = try Self.event(body)
        #expect(event.transactionID == "order/0f3c0000-0000-4000-8000-000000000002")
        #expect(event.reading?.state == .settling && event.reading?.money == .held)
        #expect(event.eventTime == Timestamp("2026-07-31T12:01:00Z") && event.isTest)
        #expect(event.referenceTexts == ["coinbase:order=0f3c0000-0000-4000-8000-000000000002"])
    }

    @Test("without its id the digest is the key; about nothing it has no state; a changed type is a fault")
    func sparse() throws {
        let bare = try Self.event(Self.body, id: nil)
        #expect(bare.eventKey == "ab" && bare.flags.contains("event_id_missing"))
        #expect(bare.reading == nil && bare.transactionID == nil)
        #expect(throws: RowFault.self) { try Self.event("[]") }
        #expect(throws: RowFault.self) { try Self.event(#"{"transactionId":{"a":1},"status":"x"}"#) }
        #expect(throws: RowFault.self) { try Self.event(#"{"transactionId":"a","transaction_id":"b"}"#) }
    }

    @Test("a name in the place of a reference is neither read nor kept of an event; an opaque one is")
    func personal() throws {
        let scheme = try Self.scheme()
        func kept(_ text: String) throws -> String {
            let root = try JSONDocument(text).root
            return String(decoding: scheme.redaction(ofKind: nil).kept(root).bytes, as: UTF8.self)
        }
        let named = Self.failed.replacing("meld-cust-0002", with: "jane@example.com")
        #expect(try Self.event(named).customerID == nil)
        #expect(!(try kept(named)).contains("jane"))
        #expect(try kept(Self.failed).contains("meld-cust-0002"))
    }
}
