import Crypto
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Stripe: webhooks and events")
struct StripeWebhookTests {
    typealias S = StripeSample
    static let secret = "whsec_test_secret"
    static let body = "{\"id\":\"evt_1\",\"object\":\"event\"}"
    static let code = "8f83adc958aec9dafca5bf0afee1e5285ddd54927154c26c0ab90e4cb705bb66"

    static func delivery(
        _ header: String?, body: String = body, at seconds: Int64 = 1_785_499_200
    ) -> WebhookDelivery {
        WebhookDelivery(
            receivedAt: Timestamp(seconds: seconds), url: "https://recon.example.com/hooks/stripe",
            headers: header.map { [("STRIPE-Signature", $0)] } ?? [], body: Array(body.utf8))
    }

    static func verdict(
        _ header: String?, body: String = body, at seconds: Int64 = 1_785_499_200, _ secrets: [String] = [secret]
    )
        throws -> Verdict
    {
        try #require(try S.stripe(secrets: secrets).webhooks).check(delivery(header, body: body, at: seconds)).verdict
    }

    @Test("case 24: the sheet's vector verifies over the raw bytes; one byte changed, or another key, does not")
    func vector() throws {
        let header = "t=1785499200,v1=\(Self.code)"
        #expect(try Self.verdict(header) == .valid)
        #expect(try Self.verdict(header, body: Self.body + "\n") == .invalid)
        #expect(try Self.verdict(header, body: "{ \"id\":\"evt_1\",\"object\":\"event\"}") == .invalid)
        #expect(try Self.verdict("t=1785499201,v1=\(Self.code)") == .invalid)
        #expect(try Self.verdict(header, ["whsec_other"]) == .invalid)
        #expect(try Self.verdict(header, ["whsec_other", Self.secret]) == .valid)
        #expect(try Self.verdict(header, []) == .noKey)
        #expect(try Self.verdict(nil) == .unsigned)
        let check = try #require(try S.stripe(secrets: ["whsec_new", Self.secret]).webhooks).check(
            Self.delivery(header))
        #expect(check.keyFingerprint == Secret(Self.secret).fingerprint)
        // A payment's own secret is tried after the source's.
        let scheme = try #require(try S.stripe(secrets: ["whsec_new"]).webhooks)
        #expect(scheme.check(Self.delivery(header), also: [Secret(Self.secret)]).verdict == .valid)
    }

    @Test("any of several v1 may fit, other schemes prove nothing, blanks do no harm")
    func schemes() throws {
        let wrong = String(repeating: "0", count: 64)
        #expect(try Self.verdict("t=1785499200,v1=\(wrong),v1=\(Self.code)") == .valid)
        #expect(try Self.verdict("t=1785499200, v0=\(wrong), v1=\(Self.code)") == .valid)
        #expect(try Self.verdict("v1=\(Self.code),t=1785499200") == .valid)
        #expect(try Self.verdict("t=1785499200,v0=\(Self.code)") == .invalid)
        #expect(try Self.verdict("t=1785499200,v1=\(wrong)") == .invalid)
        #expect(try Self.verdict("t=1785499200,v1=\(Self.code.uppercased())") == .invalid)
        #expect(try Self.verdict("t=1785499200,v1=") == .invalid)
        for header in [
            "v1=\(Self.code)", "t=,v1=\(Self.code)", "t=x,v1=\(Self.code)", "nonsense",
            "t=99999999999999999999,v1=\(Self.code)",
        ] {
            #expect(try Self.verdict(header) == .invalid)
        }
        #expect(try Self.verdict("t=1785499200,t=1785499200,v1=\(Self.code)") == .invalid)
    }

    @Test("300 s are judged at arrival, and only the past; the option widens it or takes it away")
    func tolerance() throws {
        let header = "t=1785499200,v1=\(Self.code)"
        #expect(try Self.verdict(header, at: 1_785_499_500) == .valid)
        #expect(try Self.verdict(header, at: 1_785_499_501) == .stale)
        #expect(try Self.verdict(header, at: 1_785_400_000) == .valid)
        let forged = "t=1785499200,v1=\(String(repeating: "0", count: 64))"
        #expect(try Self.verdict(forged, at: 1_785_499_501) == .invalid)
        func verdict(_ tolerance: String) throws -> Verdict? {
            try S.stripe(["webhook_tolerance": tolerance], secrets: [Self.secret]).webhooks?
                .check(Self.delivery(header, at: 1_785_500_200)).verdict
        }
        #expect(try verdict("0") == .valid)
        #expect(try verdict("1000") == .valid)
        #expect(try verdict("999") == .stale)
    }

    static func event(_ text: String, _ options: [String: String] = [:]) throws -> MappedEvent {
        let provider = try S.stripe(options)
        return try #require(provider.webhooks).event(delivery(nil, body: text), bodyDigest: [0xAB])
    }

    @Test("example 10.2 is read at its own time, with the session, the order and the state")
    func example() throws {
        let event = try Self.event(S.event([("\"metadata\":{}", "\"metadata\":{\"order_id\":\"A-17\"}")]))
        #expect(event.eventKey == "evt_1RfA0002ExampleBBBB")
        #expect(event.kind == "crypto.onramp_session.updated")
        #expect(event.transactionID == "cos_1RfA0001ExampleAAAA")
        #expect(event.rawStatus == "fulfillment_processing")
        #expect(event.reading?.state == .paid)
        #expect(event.reading?.money == .taken)
        #expect(event.eventTime == Timestamp(seconds: 1_785_499_321))
        #expect(event.direction == .in)
        #expect(!event.isTest)
        #expect(event.flagTexts == [])
        #expect(event.referenceTexts == ["book:order=A-17", "stripe:transaction=cos_1RfA0001ExampleAAAA"])
    }

    @Test("the status just before counts as seen: a rejection after a payment took the money")
    func previousStatus() throws {
        let rejected = [("\"status\":\"fulfillment_processing\"", "\"status\":\"rejected\"")]
        #expect(try Self.event(S.event(rejected)).reading?.money == MoneyState.none)
        let paid = rejected + [("\"status\":\"requires_payment\"", "\"status\":\"fulfillment_processing\"")]
        #expect(try Self.event(S.event(paid)).reading?.money == .taken)
        #expect(try Self.event(S.event(paid)).reading?.state == .declined)
        // Where it says nothing, or something else has changed, the status itself counts.
        let nothing = [(",\"previous_attributes\":{\"status\":\"requires_payment\"}", "")]
        #expect(try Self.event(S.event(rejected + nothing)).reading?.money == MoneyState.none)
        let other = [("{\"status\":\"requires_payment\"}", "{\"redirect_url\":null}")]
        #expect(try Self.event(S.event(rejected + other)).reading?.money == MoneyState.none)
    }

    @Test("unofficial types carry no state; those of other products nothing but their name")
    func otherKinds() throws {
        for kind in ["completed", "failed", "created"] {
            let event = try Self.event(S.event([("onramp_session.updated", "onramp_session.\(kind)")]))
            #expect(event.rawStatus == nil && event.reading == nil && event.transactionID == nil)
            #expect(event.flagTexts == ["kind_unofficial"])
        }
        let foreign =
            "{\"id\":\"evt_9\",\"type\":\"charge.refunded\",\"created\":1785499321,\"livemode\":false,\"data\":{\"object\":{\"id\":\"ch_1\",\"status\":\"rejected\",\"billing_details\":{\"name\":\"LEAK\"}}}}"
        let event = try Self.event(foreign)
        #expect(event.eventKey == "evt_9")
        #expect(event.rawStatus == nil && event.transactionID == nil && event.references.isEmpty)
        #expect(!event.isTest)
        let scheme = try #require(try S.stripe().webhooks)
        let kept = scheme.redaction(ofKind: event.kind).kept(try JSONDocument(foreign).root).bytes
        #expect(!String(decoding: kept, as: UTF8.self).contains("LEAK"))
        let lister = try #require(try S.stripe().events)
        #expect(try lister.event(try JSONDocument(foreign).root) == nil)
    }

    @Test("case 26: a test event of a live source is marked; a body without an id is known by its digest")
    func testMode() throws {
        let live = try S.stripe([:], environment: "live", key: "sk_live_x")
        let scheme = try #require(live.webhooks)
        #expect(try scheme.event(Self.delivery(nil, body: S.event()), bodyDigest: [1]).isTest)
        let real = S.event([("\"livemode\":false,\"pending", "\"livemode\":true,\"pending")])
        #expect(try !scheme.event(Self.delivery(nil, body: real), bodyDigest: [1]).isTest)
        let bare = try Self.event("{}")
        #expect(bare.eventKey == "ab")
        #expect(bare.flagTexts.contains("event_id_missing"))
        #expect(throws: RowFault.self) { try Self.event("[]") }
        let odd = S.event([("\"status\":\"fulfillment_processing\"", "\"status\":{\"x\":1}")])
        do {
            _ = try Self.event(odd)
            Issue.record("a status that is an object was read")
        } catch let fault as RowFault {
            #expect(fault.reason == "type_changed: data.object.status string->object")
            #expect(fault.recordID == "evt_1RfA0002ExampleBBBB")
            #expect(fault.references.map(\.description) == ["stripe:transaction=cos_1RfA0001ExampleAAAA"])
        }
    }

    @Test("no secret of an event is kept, in what it is or what it was before")
    func redaction() throws {
        let text = S.event([
            ("_secret_x", "_secret_LEAK1"), ("\"redirect_url\":null", "\"redirect_url\":\"LEAK2\""),
            ("\"metadata\":{}", "\"metadata\":{\"email\":\"LEAK3\"}"),
            ("\"idempotency_key\":null", "\"idempotency_key\":\"LEAK4\""),
            (
                "{\"status\":\"requires_payment\"}",
                "{\"status\":\"requires_payment\",\"redirect_url\":\"LEAK5\",\"metadata\":{\"name\":\"LEAK6\"},\"client_secret\":\"LEAK7\"}"
            ),
        ])
        let scheme = try #require(try S.stripe().webhooks)
        let root = try JSONDocument(text).root
        let kept = String(
            decoding: scheme.redaction(ofKind: "crypto.onramp_session.updated").kept(root).bytes, as: UTF8.self)
        #expect(!kept.contains("LEAK"))
        #expect(kept.contains("requires_payment") && kept.contains("fulfillment_processing"))
        #expect(try Self.event(kept).reading == (try Self.event(text).reading))
    }

    @Test("a fetched event is the delivered one; what changes with deliveries makes no other of it")
    func fetched() throws {
        let lister = try #require(try S.stripe().events)
        let root = try JSONDocument(S.event()).root
        let event = try #require(try lister.event(root))
        #expect(event == (try Self.event(S.event())))
        func compared(_ changes: [(String, String)]) throws -> [UInt8] {
            lister.comparison(ofKind: event.kind).kept(try JSONDocument(S.event(changes)).root).bytes
        }
        let settled = [("\"pending_webhooks\":1", "\"pending_webhooks\":0"), ("{\"id\":null", "{\"id\":\"req_1\"")]
        #expect(try compared(settled) == (try compared([])))
        #expect(try compared([("fulfillment_processing", "rejected")]) != (try compared([])))
        #expect(throws: RowFault.self) {
            try lister.event(try JSONDocument(S.event([("\"created\":1785499321,", "")])).root)
        }
        #expect(throws: RowFault.self) {
            try lister.event(try JSONDocument(S.event([("\"id\":\"evt_1RfA0002ExampleBBBB\",", "")])).root)
        }
        #expect(throws: RowFault.self) { try lister.event(try JSONDocument("7").root) }
    }
}
