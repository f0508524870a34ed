import Compression
import Crypto
import Loading
import Payments
import Postgres
import TestSupport
import Testing

@Suite("Webhook captures as they come")
struct HostileCaptureTests {
    let fixture: FileFixture

    init() throws { fixture = try FileFixture() }

    private func loader(_ source: WebhookSource? = nil, hours: Int64 = 0) throws -> WebhookHistoryLoader {
        WebhookHistoryLoader(
            fixture.context(hours: hours), fixture.connection, sources: [try source ?? Capture.source()])
    }

    private func load(_ text: String, hours: Int64 = 0, name: String = "hooks.jsonl") throws -> LoadOutcome {
        try loader(hours: hours).load(paths: [try fixture.write(text, to: name)])
    }

    private static func event(_ id: String, received: Int, status: String = "SETTLED", extra: String = "") -> String {
        Capture.line(Capture.body(id, "W-\(id)", status, second: 1, extra: extra), received: received)
    }

    @Test("case 21 twin: events of their own, once each, are no duplicates and carry no flag")
    func distinctEvents() throws {
        let outcome = try load((0..<5).map { Self.event("e\($0)", received: $0) }.joined(separator: "\n"))
        #expect(outcome.new == 5 && outcome.duplicates == 0)
        #expect(
            try fixture.rows("deliveries, cardinality(flags)) from tieout.webhook_event")
                == Array(repeating: "1|0", count: 5))
    }

    @Test("case 22: a load killed between two batches is loaded again whole, a line of 3 MB included")
    func killedBetweenBatches() throws {
        let filler = #","note":"\#(String(repeating: "x", count: 3 << 20))""#
        let lines = (0..<13).map { Self.event("e\($0)", received: $0, extra: filler) }
        let path = try fixture.write(lines.joined(separator: "\n"), to: "big.jsonl")
        try fixture.connection.execute(
            "alter table tieout.loaded_file add constraint dies check (records < 0) not valid")
        #expect(throws: PostgresError.self) { try loader().load(paths: [path]) }
        // The first batch stands, and the file is not known.
        let first = try fixture.count("webhook_event")
        #expect(first > 0 && first < 13)
        try fixture.connection.execute("alter table tieout.loaded_file drop constraint dies")
        let outcome = try loader(hours: 1).load(paths: [path])
        #expect(outcome.unchanged == Int(first) && outcome.new == 13 - Int(first))
        #expect(try fixture.count("webhook_delivery") == 13)
        // Twin: nothing happens between the batches, and then it is known.
        #expect(try loader(hours: 2).load(paths: [path]).skippedFiles == 1)
    }

    @Test("case 22: what a killed load could not put in order any more, the next load does", arguments: [true, false])
    func killedBeforeOrder(isKilled: Bool) throws {
        let lines = [
            Capture.line(Capture.body("younger", "W1", "SETTLED", second: 100), received: 200),
            Capture.line(Capture.body("older", "W1", "PENDING", second: 90), received: 201),
            Self.event("last", received: 300),
        ]
        let path = try fixture.write(lines.joined(separator: "\n"), to: "killed.jsonl")
        let loader = WebhookHistoryLoader(
            fixture.context(), fixture.connection, sources: [try Capture.source()], batchSize: 2)
        if isKilled {
            try fixture.connection.execute(
                "alter table tieout.loaded_file add constraint dies check (records < 0) not valid")
            #expect(throws: PostgresError.self) { try loader.load(paths: [path]) }
            try fixture.connection.execute("alter table tieout.loaded_file drop constraint dies")
            #expect(try fixture.count("webhook_event") == 2)
        } else {
            _ = try loader.load(paths: [path])
        }
        _ = try load(Self.event("other", received: 400), hours: 1, name: "other.jsonl")
        #expect(
            try fixture.rows("event_key, applied, out_of_order) from tieout.webhook_delivery where out_of_order")
                == ["older|f|t"])
        #expect(try fixture.count("webhook_unordered") == 0)
    }

    @Test("case 23 twin: two events of one transaction are two applied ones")
    func twoEvents() throws {
        let lines = [
            Capture.line(Capture.body("e1", "W1", "SETTLED", second: 1), received: 1),
            Capture.line(Capture.body("e2", "W1", "REFUNDED", second: 2), received: 2),
        ]
        _ = try load(lines.joined(separator: "\n"))
        #expect(try fixture.rows("applied, count(*)) from tieout.webhook_delivery group by applied") == ["t|2"])
    }

    @Test("case 23: a delivery a month later is another of the same event, and loading it twice changes nothing")
    func acrossMonths() throws {
        let month = 40 * 86_400
        let first = Self.event("e1", received: 10)
        let late = Self.event("e1", received: month)
        _ = try load(first, name: "a.jsonl")
        #expect(try load(late, hours: 1, name: "b.jsonl").new == 0)
        let state = "event_key, deliveries, observed_at, run_id, evidence_pack) from tieout.webhook_event"
        let before = try fixture.rows(state)
        let packs = try fixture.count("evidence")
        let again = try load(late + "\n", hours: 2, name: "c.jsonl")
        #expect(again.unchanged == 1 && again.changed == 0 && again.new == 0)
        #expect(try fixture.rows(state) == before)
        #expect(try fixture.count("evidence") == packs)
        #expect(try fixture.rows("deliveries) from tieout.webhook_event") == ["2"])
        #expect(try fixture.rows("applied) from tieout.webhook_delivery order by received_at") == ["t", "f"])
    }

    @Test(
        "case 24: names of headers in any case, values in lists, and packed bodies verify; the same bytes written anew do not"
    )
    func spellings() throws {
        let body = #"{"eventId":"e1",  "amount": 1.0,"name":"Zo\u00eb"}"#
        let code = Self.signature(body, at: 1)
        func line(_ name: String, _ value: String, _ body: String, _ received: Int) -> String {
            #"{"receivedAt":"\#(Capture.time(received))","url":"\#(Capture.url)","headers":{"\#(name)":\#(value),"METADATA":null,"MELD-Signature-Timestamp":["\#(Capture.time(1))"]},"rawBodyBase64":"\#(Base64.encode(Array(body.utf8)))"}"#
        }
        let lines = [
            line("MELD-SIGNATURE", "\"\(code)\"", body, 1), line("meld-signature", "[\"\(code)\"]", body, 2),
            line("Meld-Signature", "\"\(code)\"", #"{"eventId":"e1","amount":1.0,"name":"Zoë"}"#, 3),
        ]
        #expect(try load(lines.joined(separator: "\r\n") + "\r\n\r\n").quarantined == 0)
        #expect(
            try fixture.rows("verdict) from tieout.webhook_delivery order by received_at")
                == ["valid", "valid", "invalid"])
    }

    private static func signature(_ body: String, at second: Int) -> String {
        let message = Array("\(Capture.time(second)).\(Capture.url).\(body)".utf8)
        return Base64.encode(HMACCode.sha256(key: Capture.secret, message: message), alphabet: .url)
    }

    @Test("bodies that are no UTF-8 or hold a key twice, plain or escaped, cost their own line")
    func unreadableBodies() throws {
        let notUTF8 = Base64.encode([0x7B, 0x22, 0x61, 0x22, 0x3A, 0x22, 0xFF, 0x22, 0x7D])
        let lines = [
            #"{"receivedAt":"\#(Capture.time(1))","url":"\#(Capture.url)","rawBodyBase64":"\#(notUTF8)"}"#,
            Capture.line(#"{"eventId":"a","eventId":"b","payload":{}}"#, received: 2),
            Capture.line(#"{"eventId":"c","payload":{"x":1,"\u0078":2}}"#, received: 3),
            Self.event("good", received: 4, extra: #","future":{"deep":[1,{"x":null}]}"#),
        ]
        let outcome = try load(lines.joined(separator: "\n"))
        #expect(outcome.quarantined == 3 && outcome.new == 1)
        #expect(try fixture.rows("event_key, verdict) from tieout.webhook_event") == ["good|valid"])
        #expect(try fixture.rows("count(raw)) from tieout.quarantine") == ["0"])
    }

    @Test("a delivery stamped in the future does not move the watermark beyond now; one of today does")
    func future() throws {
        _ = try load(Self.event("e1", received: 10) + "\n" + Self.event("e2", received: 900 * 86_400))
        let state = "watermark = to_timestamp(\(FileFixture.start.microseconds / 1_000_000))) from tieout.feed_state"
        #expect(try fixture.rows(state) == ["t"])
        _ = try load(Self.event("e3", received: 20), hours: 1, name: "next.jsonl")
        #expect(try fixture.rows(state) == ["t"])
        let twin = try FileFixture()
        let path = try twin.write(Self.event("e1", received: 10), to: "hooks.jsonl")
        _ = try WebhookHistoryLoader(twin.context(), twin.connection, sources: [try Capture.source()]).load(paths: [
            path
        ])
        #expect(
            try twin.rows(
                "watermark < to_timestamp(\(FileFixture.start.microseconds / 1_000_000))) from tieout.feed_state") == [
                    "t"
                ])
    }

    @Test("one event id in two profiles is two events")
    func profiles() throws {
        let lines = ["P1", "P2"].enumerated().map { place, profile in
            Capture.line(
                #"{"eventId":"e","profileId":"\#(profile)","payload":{"paymentTransactionId":"W","paymentTransactionStatus":"SETTLED"}}"#,
                received: place)
        }
        #expect(try load(lines.joined(separator: "\n")).new == 2)
        #expect(try fixture.rows("event_key) from tieout.webhook_event order by 1") == ["P1/e", "P2/e"])
    }

    @Test(
        "files: two members are one file, a torn one is an error that leaves nothing, empty ones and folders are nothing"
    )
    func files() throws {
        let one = Gzip.compress(Array((Self.event("e1", received: 1) + "\n").utf8))
        let two = Gzip.compress(Array((Self.event("e2", received: 2) + "\n").utf8))
        #expect(try loader().load(paths: [try fixture.write(one + two, to: "two.jsonl.gz")]).new == 2)
        let torn = Gzip.compress(Array((Self.event("e3", received: 3) + "\n").utf8)).dropLast(9)
        let path = try fixture.write(Array(torn), to: "torn.jsonl.gz")
        #expect(throws: LoadFault.self) { try loader(hours: 1).load(paths: [path]) }
        #expect(try fixture.count("webhook_event") == 2)
        #expect(try fixture.count("loaded_file") == 1)
        for (name, bytes) in [("a.jsonl", []), ("b.jsonl", [10, 13, 10]), ("c.jsonl.gz", Gzip.compress([]))] {
            let empty = try loader(hours: 2).load(paths: [try fixture.write(bytes, to: name)])
            #expect(empty.records == 0 && empty.files == 1, "\(name)")
        }
        let folder = try FileFixture()
        #expect(try loader(hours: 3).load(paths: [folder.folder]) == LoadOutcome())
    }

    @Test("the same bytes under another name, or twice in one command, are loaded once; packed they bring nothing new")
    func sameFile() throws {
        let text = Self.event("e1", received: 1)
        let first = try fixture.write(text, to: "a.jsonl")
        let second = try fixture.write(text, to: "b.jsonl")
        let packed = try fixture.write(Gzip.compress(Array(text.utf8)), to: "c.jsonl.gz")
        let outcome = try loader().load(paths: [first, first, second, packed])
        #expect(outcome.new == 1 && outcome.skippedFiles == 2 && outcome.unchanged == 1)
        #expect(try fixture.rows("deliveries) from tieout.webhook_event") == ["1"])
    }

    @Test("a bad event leaves quarantine when a proven good delivery of it comes, not before")
    func clears() throws {
        let bad = Capture.line(#"{"eventId":"e","profileId":"P","payload":"gone"}"#, received: 1)
        let other = Capture.line(#"{"eventId":"e","profileId":"P","payload":[]}"#, received: 2)
        #expect(try load(bad + "\n" + other, name: "bad.jsonl").newlyQuarantined == 2)
        let good =
            #"{"eventId":"e","profileId":"P","payload":{"paymentTransactionId":"W","paymentTransactionStatus":"SETTLED"}}"#
        _ = try load(Capture.line(good, received: 3, signed: "forged"), hours: 1, name: "forged.jsonl")
        #expect(try fixture.rows("record_id, state) from tieout.quarantine") == ["P/e|open", "P/e|open"])
        _ = try load(Capture.line(good, received: 4), hours: 2, name: "good.jsonl")
        #expect(try fixture.rows("record_id, state) from tieout.quarantine") == ["P/e|cleared", "P/e|cleared"])
    }

    @Test(
        "exact bytes that no key proves are cut after 30 days; digests and verdict stay, a key before that saves them")
    func expiry() throws {
        let body = Capture.body("e1", "W1", "SETTLED", second: 1)
        let other = try Capture.source("meld-live", [Secret("another-key")])
        let path = try fixture.write(Capture.line(body, received: 1), to: "hooks.jsonl")
        _ = try loader(other).load(paths: [path])
        _ = try loader(other, hours: 30 * 24 - 1).load(paths: [])
        #expect(try fixture.count("webhook_pending") == 1)
        let digests =
            "verdict, encode(body_digest, 'hex'), encode(kept_digest, 'hex'), deliveries) from tieout.webhook_event"
        let before = try fixture.rows(digests)
        // Twin: on the last day the key is there.
        let saved = try FileFixture()
        let copy = try saved.write(Capture.line(body, received: 1), to: "hooks.jsonl")
        _ = try WebhookHistoryLoader(saved.context(), saved.connection, sources: [other]).load(paths: [copy])
        _ = try WebhookHistoryLoader(saved.context(hours: 30 * 24), saved.connection, sources: [try Capture.source()])
            .load(paths: [])
        #expect(try saved.rows("verdict, evidence_pack is null) from tieout.webhook_event") == ["valid|f"])

        _ = try loader(other, hours: 30 * 24).load(paths: [])
        #expect(try fixture.count("webhook_pending") == 0)
        #expect(try fixture.rows(digests) == before)
        #expect(before[0].hasPrefix("invalid|"))
    }

    @Test("an event that comes before its transaction names it to be read; once it is there, no more")
    func beforeItsTransaction() async throws {
        _ = try load(Self.event("e1", received: 1))
        let hooks = try loader(hours: 1)
        #expect(try hooks.idsBehind(source: "meld-live") == ["W-e1"])
        try fixture.connection.execute(
            "insert into tieout.transaction (account_id, source_id, resource, transaction_id, run_id, observed_at, "
                + "request_started_at, version_time, state_rank, created_at, direction, raw_status, state, money, is_final, "
                + "evidence_pack, evidence_offset, evidence_length, raw_hash, content_hash) values (1, 'meld-live', "
                + "'transaction', 'W-e1', 1, now(), now(), now(), 70, now(), 'in', 'SETTLED', 'settled', 'delivered', true, "
                + "1, 0, 0, '', '')")
        #expect(try hooks.idsBehind(source: "meld-live").isEmpty)
    }
}
