import HTTP
import Payments
import Postgres
import TestSupport
import Testing

@testable import Loading

@Suite("An event list as a second webhook history")
struct EventListTests {
    static let night = Timestamp.at("2026-01-01T00:00:00Z")
    static let night0 = night.microseconds / 1_000_000
    static let day: Int64 = 86_400

    static func events(_ count: Int) -> [FakeStripe.Event] {
        (0..<count).map {
            FakeStripe.Event(
                id: "evt_\($0)", createdAt: night0 - 3600 - Int64($0) * 60, session: "cos_\($0)",
                status: "fulfillment_complete")
        }
    }

    static func sessions(_ count: Int) -> [FakeStripe.Session] {
        (0..<count).map { FakeStripe.Session(id: "cos_\($0)", createdAt: night0 - 7200 - Int64($0) * 60) }
    }

    @Test("fetched events are stored as valid ones, marked, with their cut bytes; a second night writes nothing")
    func stored() async throws {
        let bench = try StripeBench()
        bench.stripe.set { state in
            state.sessions = Self.sessions(250)
            state.events = Self.events(250)
        }
        let first = try await bench.poll(at: Self.night)
        #expect(first.ending == .complete)
        #expect(first.events?.new == 250)
        #expect(
            try bench.rows(
                "count(*), min(verdict), bool_and(flags = '{fetched}'), bool_and(evidence_pack is not null), min(raw_status)) "
                    + "from tieout.webhook_event") == ["250|valid|t|t|fulfillment_complete"])
        #expect(
            try bench.rows(
                "count(*), bool_and(is_fetched), bool_and(applied), bool_or(out_of_order)) from tieout.webhook_delivery"
            )
                == ["250|t|t|f"])
        #expect(
            try bench.rows(
                "watermark = '2025-12-31T23:45Z', covered_from = '2025-12-02T00:00Z', failure is null, records) "
                    + "from tieout.feed_state where feed = 'webhook'") == ["t|t|t|250"])
        #expect(try bench.rows("count(*)) from tieout.checkpoint") == ["0"])
        // Deliveries succeed, which changes how many are pending and nothing else.
        bench.stripe.set { state in for place in state.events.indices { state.events[place].pendingWebhooks = 0 } }
        let packs = try bench.rows("count(*)) from tieout.evidence")
        let again = try await bench.poll(at: Self.night.adding(seconds: Self.day))
        #expect(again.events?.new == 0)
        #expect(again.events?.unchanged == 250)
        #expect(try bench.rows("count(*)) from tieout.webhook_delivery") == ["250"])
        #expect(try bench.rows("count(*)) from tieout.evidence") == packs)
    }

    @Test("no secret of a fetched event is stored")
    func redacted() async throws {
        let bench = try StripeBench()
        bench.stripe.set { $0.events = Self.events(1) }
        try await bench.poll(at: Self.night)
        let packs = try bench.connection.query("select run_id, pack_no from tieout.evidence")
        #expect(!packs.isEmpty)
        let reader = try PackReader(
            on: bench.connection, context: bench.context(at: Self.night.adding(seconds: 1)), source: "stripe-live")
        let place = try bench.connection.query(
            "select run_id, evidence_pack, evidence_offset, evidence_length from tieout.webhook_event"
        ).only()
        let bytes = try #require(
            try reader.bytes(
                run: try place.int(0), pack: Int(try place.int(1)), offset: Int(try place.int(2)),
                length: Int(try place.int(3))))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains("idempotency"))
        #expect(text.contains("cos_0") && text.contains("fulfillment_complete"))
    }

    @Test("a captured event that is fetched too is one event with one more delivery, and stays what it was")
    func captured() async throws {
        let bench = try StripeBench()
        let secret = Secret("whsec_example")
        bench.secrets = [secret]
        let event = Self.events(1)[0]
        bench.stripe.set { $0.events = [event] }
        try bench.load(bench.capture(event, received: event.createdAt + 5, secret: secret), at: Self.night)
        let columns = "event_key, verdict, flags, key_fingerprint, run_id"
        let before = try bench.rows("\(columns)) from tieout.webhook_event")
        let outcome = try await bench.poll(at: Self.night.adding(seconds: 60))
        #expect(outcome.events?.confirmed == 1)
        #expect(try bench.rows("\(columns)) from tieout.webhook_event") == before)
        #expect(try bench.rows("deliveries) from tieout.webhook_event") == ["2"])
        #expect(
            try bench.rows("is_fetched, applied) from tieout.webhook_delivery order by is_fetched") == ["f|t", "t|f"])
        // The other way round: fetched first, captured later.
        let other = FakeStripe.Event(
            id: "evt_late", createdAt: Self.night0, session: "cos_9", status: "fulfillment_complete")
        bench.stripe.set { $0.events.append(other) }
        try await bench.poll(at: Self.night.adding(seconds: Self.day))
        try bench.load(
            bench.capture(other, received: other.createdAt + 9, secret: secret),
            at: Self.night.adding(seconds: Self.day + 60))
        #expect(
            try bench.rows("deliveries, verdict, flags) from tieout.webhook_event where event_key = 'evt_late'")
                == ["2|valid|{}"])
    }

    @Test("an event that came with a signature nobody can check is proven by the list")
    func proven() async throws {
        let bench = try StripeBench()
        bench.secrets = [Secret("whsec_ours")]
        let event = Self.events(1)[0]
        bench.stripe.set { $0.events = [event] }
        let forged = FakeStripe.Event(
            id: "evt_forged", createdAt: event.createdAt, session: "cos_0", status: "fulfillment_complete")
        for one in [event, forged] {
            try bench.load(
                bench.capture(one, received: one.createdAt + 5, secret: Secret("whsec_other")), at: Self.night)
        }
        #expect(try bench.rows("verdict) from tieout.webhook_event") == ["invalid", "invalid"])
        try await bench.poll(at: Self.night.adding(seconds: 60))
        // The twin is not in the list, and stays what it is.
        #expect(
            try bench.rows("event_key, verdict) from tieout.webhook_event order by 1") == [
                "evt_0|valid", "evt_forged|invalid",
            ])
        #expect(try bench.rows("event_key) from tieout.webhook_pending") == ["evt_forged"])
    }

    @Test("case 19: events fetched newest first are in order; so are captured ones beside them")
    func order() async throws {
        let bench = try StripeBench()
        let secret = Secret("whsec_example")
        bench.secrets = [secret]
        let events = [
            FakeStripe.Event(
                id: "evt_a", createdAt: Self.night0 - 100, session: "cos_0", status: "fulfillment_processing"),
            FakeStripe.Event(
                id: "evt_b", createdAt: Self.night0 - 98, session: "cos_0", status: "fulfillment_complete"),
        ]
        bench.stripe.set { $0.events = events }
        let lines = events.map { bench.capture($0, received: $0.createdAt + 5, secret: secret) }.joined()
        try bench.load(lines, at: Self.night)
        try await bench.poll(at: Self.night.adding(seconds: 60))
        #expect(try bench.rows("count(*)) from tieout.webhook_event where flags @> '{out_of_order}'") == ["0"])
        #expect(try bench.rows("count(*)) from tieout.webhook_delivery where out_of_order") == ["0"])
        #expect(try bench.rows("count(*)) from tieout.webhook_delivery where is_fetched") == ["2"])
    }

    @Test("an event that is ahead of its session makes it read in the same run, however old it is")
    func ahead() async throws {
        let bench = try StripeBench()
        let old = FakeStripe.Session(id: "cos_old", createdAt: Self.night0 - 60 * Self.day, status: "requires_payment")
        bench.stripe.set { $0.sessions = [old] }
        try await bench.poll(at: Self.night)
        // Dormant, and outside of what is walked.
        bench.stripe.set { state in
            state.sessions[0].status = "fulfillment_complete"
            state.events = [
                FakeStripe.Event(
                    id: "evt_1", createdAt: Self.night0 + 3600, session: "cos_old", status: "fulfillment_complete")
            ]
        }
        bench.settings.sweep = .off
        let outcome = try await bench.poll(at: Self.night.adding(seconds: Self.day))
        #expect(outcome.singleReads == 1)
        #expect(try bench.rows("raw_status) from tieout.transaction") == ["fulfillment_complete"])
        // Twin: read as it is, it is asked for no more.
        #expect(try await bench.poll(at: Self.night.adding(seconds: 2 * Self.day)).singleReads == 0)
    }

    @Test("events of other products are counted and not stored; one that cannot be read costs itself, until it can")
    func foreignAndBad() async throws {
        let bench = try StripeBench()
        bench.stripe.set { state in
            state.events = Self.events(3)
            state.events[1].kind = "charge.refunded"
            state.events[2].spoiled = "\"yesterday\""
            state.ignoresType = true
        }
        let outcome = try await bench.poll(at: Self.night)
        #expect(outcome.events?.new == 1)
        #expect(outcome.events?.foreign == 1)
        #expect(outcome.events?.quarantined == 1)
        #expect(outcome.counts.newlyQuarantined == 1)
        #expect(
            try bench.rows("record_id, reason, state, place) from tieout.quarantine")
                == ["evt_2|type_changed: created number->string|open|event list"])
        bench.stripe.set { $0.events[2].spoiled = nil }
        let next = try await bench.poll(at: Self.night.adding(seconds: Self.day))
        #expect(next.events?.new == 1)
        #expect(next.counts.newlyQuarantined == 0)
        #expect(try bench.rows("state) from tieout.quarantine") == ["cleared"])
    }

    @Test("a reading that breaks off keeps what it brought and goes on below it; sessions are read all the same")
    func resumed() async throws {
        let bench = try StripeBench()
        bench.settings.groupRows = 100
        bench.stripe.set { state in
            state.sessions = Self.sessions(3)
            state.events = Self.events(250)
            state.failsEvents[2] = .status(403)
        }
        let first = try await bench.poll(at: Self.night)
        #expect(first.ending == .incomplete(["events: GET stripe.test/v1/events: status 403"]))
        #expect(try bench.rows("count(*)) from tieout.webhook_event") == ["100"])
        #expect(try bench.rows("resource, walk) from tieout.checkpoint") == ["event|events"])
        #expect(try bench.rows("count(*)) from tieout.transaction") == ["3"])
        // The sessions are proven, the events are not.
        #expect(
            try bench.rows("feed, failing_since is null, watermark is null) from tieout.feed_state order by 1")
                == ["provider|t|f", "webhook|f|t"])
        let second = try await bench.poll(at: Self.night.adding(seconds: 3600))
        #expect(second.ending == .complete)
        #expect(second.events?.new == 150)
        #expect(bench.stripe.asked.filter { $0.contains("/events") }[2].contains("starting_after=evt_99"))
        #expect(try bench.rows("count(*)) from tieout.webhook_event") == ["250"])
        #expect(try bench.rows("failing_since is null) from tieout.feed_state where feed = 'webhook'") == ["t"])
        #expect(try bench.rows("count(*)) from tieout.checkpoint") == ["0"])
    }

    @Test("case 8: a rate limit at the event list ends the source's turn, and nothing else is asked")
    func rateLimit() async throws {
        let bench = try StripeBench()
        bench.stripe.set { state in
            state.sessions = Self.sessions(3)
            state.failsEvents[1] = .status(429)
        }
        let outcome = try await bench.poll(at: Self.night)
        guard case .tryLater = outcome.ending else {
            Issue.record("\(outcome.ending)")
            return
        }
        #expect(bench.stripe.asked.count == 1)
    }

    @Test("case 8: a rate limit at the event list leaves the feed as it stood: rows, watermark and coverage")
    func rateLimitLater() async throws {
        let bench = try StripeBench()
        bench.stripe.set { $0.sessions = Self.sessions(3) }
        let first = try await bench.poll(at: Self.night)
        let columns =
            "records, watermark, covered_from, backfill_complete) from tieout.feed_state where feed = 'provider'"
        let before = try bench.rows(columns)
        #expect(before.count == 1 && before[0].hasPrefix("3|"))
        bench.stripe.set { $0.failsEvents[$0.eventRequests + 1] = .status(429) }
        let outcome = try await bench.poll(at: Self.night.adding(seconds: Self.day))
        #expect(outcome.watermark == first.watermark && outcome.backfillComplete)
        #expect(try bench.rows(columns) == before)
    }
}
