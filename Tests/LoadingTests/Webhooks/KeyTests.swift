import Compression
import Crypto
import Loading
import Payments
import Postgres
import Providers
import TestSupport
import Testing

@Suite("Keys of webhooks")
struct KeyTests {
    let fixture: FileFixture
    static let old = Secret("fake-retired-secret")
    static let verdicts = "event_key, verdict, key_fingerprint) from tieout.webhook_event order by event_key"

    init() throws { fixture = try FileFixture() }

    private func load(_ lines: [String], _ source: WebhookSource, hours: Int64 = 0) throws -> LoadOutcome {
        var paths: [String] = []
        if !lines.isEmpty { paths = [try fixture.write(lines.joined(separator: "\n"), to: "hooks-\(hours).jsonl")] }
        return try WebhookHistoryLoader(fixture.context(hours: hours), fixture.connection, sources: [source])
            .load(paths: paths)
    }

    private static func line(_ event: String, received: Int, secret: Secret = Capture.secret) -> String {
        Capture.line(Capture.body(event, "W-\(event)", "SETTLED", second: 1), received: received, secret: secret)
    }

    @Test("two secrets at once: each event names the key that proves it; one signed by neither is invalid")
    func rotation() throws {
        let both = try Capture.source("meld-live", [Capture.secret, Self.old])
        _ = try load(
            [
                Self.line("a", received: 1), Self.line("b", received: 2, secret: Self.old),
                Self.line("c", received: 3, secret: Secret("neither")),
            ], both)
        #expect(
            try fixture.rows(Self.verdicts) == [
                "a|valid|\(Capture.secret.fingerprint)", "b|valid|\(Self.old.fingerprint)", "c|invalid",
            ])
    }

    @Test("what a retired key has proven stays valid, and what comes under it later is invalid")
    func retired() throws {
        _ = try load([Self.line("a", received: 1, secret: Self.old)], try Capture.source("meld-live", [Self.old]))
        let outcome = try load([Self.line("b", received: 2, secret: Self.old)], try Capture.source(), hours: 1)
        #expect(outcome.new == 1)
        #expect(try fixture.rows(Self.verdicts) == ["a|valid|\(Self.old.fingerprint)", "b|invalid"])
        #expect(try fixture.rows("event_key) from tieout.webhook_pending") == ["b"])
    }

    @Test("waiting events are judged again where keys changed, and only there; their verdict follows the keys of today")
    func changedKeys() throws {
        _ = try load([Self.line("a", received: 1)], try Capture.source("meld-live", []))
        #expect(try fixture.rows(Self.verdicts) == ["a|no_key"])
        _ = try load([], try Capture.source("meld-live", [Self.old]), hours: 1)
        #expect(try fixture.rows(Self.verdicts) == ["a|invalid"])
        #expect(try fixture.rows("verdict) from tieout.webhook_delivery") == ["invalid"])
        // Twin: the same keys judge nothing again.
        try fixture.connection.execute("update tieout.webhook_event set verdict = 'stale'")
        _ = try load([], try Capture.source("meld-live", [Self.old]), hours: 2)
        #expect(try fixture.rows(Self.verdicts) == ["a|stale"])
        let proven = try load([], try Capture.source("meld-live", [Self.old, Capture.secret]), hours: 3)
        #expect(proven.changed == 1)
        #expect(try fixture.rows(Self.verdicts) == ["a|valid|\(Capture.secret.fingerprint)"])
        #expect(try fixture.count("webhook_pending") == 0)
    }

    @Test("unsigned events wait, and are evidence once the source is declared to send no signatures")
    func declaredUnsigned() throws {
        let bare = Self.line("a", received: 1).replacing("Meld-Signature\"", with: "X-Other\"")
        _ = try load([bare], try Capture.source())
        #expect(try fixture.rows("verdict, evidence_pack is null) from tieout.webhook_event") == ["unsigned|t"])
        let open = WebhookSource(
            id: "meld-live", scheme: try Capture.scheme(), urls: [Capture.url], unsignedCounts: true)
        _ = try load([], open, hours: 1)
        #expect(try fixture.rows("verdict, evidence_pack is null) from tieout.webhook_event") == ["unsigned|f"])
        #expect(try fixture.count("webhook_pending") == 0)
    }

    private func source(_ lookUp: SecretLookUp) throws -> WebhookSource {
        WebhookSource(id: "meld-live", scheme: try Capture.scheme([]), urls: [Capture.url], lookUp: lookUp)
    }

    @Test("each payment's own secret proves its events, and no other payment's")
    func perPayment() throws {
        let one = Secret("secret-of-one")
        let two = Secret("secret-of-two")
        let csv = "secret,note,reference\n\(one.reveal()),x,W-a\n\(two.reveal()),y,W-b\n"
        let source = try source(try SecretLookUp(csv: csv, file: "secrets.csv"))
        _ = try load(
            [
                Self.line("a", received: 1, secret: one), Self.line("b", received: 2, secret: one),
                Self.line("c", received: 3, secret: one),
            ], source)
        #expect(try fixture.rows(Self.verdicts) == ["a|valid|\(one.fingerprint)", "b|invalid", "c|no_key"])
        // Later the table knows the third payment too.
        let more = try self.source(try SecretLookUp(csv: csv + "\(one.reveal()),z,W-c\n", file: "secrets.csv"))
        _ = try load([], more, hours: 1)
        #expect(
            try fixture.rows(Self.verdicts)
                == ["a|valid|\(one.fingerprint)", "b|invalid", "c|valid|\(one.fingerprint)"])
    }

    @Test("secrets of payments are asked of the merchant's database, a batch at a time, and stored nowhere")
    func byQuery() throws {
        try fixture.connection.script(
            "create schema shop; create table shop.pay (id text, key text); insert into shop.pay values ('W-a', 'hush-hush-1')"
        )
        let query = MerchantQuery(
            name: "webhook secrets query",
            text: "select id as reference, key as secret from shop.pay where id = any($1)",
            connection: Secret(fixture.database.conninfo))
        _ = try load(
            [Self.line("a", received: 1, secret: Secret("hush-hush-1")), Self.line("b", received: 2)],
            try source(SecretLookUp(query)))
        #expect(
            try fixture.rows(Self.verdicts) == ["a|valid|\(Secret("hush-hush-1").fingerprint)", "b|no_key"])
        for table in ["webhook_event", "webhook_delivery", "webhook_pending", "webhook_keys"] {
            #expect(try fixture.rows("count(*)) from tieout.\(table) t where t::text like '%hush%'") == ["0"])
        }
        let broken = MerchantQuery(
            name: "webhook secrets query", text: "select id, key from shop.pay where id = any($1)",
            connection: Secret(fixture.database.conninfo))
        let fault = #expect(throws: LoadFault.self) {
            try load([Self.line("d", received: 4)], try source(SecretLookUp(broken)), hours: 1)
        }
        #expect(fault?.message == "webhook secrets query: the query gives no column reference")
    }

    @Test(
        "secrets' database out of reach: no event is judged without it, nothing is stored, and the next reading mends it"
    )
    func outOfReach() throws {
        let own = Secret("hush-hush-1")
        let gone = MerchantQuery(
            name: "webhook secrets query", text: "select 1 where 'a' = any($1)",
            connection: Secret("host=/nowhere dbname=none connect_timeout=1"))
        let lines = [Self.line("a", received: 1, secret: own)]
        let fault = #expect(throws: LoadFault.self) { try load(lines, try source(SecretLookUp(gone))) }
        #expect(fault?.kind == .noSecrets)
        #expect(fault?.message.hasPrefix("meld-live: webhook secrets query: ") == true)
        #expect(try fixture.rows("count(*)) from tieout.webhook_event") == ["0"])
        _ = try load(lines, try source(SecretLookUp(["W-a": [own]])), hours: 1)
        #expect(try fixture.rows(Self.verdicts) == ["a|valid|\(own.fingerprint)"])
    }

    @Test(
        "a file of secrets without its columns or with a gap is refused, naming file and record",
        arguments: [
            ("reference,key\nW,s\n", "the header must name the columns reference and secret"),
            ("reference,secret\nW,s\nV,\n", "record 3 lacks its reference or secret"),
            ("", "no CSV with a header"),
        ])
    func badTable(csv: String, message: String) {
        let fault = #expect(throws: LoadFault.self) { try SecretLookUp(csv: csv, file: "secrets.csv") }
        #expect(fault?.message == "secrets.csv: \(message)")
    }

    @Test(
        "case 24: bodies kept whole verify months later from what is stored, by the key of that time; cut ones do not")
    func keptWhole() throws {
        let body = Capture.body(
            "a", "W-a", "SETTLED", second: 1, extra: #","customer":{"email":"zoe@example.com"}"#)
        for (retainsAll, verdict) in [(true, Verdict.valid), (false, .invalid)] {
            let fixture = try FileFixture()
            let source = WebhookSource(
                id: "meld-live", scheme: try Capture.scheme(), urls: [Capture.url], retainsAll: retainsAll)
            let path = try fixture.write(Capture.line(body, received: 1), to: "hooks.jsonl")
            _ = try WebhookHistoryLoader(fixture.context(), fixture.connection, sources: [source]).load(paths: [path])
            let row = try fixture.connection.query(
                "select e.body, d.evidence_offset, d.evidence_length, d.url, d.received_at, "
                    + "d.signature_headers ->> 'meld-signature' as code, d.signature_headers ->> 'meld-signature-timestamp' as at "
                    + "from tieout.webhook_delivery d join tieout.evidence e on e.pack_no = d.evidence_pack"
            ).only()
            let offset = Int(try row.int("evidence_offset"))
            let kept = try Zstd.decompress(try row.bytes("body"), limit: 1 << 20)[
                offset..<offset + Int(try row.int("evidence_length"))]
            let stored = WebhookDelivery(
                receivedAt: try row.timestamp("received_at"), url: try row.text("url"),
                headers: [
                    ("meld-signature", try row.text("code")), ("meld-signature-timestamp", try row.text("at")),
                ], body: Array(kept))
            #expect(try Capture.scheme().check(stored).verdict == verdict)
            #expect(String(decoding: kept, as: UTF8.self).contains("zoe@") == retainsAll)
        }
    }
}
