import Payments
import Postgres
import Reconciling
import Testing

@Suite struct SessionAndWebhookTests {
    @Test(
        "case 49: paid before it lapsed but cancelled in the book: the missing event is secondary, no expired_session")
    func race() throws {
        let scene = try Scene()
        try scene.order(
            "A", status: "cancelled", created: "2026-01-10T10:00:00Z", updated: "2026-01-10T10:30:01Z",
            expires: "2026-01-10T10:30:00Z")
        try scene.transaction(
            "T", created: "2026-01-10T10:01:00Z", updated: "2026-01-10T10:29:58Z", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        #expect(
            try scene.breaks() == ["expired_but_paid order:A high", "webhook_missing transaction:meld-live/T low"])
        #expect(try scene.headlines() == ["expired_but_paid order:A"])
        #expect(outcome.totalsTie)
    }

    @Test("case 49 twin: lapsed unpaid while the book says open is expired_session; both lapsed is counted only")
    func lapsed() throws {
        let scene = try Scene()
        try scene.order("open", status: "open", expires: "2026-01-10T10:30:00Z")
        try scene.order("gone", status: "expired", expires: "2026-01-10T10:30:00Z")
        try scene.order("young", status: "open", created: "2026-01-20T11:50:00Z", expires: "2026-01-20T12:20:00Z")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks() == ["expired_session order:open low"])
        #expect(outcome.abandoned == ["meld-live": 1] && outcome.awaiting == 1 && outcome.totalsTie)
    }

    @Test("an authorization that lapsed while the book says paid is expired_session, with what the book counts")
    func authorization() throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: "paid")
        try scene.transaction(
            "T", status: "AUTHORIZATION_EXPIRED", state: "expired", money: "none", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        #expect(try scene.only().difference?.description == "100" && outcome.totalsTie)
    }

    @Test("an event of that very status silences webhook_missing, an invalid one or another status does not")
    func evidence() throws {
        let scene = try Scene()
        for id in ["heard", "invalid", "other"] { try scene.transaction(id) }
        try scene.event("E1", of: "heard", status: "SETTLED", state: "settled", money: "delivered")
        try scene.event(
            "E2", of: "invalid", status: "SETTLED", state: "settled", money: "delivered", verdict: "invalid")
        try scene.event(
            "E3", of: "other", status: "SETTLING", state: "settling", money: "taken", time: "2026-01-10T09:59:00Z")
        try scene.reconcile()
        #expect(
            try scene.breaks(without: "book_missing") == [
                "webhook_unverified event:meld-live/E2 medium", "webhook_missing transaction:meld-live/invalid low",
                "webhook_missing transaction:meld-live/other low",
            ])
    }

    @Test(
        "an event about a second view, of the payment's state, silences webhook_missing; one of another state does not")
    func aboutSecondView() throws {
        let scene = try Scene()
        for (id, state) in [("heard", "settled"), ("other", "settling")] {
            let hash = "chain:tx=0x\(id)"
            try scene.transaction(id, refs: [hash])
            try scene.transaction("O-\(id)", refs: [hash], resource: "order", parent: id)
            try scene.event(
                "E-\(id)", of: "order/O-\(id)", status: "COMPLETED", state: state, money: "taken",
                time: "2026-01-10T09:59:00Z")
        }
        let outcome = try scene.reconcile()
        #expect(
            try scene.breaks(without: "book_missing") == ["webhook_missing transaction:meld-live/other low"])
        #expect(outcome.totalsTie)
    }

    @Test("an event that announces a later status too silences webhook_missing for it, and for no other status")
    func announcedBefore() throws {
        let scene = try Scene()
        for (id, flag) in [("heard", "announces=SETTLED"), ("other", "announces=FAILED")] {
            try scene.transaction(id)
            try scene.event(
                "E-\(id)", of: id, status: "PENDING", state: "pending", money: "held", time: "2026-01-10T09:59:00Z",
                flags: [flag])
        }
        try scene.reconcile()
        #expect(
            try scene.breaks(without: "book_missing") == ["webhook_missing transaction:meld-live/other low"])
    }

    @Test("no event is missed for a state that has none, an imported row, a row within grace, or before coverage")
    func exempt() throws {
        let scene = try Scene()
        try scene.transaction("imported", flags: ["imported"])
        try scene.transaction("disputed", status: "DISPUTED", state: "disputed", money: "taken")
        try scene.transaction("young", created: "2026-01-20T11:30:00Z")
        try scene.transaction("ancient", created: "2025-12-01T10:00:00Z")
        scene.terms = [Term(amount: 100, unit: .businessDays)]
        try scene.reconcile()
        #expect(try scene.breaks(without: "book_missing").isEmpty)
        let watched = try scene.connection.query(
            "select string_agg(concat_ws(' ', subject, reason), ', ' order by subject) from tieout.watch "
                + "where rule = 'webhook_missing'")
        #expect(
            try watched.only().text(0)
                == "transaction:meld-live/ancient before_coverage, transaction:meld-live/young awaiting")
        let row = try scene.connection.query(
            "select before_coverage from tieout.run_rule where rule = 'webhook_missing' and run_id = 1")
        #expect(try row.only().int(0) == 1)
    }

    @Test(
        "a state without a time of its own is not missed before events are read beyond the last sight of another state")
    func timeless() throws {
        let scene = try Scene()
        try scene.keepHistory()
        try scene.transaction(
            "T", status: "PENDING", state: "pending", money: "held", superseded: "2026-01-20T11:55:00Z",
            readAt: "2026-01-20T10:00:00Z")
        try scene.transaction("T", readAt: "2026-01-20T11:55:00Z")
        try scene.transaction("first seen so", readAt: "2026-01-20T11:55:00Z")
        try scene.feed("webhook", reach: "2026-01-20T10:30:00Z")
        try scene.reconcile()
        #expect(
            try scene.breaks(without: "book_missing") == ["webhook_missing transaction:meld-live/first seen so low"])
        try scene.feed("webhook", reach: "2026-01-20T12:30:00Z")
        try scene.reconcile(at: "2026-01-20T12:30:00Z")
        #expect(try scene.found("webhook_missing").count == 2)
    }

    @Test("an event is missed only where the mapping expects one of this very row")
    func expected() throws {
        let scene = try Scene()
        try scene.transaction("robinhood", flags: [])
        try scene.transaction("imported", flags: ["imported", "passthrough"])
        try scene.transaction("plain", flags: ["captured", "event_expected"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks(without: "book_missing") == ["webhook_missing transaction:meld-live/plain low"])
        #expect(outcome.totalsTie)
    }

    @Test("a source that gives no events misses none")
    func notApplicable() throws {
        let scene = try Scene()
        try scene.source("quiet", events: ["SETTLED"])
        try scene.feed("provider", source: "quiet", reach: "2026-01-20T12:00:00Z")
        try scene.transaction("T", source: "quiet")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.notEvaluated.isEmpty && outcome.totalsTie)
        #expect(outcome.notApplicable.contains { $0.rule == "webhook_missing" && $0.source == "quiet" })
    }

    @Test("where more than 5 % of a run's events are not valid, silence proves nothing")
    func refusedEvents() throws {
        let scene = try Scene()
        try scene.transaction("T")
        for number in 0..<20 {
            try scene.event(
                "E\(number)", of: "X", status: "SETTLED", state: "settled", money: "delivered", verdict: "invalid")
        }
        let outcome = try scene.reconcile()
        #expect(try scene.breaks(without: "book_missing") == ["webhook_unverified source:meld-live medium"])
        #expect(outcome.notEvaluated.contains { $0.rule == "webhook_missing" && $0.subjects == 1 })
        // Twin: the same events belong to an earlier run now.
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(
            try scene.breaks(without: "book_missing") == [
                "webhook_unverified source:meld-live medium", "webhook_missing transaction:meld-live/T low",
            ])
    }

    @Test("case 17: a status nobody modelled is unknown_value, a known one is not")
    func unknown() throws {
        let scene = try Scene(events: [])
        try scene.transaction("57", status: "retry_scheduled", state: "unknown", money: "unknown")
        try scene.transaction("58")
        try scene.event("E", of: "58", status: "WEIRD", state: "unknown", money: "unknown")
        try scene.order("A", status: "on_hold")
        let outcome = try scene.reconcile()
        #expect(
            try scene.breaks(without: "book_missing") == [
                "unknown_value event:meld-live/E high", "unknown_value order:A high",
                "unknown_value transaction:meld-live/57 high",
            ])
        #expect(
            try scene.store.list().filter { $0.rule == "unknown_value" }.allSatisfy(\.atRisk.isZero)
                && outcome.totalsTie)
    }

    @Test("a status nobody modelled stays unknown_value while a dispute is laid over it; that of a known one is not")
    func disputed() throws {
        let scene = try Scene.settling()
        for (id, state) in [("T1", "unknown"), ("T2", "paid")] {
            try scene.paid(id, status: "disputed", state: state)
            try scene.leg("dispute", "D-\(id)", of: id, state: "disputed", disputed: "40")
        }
        try scene.reconcile()
        #expect(try scene.seen("state", "T1") == "disputed" && scene.seen("state", "T2") == "disputed")
        #expect(try scene.found("unknown_value").map(\.subject) == ["transaction:push-live/T1"])
    }
}
