import Crypto
import JSON
import Payments
import Testing

@testable import Providers

@Suite("dLocal's notifications")
struct DLocalWebhookTests {
    typealias F = DLocalFixture

    static let body = #"{"id":"T-4-1f0c","amount":120.00,"status":"PAID"}"#
    static let signature = "b8b1eb9afdff02d998c0bb6e578cf0321bf6ecc096bd098e125833fbb28150cf"
    static let date = "2026-07-31T12:00:00.000Z"

    static func delivery(
        _ body: String = body, headers: [(name: String, value: String)] = signed
    ) -> WebhookDelivery {
        WebhookDelivery(
            receivedAt: Timestamp(seconds: 1_785_500_000), url: "https://merchant.example.com/d", headers: headers,
            body: Array(body.utf8))
    }

    static let signed: [(name: String, value: String)] = [
        ("x-date", date), ("AUTHORIZATION", "V2-HMAC-SHA256, Signature: \(signature)"),
    ]

    @Test("case 24: the sheet's vector verifies over the raw bytes; a changed byte, date, key or login does not")
    func signature() throws {
        let scheme = try #require(try F.provider().webhooks)
        let fingerprint = Secret("dlocal-secret-0001").fingerprint
        #expect(scheme.check(Self.delivery()) == SignatureCheck(.valid, keyFingerprint: fingerprint))
        #expect(scheme.check(Self.delivery(Self.body + " ")).verdict == .invalid)
        #expect(scheme.check(Self.delivery(Self.body.replacing("120.00", with: "120.0"))).verdict == .invalid)
        var late = Self.signed
        late[0].value = "2026-07-31T12:00:00.001Z"
        #expect(scheme.check(Self.delivery(headers: late)).verdict == .invalid)
        let other = try DLocalConfiguration(
            ProviderOptions(
                environment: "live", apiKey: Secret("anotherLogin"), secrets: F.secrets))
        let foreign = DLocal(configuration: other, statusMap: try F.map())
        #expect(foreign.webhooks?.check(Self.delivery()).verdict == .invalid)
        let wrong = try DLocalConfiguration(
            ProviderOptions(
                environment: "live", apiKey: Secret("sandboxLogin01"),
                secrets: ["trans_key": Secret("t"), "secret_key": Secret("another")]))
        #expect(
            DLocal(configuration: wrong, statusMap: try F.map()).webhooks?.check(Self.delivery()).verdict == .invalid)
    }

    @Test("a former key verifies as well, and so does one of the payment; an old notification never goes stale")
    func keys() throws {
        let configuration = try DLocalConfiguration(
            ProviderOptions(
                environment: "live", apiKey: Secret("sandboxLogin01"),
                secrets: ["trans_key": Secret("t"), "secret_key": Secret("new")],
                webhookSecrets: [Secret("new"), Secret("dlocal-secret-0001")]))
        let scheme = try #require(DLocal(configuration: configuration, statusMap: try F.map()).webhooks)
        #expect(scheme.keyFingerprints.count == 2)
        #expect(scheme.check(Self.delivery()).keyFingerprint == Secret("dlocal-secret-0001").fingerprint)
        var old = Self.delivery()
        old.receivedAt = Timestamp(seconds: 1_900_000_000)
        #expect(scheme.check(old).verdict == .valid)
        let bare = DLocal(
            configuration: try DLocalConfiguration(
                ProviderOptions(
                    environment: "live", apiKey: Secret("sandboxLogin01"),
                    secrets: ["trans_key": Secret("t"), "secret_key": Secret("new")])), statusMap: try F.map())
        #expect(bare.webhooks?.check(Self.delivery()).verdict == .invalid)
        #expect(bare.webhooks?.check(Self.delivery(), also: [Secret("dlocal-secret-0001")]).verdict == .valid)
    }

    @Test("the code may stand bare in Signature; capitals, blanks and a proxy's own Authorization do no harm")
    func forms() throws {
        let scheme = try #require(try F.provider().webhooks)
        func verdict(_ headers: [(name: String, value: String)]) -> Verdict {
            scheme.check(Self.delivery(headers: [("X-Date", Self.date)] + headers)).verdict
        }
        #expect(verdict([("Signature", Self.signature)]) == .valid)
        #expect(verdict([("Signature", Self.signature.uppercased())]) == .valid)
        #expect(verdict([("Authorization", "V2-HMAC-SHA256,Signature:\(Self.signature) ")]) == .valid)
        #expect(verdict([("Authorization", "Basic eDp5"), ("Signature", Self.signature)]) == .valid)
        #expect(verdict([("Authorization", "Basic eDp5")]) == .invalid)
        #expect(verdict([("Authorization", "V1-HMAC-SHA256, Signature: \(Self.signature)")]) == .invalid)
        #expect(verdict([("Authorization", "V2-HMAC-SHA256, Signature: \(Self.signature.dropLast(2))")]) == .invalid)
        #expect(verdict([("Authorization", "")]) == .unsigned)
        #expect(verdict([]) == .unsigned)
        #expect(scheme.check(Self.delivery(headers: [Self.signed[1]])).verdict == .invalid)
    }

    private func scheme() throws -> any WebhookScheme {
        let scheme = try F.provider().webhooks
        return try #require(scheme)
    }

    private func event(_ body: String) throws -> MappedEvent {
        try scheme().event(Self.delivery(body), bodyDigest: [0xAB])
    }

    @Test("a payment's event has its status at the time of sending, and a key of id, words and bytes")
    func payment() throws {
        let event = try event(F.paid)
        #expect(event.eventKey == "T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b/PAID/200/ab")
        #expect(event.kind == "payment")
        #expect(event.transactionID == "T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b")
        #expect(event.rawStatus == "PAID")
        #expect(event.reading?.money == .taken)
        #expect(event.eventTime == Timestamp("2026-07-31T12:00:00Z"))
        #expect(event.direction == .in)
        #expect(event.referenceTexts.contains("book:order=ORDER_12345"))
        #expect(event.flagTexts == [])
        let waiting = try self.event(
            #"{"id":"T","status":"PENDING","status_code":"100","payment_method_type":"CARD","payment_method_flow":"DIRECT"}"#
        )
        #expect(waiting.reading?.money == .held)
        #expect(try self.event(#"{"id":"T","status":"ODD"}"#).flagTexts == ["status_unknown"])
    }

    @Test("refunds and chargebacks are told by their shape, name their payment, and say nothing of its state")
    func others() throws {
        let refund = try event(F.refund)
        #expect(refund.kind == "refund")
        #expect(refund.transactionID == "refund/REF-648-7b1d0a52-2222-4c1e-8f00-0a9b8c7d6e5f")
        #expect(refund.reading == nil)
        #expect(refund.rawStatus == "SUCCESS")
        #expect(refund.referenceTexts.contains("dlocal:transaction=T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b"))
        let chargeback = try event(F.chargeback)
        #expect(chargeback.kind == "chargeback")
        #expect(chargeback.transactionID == "dispute/CHAR90210")
        #expect(chargeback.reading == nil)
    }

    @Test(
        "the shape decides",
        arguments: [
            (#"{"id":"REF-1","status":"PENDING"}"#, "refund/REF-1"),
            (#"{"id":"CHAR1","status":"PENDING","payment_id":"T"}"#, "dispute/CHAR1"),
            (#"{"id":"9","status":"SUCCESS","payment_id":"T"}"#, "refund/9"),
            (#"{"id":"9","status":"IN_DISPUTE"}"#, "dispute/9"),
            (#"{"id":"9","status":"REVERSAL"}"#, "dispute/9"),
            (#"{"id":"9","status":"PENDING","payment_id":"T","amount_refunded":0}"#, "refund/9"),
            (#"{"id":"9","status":"PENDING","payment_id":"T","reason_code":"1"}"#, "dispute/9"),
            (#"{"id":"9","status":"REJECTED","payment_id":"T"}"#, "refund/9"),
            (#"{"id":"9","status":"REJECTED"}"#, "9"), (#"{"id":"9","status":"PAID","payment_id":null}"#, "9"),
            (#"{"id":"9"}"#, "9"),
        ])
    func shape(_ body: String, _ subject: String) throws {
        #expect(try event(body).transactionID == subject)
    }

    @Test("where nobody can tell a refund from a chargeback, both are looked for")
    func ambiguous() throws {
        let event = try event(#"{"id":"9","status":"PENDING","payment_id":"T"}"#)
        #expect(event.referenceTexts == ["dlocal:dispute=9", "dlocal:refund=9", "dlocal:transaction=T"])
    }

    @Test("what is no event is set aside under a key, with the payment it names")
    func faults() throws {
        #expect(throws: RowFault("no object", recordID: "ab")) { try event("[1]") }
        do {
            _ = try event(#"{"id":"T","status":{},"order_id":"A-1"}"#)
            Issue.record("a fault expected")
        } catch let fault as RowFault {
            #expect(fault.reason == "type_changed: status string->object")
            #expect(fault.references.map(\.description).sorted() == ["book:order=A-1", "dlocal:transaction=T"])
        }
        #expect(throws: RowFault.self) { try event(#"{"status":"PAID"}"#) }
        #expect(throws: RowFault.self) { try event(#"{"id":"T","id":"U","status":"PAID"}"#) }
    }

    @Test("without a date of sending the event has no time, and says so")
    func undated() throws {
        let scheme = try #require(try F.provider().webhooks)
        let event = try scheme.event(Self.delivery(headers: []), bodyDigest: [1])
        #expect(event.eventTime == nil)
        #expect(event.flagTexts == ["event_time_missing"])
    }
}
