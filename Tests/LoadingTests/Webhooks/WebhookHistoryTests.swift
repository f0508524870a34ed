import Compression
import Crypto
import Loading
import Payments
import Postgres
import TestSupport
import Testing

@Suite("Webhook history")
struct WebhookHistoryTests {
    let fixture: FileFixture

    init() throws { fixture = try FileFixture() }

    private func load(
        _ lines: [String], _ source: WebhookSource? = nil, hours: Int64 = 0, name: String = "hooks.jsonl"
    ) throws -> LoadOutcome {
        let path = try fixture.write(lines.joined(separator: "\n"), to: name)
        return try loader(source, hours: hours).load(paths: [path])
    }

    private func loader(_ source: WebhookSource? = nil, hours: Int64 = 0) throws -> WebhookHistoryLoader {
        let source = try source ?? Capture.source()
        return WebhookHistoryLoader(fixture.context(hours: hours), fixture.connection, sources: [source])
    }

    static let events =
        "event_key, raw_status, verdict, deliveries, array_to_string(flags, ' '))"
        + " from tieout.webhook_event order by event_key"

    @Test("case 19: an older event that arrives later is stored, flagged, and not applied", arguments: [false, true])
    func olderEventLater(reversed: Bool) throws {
        let newer = Capture.line(Capture.body("evt_2", "W1", "SETTLED", second: 100), received: 200)
        let older = Capture.line(Capture.body("evt_1", "W1", "PENDING", second: 90), received: 201)
        let files = reversed ? [older, newer] : [newer, older]
        for (index, line) in files.enumerated() { _ = try load([line], hours: Int64(index), name: "\(index).jsonl") }
        #expect(
            try fixture.rows(Self.events) == ["evt_1|PENDING|valid|1|out_of_order", "evt_2|SETTLED|valid|1|"])
        #expect(
            try fixture.rows(
                "event_key, applied, out_of_order) from tieout.webhook_delivery order by event_key")
                == ["evt_1|f|t", "evt_2|t|f"])
    }

    @Test("a capture of several sources covers each of them as far as its newest delivery; one it does not hold stays")
    func severalSources() throws {
        let other = "https://recon.example.com/hooks/two"
        let sources = [
            try Capture.source(), WebhookSource(id: "meld-two", scheme: try Capture.scheme(), urls: [other]),
        ]
        func load(_ lines: [String], _ name: String, hours: Int64) throws {
            let path = try fixture.write(lines.joined(separator: "\n"), to: name)
            _ = try WebhookHistoryLoader(fixture.context(hours: hours), fixture.connection, sources: sources)
                .load(paths: [path])
        }
        let feed = "source_id, extract(epoch from watermark)::bigint - 1786363200) from tieout.feed_state order by 1"
        try load(
            [
                Capture.line(Capture.body("evt_1", "W1", "PENDING", second: 90), received: 200),
                Capture.line(Capture.body("evt_2", "V1", "PENDING", second: 95), received: 100, url: other),
            ], "a.jsonl", hours: 1)
        #expect(try fixture.rows(feed) == ["meld-live|200", "meld-two|200"])
        try load(
            [Capture.line(Capture.body("evt_3", "W1", "SETTLED", second: 300), received: 301)], "b.jsonl", hours: 2)
        #expect(try fixture.rows(feed) == ["meld-live|301", "meld-two|200"])
    }

    @Test("case 19 twin: events that arrive in their own order are applied and carry no flag")
    func inOrder() throws {
        _ = try load([
            Capture.line(Capture.body("evt_1", "W1", "PENDING", second: 90), received: 200),
            Capture.line(Capture.body("evt_2", "W1", "SETTLED", second: 100), received: 201),
        ])
        #expect(try fixture.rows("applied, out_of_order) from tieout.webhook_delivery") == ["t|f", "t|f"])
    }

    @Test("case 21: one event three times in a batch with two bodies keeps the newest, and the older as a delivery")
    func threeTimes() throws {
        var lines = (0..<497).map {
            Capture.line(Capture.body("evt_\($0 + 100)", "W\($0)", "SETTLED", second: $0), received: 1000 + $0)
        }
        lines.append(Capture.line(Capture.body("evt_77", "W9", "PENDING", second: 5), received: 10))
        lines.append(Capture.line(Capture.body("evt_77", "W9", "SETTLED", second: 5), received: 12, retry: 1))
        lines.append(Capture.line(Capture.body("evt_77", "W9", "PENDING", second: 5), received: 11, retry: 2))
        let outcome = try load(lines)
        #expect(outcome.new == 498)
        #expect(outcome.duplicates == 2)
        #expect(try fixture.count("webhook_event") == 498)
        #expect(
            try fixture.rows(
                "raw_status, deliveries, max_retry, array_to_string(flags, ' ')) from tieout.webhook_event"
                    + " where event_key = 'evt_77'") == ["SETTLED|3|2|body_changed"])
        #expect(
            try fixture.rows(
                "applied, count(*)) from tieout.webhook_delivery where event_key = 'evt_77' group by applied"
            )
            .sorted() == ["f|2", "t|1"])
    }

    @Test("case 22: a load that dies before it commits leaves nothing seen; the file loads again")
    func diesBeforeCommit() throws {
        let body = Capture.body("evt_5", "W5", "SETTLED", second: 5)
        let lines = (0..<4).map { Capture.line(body, received: 10 + $0, retry: $0 == 0 ? nil : $0) }
        // The table of loaded files is written last: what happens there takes everything back.
        try fixture.connection.execute(
            "alter table tieout.loaded_file add constraint dies check (records < 0) not valid")
        #expect(throws: PostgresError.self) { try load(lines) }
        #expect(try fixture.count("webhook_event") == 0)
        try fixture.connection.execute("alter table tieout.loaded_file drop constraint dies")
        _ = try load(lines)
        #expect(try fixture.rows(Self.events) == ["evt_5|SETTLED|valid|4|"])
    }

    @Test("case 23: four deliveries, twice at the same time, are applied once")
    func concurrently() async throws {
        let body = Capture.body("evt_9", "W9", "REFUNDED", second: 5)
        let lines = (0..<4).map { Capture.line(body, received: 10 + $0) }
        let one = try fixture.write(lines.joined(separator: "\n"), to: "one.jsonl")
        let two = try fixture.write(lines.reversed().joined(separator: "\n"), to: "two.jsonl")
        let conninfo = fixture.database.conninfo
        let contexts = [fixture.context(), fixture.context()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (path, context) in zip([one, two], contexts) {
                group.addTask {
                    let connection = try Connection(conninfo, applicationName: "tieout-test")
                    _ = try WebhookHistoryLoader(context, connection, sources: [try Capture.source()]).load(paths: [
                        path
                    ])
                }
            }
            try await group.waitForAll()
        }
        #expect(try fixture.rows(Self.events) == ["evt_9|REFUNDED|valid|4|"])
        #expect(
            try fixture.rows("applied, count(*)) from tieout.webhook_delivery group by applied order by applied")
                == ["f|3", "t|1"])
    }

    @Test("case 24: the signature is checked over the exact bytes, blanks and escapes included")
    func exactBytes() throws {
        let body = #"{"amount": 1.0,  "eventId":"evt_1","name":"Zo\u00eb"}"#
        let again = #"{"amount":1.0,"eventId":"evt_1","name":"Zoë"}"#
        _ = try load([Capture.line(body, received: 1)])
        #expect(
            try fixture.rows("verdict, key_fingerprint) from tieout.webhook_event")
                == ["valid|\(Capture.secret.fingerprint)"])
        _ = try load([Capture.line(again, received: 2, signed: body)], hours: 1, name: "again.jsonl")
        #expect(
            try fixture.rows("verdict, applied) from tieout.webhook_delivery order by received_at")
                == ["valid|t", "invalid|f"])
        #expect(try fixture.rows("verdict) from tieout.webhook_event") == ["valid"])
        // The name is personal: what is kept is not what was signed, and both digests remain.
        #expect(try fixture.rows("body_digest <> kept_digest, evidence_pack) from tieout.webhook_event") == ["t|1"])
        #expect(try fixture.count("webhook_pending") == 0)
    }

    @Test("an event that is not valid waits byte for byte, and is judged again when the key is there")
    func judgedAgain() throws {
        let body = Capture.body("evt_1", "W1", "SETTLED", second: 1)
        let other = Secret("not-the-right-one")
        let wrong = try Capture.source("meld-live", [other])
        _ = try load([Capture.line(body, received: 1)], wrong)
        #expect(try fixture.rows("verdict, evidence_pack is null) from tieout.webhook_event") == ["invalid|t"])
        #expect(try fixture.rows("convert_from(body, 'UTF8')) from tieout.webhook_pending") == [body])
        let both = try Capture.source("meld-live", [other, Capture.secret])
        let outcome = try loader(both, hours: 1).load(paths: [])
        #expect(outcome.changed == 1)
        #expect(
            try fixture.rows("verdict, evidence_pack is null, deliveries) from tieout.webhook_event")
                == ["valid|f|1"])
        #expect(try fixture.rows("verdict, applied) from tieout.webhook_delivery") == ["valid|t"])
        #expect(try fixture.count("webhook_pending") == 0)
    }

    @Test("a bad line costs one line, a foreign address goes to quarantine without a source")
    func badLines() throws {
        let good = Capture.line(Capture.body("evt_1", "W1", "SETTLED", second: 1), received: 1)
        let foreign = Capture.line(
            Capture.body("evt_2", "W1", "SETTLED", second: 1), received: 1, url: "https://other.example.com/x")
        let outcome = try load([good, "{oops", "", foreign, #"{"receivedAt":"yesterday"}"#])
        #expect(outcome.new == 1)
        #expect(outcome.quarantined == 3)
        #expect(
            try fixture.rows("source_id, place) from tieout.quarantine order by place")
                == ["|hooks.jsonl:2", "|hooks.jsonl:4", "|hooks.jsonl:5"])
    }

    @Test("a packed file loads as a plain one; the same bytes again are skipped whole")
    func packed() throws {
        let line = Capture.line(Capture.body("evt_1", "W1", "SETTLED", second: 1), received: 1)
        let path = try fixture.write(Gzip.compress(Array(line.utf8)), to: "hooks.jsonl.gz")
        #expect(try loader().load(paths: [fixture.folder]).new == 1)
        #expect(try loader(hours: 1).load(paths: [path]).skippedFiles == 1)
        #expect(try fixture.rows("feed, records) from tieout.feed_state") == ["webhook|1"])
    }

    @Test("any order of files, any duplication and any size of batches give the same tables", arguments: 0..<6)
    func anyOrder(seed: Int) throws {
        var random = Steps(state: UInt64(seed) &* 7919 &+ 1)
        let lines = Self.world()
        var shuffled = lines + lines.shuffled(using: &random).prefix(20)
        shuffled.shuffle(using: &random)
        let cut = shuffled.count / 3
        for (index, part) in [shuffled[..<cut], shuffled[cut..<2 * cut], shuffled[(2 * cut)...]].enumerated() {
            let path = try fixture.write(part.joined(separator: "\n"), to: "part-\(index).jsonl")
            _ = try WebhookHistoryLoader(
                fixture.context(hours: Int64(index)), fixture.connection, sources: [try Capture.source()],
                batchSize: seed % 2 == 0 ? 5 + seed : WebhookHistoryLoader.batchSize
            ).load(paths: [path])
        }
        let straight = try FileFixture()
        let path = try straight.write(lines.joined(separator: "\n"), to: "all.jsonl")
        _ = try WebhookHistoryLoader(straight.context(), straight.connection, sources: [try Capture.source()])
            .load(paths: [path])
        for query in [
            "event_key, raw_status, state, money, event_time, first_received_at, last_received_at, deliveries, max_retry, received_between,"
                + " verdict, flags, body_digest, evidence_pack is null) from tieout.webhook_event order by event_key",
            "event_key, received_at, delivery_digest, verdict, applied, out_of_order, body_digest)"
                + " from tieout.webhook_delivery order by event_key, received_at, delivery_digest",
            "event_key, body_digest, received_at, delivery) from tieout.webhook_pending order by event_key, body_digest",
            "covered_from, watermark, records) from tieout.feed_state",
        ] {
            #expect(try fixture.rows(query) == straight.rows(query))
        }
    }

    /// Events of a few transactions: retries, edits, forgeries, and some that came late.
    private static func world() -> [String] {
        let statuses = ["PENDING", "SETTLING", "SETTLED", "FAILED"]
        return (0..<60).map { index in
            let event = index % 17
            let body = Capture.body(
                "evt_\(event)", "W\(event % 5)", statuses[event % 4], second: event * 10,
                extra: index % 11 == 3 ? #","note":"\#(index)""# : "")
            let received = (index * 37) % 60 * 5 + event
            return Capture.line(
                body, received: received, retry: index / 17, signed: index % 7 == 2 ? "forged" : nil)
        }
    }

    private struct Steps: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 31)
        }
    }
}
