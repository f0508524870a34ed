import Payments
import Postgres
import Reconciling
import Testing

@Suite struct ProviderMissingTests {
    @Test("a stored payment that its provider does not know any more has vanished: medium; known again it is no break")
    func vanished() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T", refs: ["book:order=A"])
        try scene.connection.execute(
            "insert into tieout.vanished (account_id, source_id, resource, transaction_id, since, run_id) values ($1, 'meld-live', 'transaction', 'T', '2026-01-15T02:00:00Z', 1)",
            [.int(Scene.account)])
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "provider_missing" && found.subject == "transaction:meld-live/T")
        #expect(found.severity == .medium && found.facts.contains("vanished") && found.atRisk.description == "100")
        #expect(outcome.totalsTie)
        try scene.connection.execute("update tieout.vanished set returned_at = '2026-01-16T02:00:00Z'")
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
    }

    @Test(
        "the book says paid, refunded or disputed of what the provider does not list",
        arguments: ["paid", "refunded", "disputed"])
    func unlisted(status: String) throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: status)
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "provider_missing" && found.subject == "order:A" && found.severity == .medium)
        #expect(found.difference?.description == "100" && found.atRisk.description == "100")
        #expect(found.facts.contains(status) && outcome.totalsTie)
    }

    @Test(
        "no break: nothing was ever paid, it costs nothing, it is quarantined, or it lies before the feed's coverage",
        arguments: ["open", "failed", "cancelled", "expired"])
    func twins(status: String) throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: status)
        try scene.order("free", status: "paid", amount: "0")
        try scene.order("held", status: "paid")
        try scene.quarantine("T", refs: ["book:order=held"])
        try scene.order("old", status: "paid", created: "2025-12-31T23:59:59Z")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test("case 50: a payout stuck for months, one the provider never got, and one that is not late yet")
    func payouts() throws {
        let scene = try Scene(reach: "2026-01-20T12:00:00Z", events: [])
        for feed in ["provider", "book"] {
            try scene.feed(feed, reach: "2026-01-20T12:00:00Z", from: "2025-01-01T00:00:00Z")
        }
        try scene.order(
            "po_7", status: "pending", amount: "0.5", currency: "BTC", created: "2025-12-11T12:00:00Z",
            direction: "out")
        try scene.transaction(
            "tr_7", charged: "0.5", currency: "BTC", created: "2025-12-11T12:05:00Z", updated: "2025-12-13T12:00:00Z",
            refs: ["book:order=po_7"], direction: "out")
        try scene.order(
            "po_8", status: "pending", amount: "0.4", currency: "BTC", created: "2026-01-17T12:00:00Z",
            direction: "out", transaction: "tr_8")
        try scene.order(
            "po_9", status: "pending", amount: "0.3", currency: "BTC", created: "2026-01-19T12:00:00.000001Z",
            direction: "out", transaction: "tr_9")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks() == ["book_conflict order:po_7 medium", "provider_missing order:po_8 medium"])
        let due = try scene.store.list().map { $0.dueAt?.description ?? "" }
        #expect(due == ["2025-12-13T13:00:00Z", "2026-01-18T12:00:00Z"])
        #expect(outcome.awaiting == 1 && outcome.totalsTie)
    }

    @Test("a valid event for what the provider does not list, once however many events speak of it")
    func spoken() throws {
        let scene = try Scene(events: [])
        try scene.event("E1", of: "T", status: "SETTLING", state: "settling", money: "taken")
        try scene.event(
            "E2", of: "T", status: "SETTLED", state: "settled", money: "delivered", time: "2026-01-10T10:20:00Z")
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "provider_missing" && found.subject == "transaction:meld-live/T")
        #expect(found.transaction == "T" && found.dueAt == at("2026-01-10T11:05:00Z") && outcome.totalsTie)
        // It turns up: healed.
        try scene.order("A")
        try scene.transaction("T", refs: ["book:order=A"])
        let healed = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(healed.healed == 1 && healed.totalsTie)
    }

    @Test("no break for an event about a refund or a dispute: its payment is listed or not for itself")
    func legs() throws {
        let scene = try Scene(events: [])
        try scene.event("E1", of: "refund/R", status: "SUCCESS", state: "refunded", money: "returned")
        try scene.event("E2", of: "dispute/D", status: "COMPLETED", state: "disputed", money: "returned")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test(
        "no break for an event that is no evidence, too young, older than the feed, or about a row in quarantine",
        arguments: [
            ("invalid", "2026-01-10T10:05:00Z", false), ("valid", "2026-01-20T11:00:00.000001Z", false),
            ("valid", "2025-12-31T10:05:00Z", false), ("valid", "2026-01-10T10:05:00Z", true),
        ])
    func unheard(verdict: String, time: String, isQuarantined: Bool) throws {
        let scene = try Scene(events: [])
        try scene.event(
            "E", of: "T", status: "SETTLED", state: "settled", money: "delivered", time: time, verdict: verdict)
        if isQuarantined { try scene.quarantine("T") }
        let outcome = try scene.reconcile()
        #expect(try scene.breaks(without: "webhook_unverified").isEmpty && outcome.totalsTie)
    }

    @Test("an event of the source that succeeds another is about the same transaction, no break")
    func succeeded() throws {
        let scene = try Scene(events: [])
        try scene.source("meld-new", succeeds: "meld-live")
        try scene.feed("provider", source: "meld-new", reach: "2026-01-20T12:00:00Z")
        try scene.order("A")
        try scene.transaction("T", refs: ["book:order=A"])
        try scene.event(
            "E", of: "T", status: "SETTLED", state: "settled", money: "delivered", source: "meld-new")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test("case 67: what rests on a source that was not polled is data incomplete, never provider_missing")
    func refusedSource() throws {
        let scene = try Scene(events: [])
        for source in ["second", "third"] {
            try scene.source(source)
            for feed in ["provider", "book"] { try scene.feed(feed, source: source, reach: "2026-01-20T12:00:00Z") }
        }
        // The second source answers 401 since the day before yesterday; a break that rests on it was open.
        try scene.order("old", source: "second", created: "2026-01-10T10:00:00Z")
        try scene.transaction("T", source: "second", charged: "90", refs: ["book:order=old"])
        try scene.order("gone", source: "second", status: "paid", created: "2026-01-10T10:00:00Z")
        #expect(try scene.reconcile().opened == 2)
        for source in ["meld-live", "third"] {
            for feed in ["provider", "book"] { try scene.feed(feed, source: source, reach: "2026-01-22T12:00:00Z") }
        }
        try scene.feed("book", source: "second", reach: "2026-01-22T12:00:00Z")
        for source in ["meld-live", "second", "third"] {
            try scene.order("new-\(source)", source: source, status: "paid", created: "2026-01-21T10:00:00Z")
        }
        let outcome = try scene.reconcile(at: "2026-01-22T12:00:00Z")
        #expect(
            try scene.breaks(without: "amount_mismatch", "source_stale") == [
                "provider_missing order:gone medium", "provider_missing order:new-meld-live medium",
                "provider_missing order:new-third medium",
            ])
        let gone = try #require(try scene.store.list().first { $0.order == "gone" })
        #expect(gone.incompleteSince == at("2026-01-20T12:00:00Z"))
        #expect(outcome.notEvaluated.contains { $0.rule == "provider_missing" && $0.source == "second" })
        #expect(outcome.totalsTie)
    }

    @Test("case 67 twin: a source that was never polled, or gives no such feed, misses no payment")
    func neverPolled() throws {
        let scene = try Scene(events: [])
        try scene.source("second")
        try scene.feed("book", source: "second", reach: "2026-01-20T12:00:00Z")
        try scene.order("A", source: "second")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
        #expect(outcome.notApplicable.contains { $0.rule == "credited_unpaid" && $0.source == "second" })
    }

    @Test(
        "case 69: a provider polled up to 09:10 proves nothing of 09:30: not evaluated, or awaiting within its age",
        arguments: [("30 minutes", 1, 0), ("26 hours", 0, 2)])
    func polledEarlier(age: String, silent: Int, awaiting: Int) throws {
        let scene = try Scene(events: [])
        scene.tolerances = Tolerances(maximumAge: [.provider: age])
        try scene.feed("provider", reach: "2026-01-20T09:10:00Z")
        try scene.feed("book", reach: "2026-01-20T10:00:00Z")
        try scene.order("A", created: "2026-01-20T08:30:00Z")
        let outcome = try scene.reconcile(at: "2026-01-20T10:00:00Z")
        #expect(try scene.breaks(without: "source_stale").isEmpty && outcome.awaiting == awaiting && outcome.totalsTie)
        #expect(outcome.notEvaluated.count { $0.rule == "provider_missing" && $0.subjects == 1 } == silent)
        let rest = try scene.connection.query(
            "select classes::text, unexplained_sum from tieout.control_total where pair = 'book-provider'")
        #expect(try rest.only().text(0).contains(silent == 1 ? "not_evaluated" : "awaiting"))
    }
}
