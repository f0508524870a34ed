import HTTP
import Payments
import Postgres
import TestSupport
import Testing

@testable import Loading

@Suite("Gaps of an event list")
struct EventGapTests {
    static let first = Timestamp.at("2026-01-01T00:00:00Z")
    static let later = Timestamp.at("2026-02-10T00:00:00Z")
    static let seconds = first.microseconds / 1_000_000
    static let day: Int64 = 86_400

    /// A source that was read on 1 January: one session open and fresh, one that has been open for long, one that is done.
    private func bench() async throws -> StripeBench {
        let bench = try StripeBench()
        bench.stripe.set { state in
            state.sessions = [
                FakeStripe.Session(id: "cos_open", createdAt: Self.seconds - Self.day, status: "requires_payment"),
                FakeStripe.Session(id: "cos_old", createdAt: Self.seconds - 50 * Self.day, status: "requires_payment"),
                FakeStripe.Session(id: "cos_done", createdAt: Self.seconds - 12 * Self.day),
            ]
        }
        try await bench.poll(at: Self.first)
        // On 5 January: all of them move, and one comes into being. Their events are gone by 10 February.
        bench.stripe.set { state in
            for place in state.sessions.indices { state.sessions[place].status = "rejected" }
            state.sessions.append(
                FakeStripe.Session(id: "cos_new", createdAt: Self.seconds + 4 * Self.day, status: "rejected"))
            for session in state.sessions {
                state.events.append(
                    FakeStripe.Event(
                        id: "evt_\(session.id)", createdAt: Self.seconds + 4 * Self.day, session: session.id,
                        status: "rejected"))
            }
        }
        return bench
    }

