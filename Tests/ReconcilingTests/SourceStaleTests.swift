import Payments
import Postgres
import Reconciling
import Testing

@Suite struct SourceStaleTests {
    @Test("a feed beyond its age is a break of its source, with where it ends; a fresh one is none, and it heals")
    func stale() throws {
        let scene = try Scene(events: [])
        let fresh = try scene.reconcile(at: "2026-01-21T14:00:00Z")
        #expect(try scene.breaks().isEmpty && fresh.staleFeeds.isEmpty)
        let late = try scene.reconcile(at: "2026-01-21T14:00:01Z")
        let found = try scene.only()
        #expect(found.rule == "source_stale" && found.subject == "source:meld-live" && found.severity == .medium)
        #expect(found.atRisk.isZero && found.primaryBreak == nil && found.dueAt == at("2026-01-21T14:00:00Z"))
        #expect(found.facts.contains("complete up to 2026-01-20T12:00:00Z") && found.facts.contains("26 hours"))
        #expect(Set(late.staleFeeds.map(\.feed)) == ["book", "provider", "webhook"])
        for feed in ["provider", "book"] { try scene.feed(feed, reach: "2026-01-21T15:00:00Z") }
        try scene.reconcile(at: "2026-01-21T16:00:00Z")
        #expect(try scene.only().facts.contains("webhook"))
        try scene.feed("webhook", reach: "2026-01-21T15:00:00Z")
        #expect(try scene.reconcile(at: "2026-01-21T17:00:00Z").healed == 1)
    }

