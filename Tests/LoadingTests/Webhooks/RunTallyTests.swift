import Loading
import Payments
import Providers
import Testing

@Suite("What a run learnt of a source's events")
struct RunTallyTests {
    let fixture: FileFixture
    static let tally =
        "run_id, events, not_evidence, invalid, stale, unsigned, no_key) from tieout.webhook_run order by run_id"

    init() throws { fixture = try FileFixture() }

    private func load(_ lines: [String], _ source: WebhookSource? = nil, hours: Int64 = 0) throws {
        let path = try fixture.write(lines.joined(separator: "\n"), to: "hooks-\(hours).jsonl")
        _ = try loader(source, hours: hours).load(paths: [path])
    }

    private func loader(_ source: WebhookSource?, hours: Int64) throws -> WebhookHistoryLoader {
        WebhookHistoryLoader(
            fixture.context(hours: hours), fixture.connection, sources: [try source ?? Capture.source()])
    }

    private static func line(_ event: String, received: Int, forged: Bool = false) -> String {
        Capture.line(
            Capture.body(event, "W-\(event)", "SETTLED", second: 1), received: received, signed: forged ? "x" : nil)
    }

    private static func unsigned(_ event: String, received: Int) -> String {
        Self.line(event, received: received).replacing("Meld-Signature\"", with: "X-Other\"")
    }

    @Test("each event counts once, by its best delivery, in the run that first held it as it stands")
    func counts() throws {
        try load([
            Self.line("good", received: 1), Self.line("bad", received: 2, forged: true),
            Self.line("mended", received: 3, forged: true), Self.line("mended", received: 4),
            Self.unsigned("bare", received: 5),
        ])
        #expect(try fixture.rows(Self.tally) == ["1|4|2|1|0|1|0"])
        // The same once more, and a redelivery that proves nothing: neither is news of this run.
        try load([Self.line("good", received: 1), Self.line("bad", received: 9, forged: true)], hours: 1)
        #expect(try fixture.rows(Self.tally) == ["1|4|2|1|0|1|0", "2|1|1|1|0|0|0"])
        try load([Self.line("good", received: 20, forged: true)], hours: 2)
        #expect(try fixture.rows(Self.tally).count == 2)
        let events = "run_id, count(*), count(*) filter (where verdict <> 'valid')) from tieout.webhook_event"
        #expect(try fixture.rows(events + " group by run_id order by run_id") == ["1|3|1", "2|1|1"])
    }

    @Test("an event proven by a key that came later counts as valid in the run that judged it again")
    func judgedAgain() throws {
        try load([Self.line("a", received: 1), Self.line("b", received: 2)], try Capture.source("meld-live", []))
        #expect(try fixture.rows(Self.tally) == ["1|2|2|0|0|0|2"])
        _ = try loader(nil, hours: 1).load(paths: [])
        #expect(try fixture.rows(Self.tally) == ["1|2|2|0|0|0|2", "2|2|0|0|0|0|0"])
    }

    @Test("unsigned deliveries of a source that sends no signatures are not counted against it")
    func declared() throws {
        let open = WebhookSource(
            id: "meld-live", scheme: try Capture.scheme(), urls: [Capture.url], unsignedCounts: true)
        try load([Self.unsigned("a", received: 1), Self.line("b", received: 2)], open)
        #expect(try fixture.rows(Self.tally) == ["1|2|0|0|0|1|0"])
    }
}