    @Test("case 7: events of ten days are gone; their objects are swept in the same run, and it is said")
    func healed() async throws {
        let bench = try await bench()
        let outcome = try await bench.poll(at: Self.later)
        #expect(outcome.ending == .complete)
        #expect(outcome.eventGap == "event gap 10 d, healed by object sweep")
        #expect(
            try bench.rows("transaction_id, raw_status) from tieout.transaction order by 1") == [
                "cos_done|rejected", "cos_new|rejected", "cos_old|rejected", "cos_open|rejected",
            ])
        #expect(try bench.rows("count(*)) from tieout.webhook_event") == ["0"])
        #expect(
            try bench.rows(
                "counters ->> 'event_gap', failing_since is null, covered_from = '2026-01-11T00:00Z') "
                    + "from tieout.feed_state where feed = 'webhook'")
                == ["event gap 10 d, healed by object sweep|t|t"])
        let line = bench.lines.first { $0.event == "event gap" }
        #expect(line?.level == .warning)
        #expect(line?.fields.contains(.init(name: "gap", value: "event gap 10 d, healed by object sweep")) == true)
        // The night after there is nothing to be said.
        let next = try await bench.poll(at: Self.later.adding(seconds: Self.day))
        #expect(next.eventGap == nil)
        #expect(next.ending == .complete)
        #expect(try bench.rows("counters ? 'event_gap') from tieout.feed_state where feed = 'webhook'") == ["f"])
    }

    @Test("case 7, twin: after 29 days nothing is gone, no gap is named and nothing is swept that need not be")
    func noGap() async throws {
        let bench = try await bench()
        bench.settings.sweep = .off
        let outcome = try await bench.poll(at: Self.first.adding(seconds: 29 * Self.day))
        #expect(outcome.ending == .complete)
        #expect(outcome.eventGap == nil)
        #expect(outcome.events?.new == 4)
        // By their events each is known to have moved.
        #expect(try bench.rows("count(*)) from tieout.transaction where raw_status = 'rejected'") == ["4"])
        #expect(
            try bench.rows(
                "counters ? 'event_gap', covered_from = '2025-12-02T00:00Z') from tieout.feed_state where feed = 'webhook'"
            )
                == ["f|t"])
    }

    @Test("case 7: with the sweep off the gap stands, the run is incomplete, and the first sweep heals it")
    func sweepIsOff() async throws {
        let bench = try await bench()
        bench.settings.sweep = .off
        let outcome = try await bench.poll(at: Self.later)
        #expect(outcome.ending == .incomplete(["event gap 10 d, not healed: the sweep is off"]))
        #expect(
            try bench.rows("failure, failing_since is null) from tieout.feed_state where feed = 'webhook'")
                == ["event gap 10 d, not healed: the sweep is off|f"])
        // Another night like it says the same: nobody has looked at the objects yet.
        let again = try await bench.poll(at: Self.later.adding(seconds: Self.day))
        #expect(again.ending == outcome.ending)
        bench.settings.sweep = .slice
        let healed = try await bench.poll(at: Self.later.adding(seconds: 2 * Self.day))
        #expect(healed.ending == .complete)
        #expect(healed.eventGap == "event gap 10 d, healed by object sweep")
        #expect(try bench.rows("raw_status) from tieout.transaction where transaction_id = 'cos_old'") == ["rejected"])
        #expect(try bench.rows("failing_since is null) from tieout.feed_state where feed = 'webhook'") == ["t"])
    }

    @Test("case 7: a run that ends before the objects are swept leaves the gap to the next one")
    func interrupted() async throws {
        let bench = try await bench()
        let fake = bench.stripe
        let stop = StopFlag()
        // The events were read; the operator ends the run at the first page of sessions.
        fake.set { $0.onSessions = { stop.request() } }
        let outcome = try await bench.poll(at: Self.later, stop: stop)
        #expect(outcome.ending == .interrupted)
        #expect(
            try bench.rows("state #>> '{gap,until}') from tieout.resource_state where resource = 'event'") == [
                "2026-01-11T00:00:00Z"
            ])
        fake.set { $0.onSessions = nil }
        let next = try await bench.poll(at: Self.later.adding(seconds: 3600))
        #expect(next.eventGap == "event gap 10 d, healed by object sweep")
        #expect(try bench.rows("raw_status) from tieout.transaction where transaction_id = 'cos_old'") == ["rejected"])
        #expect(try bench.rows("state ? 'gap') from tieout.resource_state where resource = 'event'") == ["f"])
    }

    @Test("case 7: a run that ends while events are read says nothing new of a gap that stands")
    func interruptedEvents() async throws {
        let bench = try await bench()
        bench.settings.sweep = .off
        try await bench.poll(at: Self.later)
        let columns = "failure, counters ->> 'event_gap', failing_since) from tieout.feed_state where feed = 'webhook'"
        let before = try bench.rows(columns)
        #expect(before.count == 1 && before[0].hasPrefix("event gap 10 d, not healed: the sweep is off|"))
        let stop = StopFlag()
        bench.stripe.set { $0.onEvents = { stop.request() } }
        let outcome = try await bench.poll(at: Self.later.adding(seconds: Self.day), stop: stop)
        #expect(outcome.ending == .interrupted && outcome.eventGap == nil)
        #expect(try bench.rows(columns) == before)
    }

    @Test("coverage begins behind a gap, unless captured deliveries cover it")
    func coverage() async throws {
        let bench = try await bench()
        let secret = Secret("whsec_example")
        bench.secrets = [secret]
        let event = FakeStripe.Event(
            id: "evt_cos_done", createdAt: Self.seconds + 4 * Self.day, session: "cos_done", status: "rejected")
        let recent = FakeStripe.Event(
            id: "evt_recent", createdAt: Self.seconds + 39 * Self.day, session: "cos_new", status: "rejected")
        let lines = [event, recent].map { bench.capture($0, received: $0.createdAt + 5, secret: secret) }.joined()
        try bench.load(lines, at: Self.later.adding(seconds: -60))
        let outcome = try await bench.poll(at: Self.later)
        #expect(outcome.eventGap == "event gap 10 d, healed by object sweep")
        #expect(
            try bench.rows("covered_from = '2025-12-02T00:00Z') from tieout.feed_state where feed = 'webhook'") == ["t"]
        )
    }

    @Test("a gap is told in days, one below two days in hours; two become one")
    func words() throws {
        func gap(_ hours: Int64) throws -> EventGap {
            try #require(EventGap(from: Self.first, until: Self.first.adding(seconds: hours * 3600)))
        }
        #expect(try gap(240).text == "event gap 10 d")
        #expect(try gap(251).text == "event gap 10 d")
        #expect(try gap(253).text == "event gap 11 d")
        #expect(try gap(47).text == "event gap 47 h")
        #expect(EventGap(from: Self.first, until: Self.first) == nil)
        let other = try #require(EventGap(from: Self.later, until: Self.later.adding(seconds: 1)))
        #expect(try gap(1).joined(with: other).from == Self.first)
        #expect(try gap(1).joined(with: other).until == Self.later.adding(seconds: 1))
    }
}