    @Test("a source's own age counts before the usual one, both ways; a source that gives no such feed is not stale")
    func ownAge() throws {
        let scene = try Scene(events: [])
        try scene.source("hourly", maxAge: 3600)
        try scene.source("weekly", maxAge: 7 * 86_400)
        try scene.source("unread")
        try scene.feed("provider", source: "hourly", reach: "2026-01-20T10:59:59Z")
        try scene.feed("provider", source: "weekly", reach: "2026-01-14T12:00:00Z")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks() == ["source_stale source:hourly medium"])
        #expect(outcome.staleFeeds.map(\.source) == ["hourly"])
    }

    @Test("two feeds stale at once: rule and report keep both reasons")
    func bothReasons() throws {
        let scene = try Scene(events: ["SETTLED"])
        try scene.transaction("T")
        let outcome = try scene.reconcile(at: "2026-01-22T12:00:00Z")
        let silence = try #require(outcome.notEvaluated.first { $0.rule == "webhook_missing" })
        #expect(silence.reason == "provider is older than it may be; webhook is older than it may be")
        let kept = try scene.connection.query(
            "select feed || ' ' || incomplete_why from tieout.feed_state where incomplete_since = '2026-01-20T12:00:00Z' order by 1"
        ).map { try $0.text(0) }
        #expect(
            kept == [
                "book book is older than it may be", "provider provider is older than it may be",
                "webhook webhook is older than it may be",
            ])
    }

    @Test("a draining source has no news to be late with, only its provider is asked; a retired one is never stale")
    func lives() throws {
        let scene = try Scene(events: [])
        for (source, life) in [("draining", "draining"), ("gone", "retired")] {
            try scene.source(source, events: ["SETTLED"], life: life)
            for feed in ["provider", "webhook", "book"] {
                try scene.feed(feed, source: source, reach: "2026-01-10T12:00:00Z")
            }
        }
        let outcome = try scene.reconcile()
        #expect(try scene.only().subject == "source:draining")
        #expect(try !scene.only().facts.contains("webhook"))
        #expect(outcome.staleFeeds.map { "\($0.source) \($0.feed)" } == ["draining provider"])
        #expect(!outcome.notEvaluated.contains { $0.source == "gone" })
    }

    @Test("case 67: a source that failed carries its breaks with where its data end; its neighbours are judged")
    func failedSource() throws {
        let scene = try Scene(events: [])
        try scene.source("second")
        for feed in ["provider", "book"] { try scene.feed(feed, source: "second", reach: "2026-01-20T12:00:00Z") }
        for (order, source) in [("A", "meld-live"), ("B", "second"), ("C", "second")] {
            try scene.order(order, source: source)
            try scene.transaction(order, source: source, charged: "90", refs: ["book:order=\(order)"])
        }
        try scene.reconcile()
        #expect(try scene.store.list().allSatisfy { $0.incompleteSince == nil })
        // The second answers 401; meanwhile two differences go away, one on either side.
        try scene.feed(
            "provider", source: "second", reach: "2026-01-20T12:00:00Z", failingSince: "2026-01-21T12:00:00Z",
            failure: "GET api: status 401")
        for feed in ["provider", "book"] { try scene.feed(feed, reach: "2026-01-21T12:00:00Z") }
        try scene.order("A", amount: "90")
        try scene.order("B", source: "second", amount: "90")
        let outcome = try scene.reconcile(at: "2026-01-21T12:30:00Z")
        #expect(outcome.healed == 1 && outcome.carried == 2)
        #expect(
            try scene.breaks().map { $0.split(separator: " ")[1] } == ["transaction:second/B", "transaction:second/C"])
        #expect(try scene.store.list().allSatisfy { $0.incompleteSince == at("2026-01-20T12:00:00Z") })
        let stale = try #require(outcome.staleFeeds.first)
        #expect(stale.source == "second" && stale.isFresh && stale.reason == "GET api: status 401")
        // Nothing changes while it stays as it is.
        let still = try scene.reconcile(at: "2026-01-21T12:40:00Z")
        #expect(still.carried + still.changed + still.healed == 0)
        // Twin: read again, what agrees heals and what differs is known to differ.
        for feed in ["provider", "book"] { try scene.feed(feed, source: "second", reach: "2026-01-21T13:00:00Z") }
        #expect(try scene.reconcile(at: "2026-01-21T13:30:00Z").healed == 1)
        let left = try scene.only()
        #expect(left.subject == "transaction:second/C" && left.incompleteSince == nil)
        #expect(try scene.store.show(left.id).trail.map(\.event) == ["opened", "carried", "changed"])
    }

    @Test("case 69: data that end before the moment judged are never compared with nothing", arguments: [nil, 1800])
    func ended(maxAge: Int?) throws {
        let scene = try Scene(events: [])
        try scene.source("slow", maxAge: maxAge)
        for feed in ["provider", "book"] {
            try scene.feed(
                feed, source: "slow", reach: feed == "book" ? "2026-01-20T10:00:00Z" : "2026-01-20T09:10:00Z")
        }
        scene.terms = [Term(amount: 10, unit: .minutes)]
        try scene.transaction(
            "T", source: "slow", status: "SETTLING", state: "settling", money: "taken", created: "2026-01-20T09:05:00Z")
        let outcome = try scene.reconcile(at: "2026-01-20T10:00:00Z")
        #expect(try !scene.breaks().contains { $0.hasPrefix("paid_unsettled") })
        let row = try scene.connection.query(
            "select awaiting, not_evaluated from tieout.run_rule where rule = 'paid_unsettled' and source_id = 'slow'")
        #expect(try row.only().int("awaiting") == (maxAge == nil ? 1 : 0))
        #expect(try row.only().int("not_evaluated") == (maxAge == nil ? 0 : 1))
        #expect(outcome.notEvaluated.contains { $0.rule == "paid_unsettled" && $0.source == "slow" } == (maxAge != nil))
    }

    @Test("an acknowledged stale source stays quiet until it is stale in another way; it counts in no amount")
    func acknowledged() throws {
        let scene = try Scene(events: [])
        try scene.reconcile(at: "2026-01-22T12:00:00Z")
        try scene.store.ack(try scene.only().id, reason: "migration", actor: "ann", now: at("2026-01-22T12:30:00Z"))
        let quiet = try scene.reconcile(at: "2026-01-23T12:00:00Z")
        #expect(quiet.reopened + quiet.changed == 0 && quiet.standing.isEmpty && quiet.totalsTie)
        try scene.feed("book", reach: "2026-01-23T12:00:00Z")
        #expect(try scene.reconcile(at: "2026-01-23T13:00:00Z").reopened == 1)
    }
}
