import Payments
import Postgres
import Reconciling
import Testing

@Suite struct CreditedUnpaidTests {
    @Test(
        "credited, and the provider refused it, gave it back or kept it: the difference is book less provider",
        arguments: [
            ("DECLINED", "declined", "none", "100", "100"), ("REFUNDED", "refunded", "returned", "0", "100"),
            ("FAILED", "failed", "taken", "0", "100"), ("CANCELLED", "cancelled", "held", "0", "100"),
        ])
    func refused(status: String, state: String, money: String, difference: String, atRisk: String) throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction(
            "T", status: status, state: state, money: money, refs: ["book:order=A"],
            returned: money == "returned" ? "100" : nil)
        let outcome = try scene.reconcile()
        #expect(try scene.headlines() == ["credited_unpaid order:A"])
        let found = try #require(try scene.store.list().first { $0.rule == "credited_unpaid" })
        #expect(found.difference?.description == difference && found.atRisk.description == atRisk)
        #expect(found.severity == .critical && found.facts.contains(status) && found.facts.contains("credited"))
        #expect(outcome.totalsTie)
    }

    @Test("no credited_unpaid: the second try paid it, a partial refund, or an order that costs nothing")
    func twins() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", status: "DECLINED", state: "declined", money: "none", refs: ["book:order=A"])
        try scene.transaction("T2", created: "2026-01-10T10:05:00Z", refs: ["book:order=A"])
        try scene.order("B")
        try scene.transaction("T3", refs: ["book:order=B"], returned: "99.99")
        try scene.order("free", amount: "0")
        let outcome = try scene.reconcile()
        // That the book knows nothing of what went back in part is another matter.
        #expect(try scene.breaks() == ["refund_mismatch order:B high"] && outcome.totalsTie)
    }

    @Test("reversed, then charged again: the payment stands, no break")
    func chargedAgain() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction(
            "T1", status: "REFUNDED", state: "refunded", money: "returned", refs: ["book:order=A"], returned: "100")
        try scene.transaction("T2", created: "2026-01-10T11:00:00Z", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test("failed over to a second source: its payment counts, wherever the book last saw the order; no break")
    func failover() throws {
        let scene = try Scene(events: [])
        try scene.source("second")
        for feed in ["provider", "book"] { try scene.feed(feed, source: "second", reach: "2026-01-20T12:00:00Z") }
        try scene.order("A")
        try scene.transaction("T1", status: "DECLINED", state: "declined", money: "none", refs: ["book:order=A"])
        try scene.transaction("T2", source: "second", created: "2026-01-10T10:05:00Z", refs: ["book:order=A"])
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks().isEmpty)
        // The second source fell silent before it paid: nobody can say that the credit is unpaid.
        try scene.transaction(
            "T2", source: "second", status: "PENDING", state: "pending", money: "none", created: "2026-01-10T10:05:00Z",
            refs: ["book:order=A"])
        try scene.feed("provider", source: "second", reach: "2026-01-18T12:00:00Z")
        let silent = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try scene.breaks(without: "source_stale").isEmpty && silent.totalsTie)
        try scene.feed("provider", source: "second", reach: "2026-01-20T13:30:00Z")
        try scene.reconcile(at: "2026-01-20T13:40:00Z")
        #expect(try scene.headlines("order") == ["credited_unpaid order:A"])
    }

    @Test("the provider knows no payment: credited_unpaid heads provider_missing, once the provider's feed reaches it")
    func unknown() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.feed("provider", reach: "2026-01-10T10:58:59.999999Z")
        scene.tolerances = Tolerances(maximumAge: [.provider: "30 days"])
        let early = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && early.awaiting == 2 && early.totalsTie)
        try scene.feed("provider", reach: "2026-01-10T10:59:00Z")
        let outcome = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try scene.breaks() == ["credited_unpaid order:A critical", "provider_missing order:A medium"])
        #expect(try scene.headlines() == ["credited_unpaid order:A"])
        #expect(try scene.store.list().map(\.atRisk.description) == ["100", "0"] && outcome.totalsTie)
    }

    @Test("undecided at the provider it is awaiting for a day, then a break")
    func patience() throws {
        let scene = try Scene(events: [])
        try scene.order("A", created: "2026-01-19T13:00:00Z")
        try scene.transaction(
            "T", status: "TWO_FA_REQUIRED", state: "pending", money: "none", created: "2026-01-19T13:00:00Z",
            refs: ["book:order=A"])
        let early = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && early.awaiting == 1 && early.totalsTie)
        for feed in ["provider", "book"] { try scene.feed(feed, reach: "2026-01-20T13:00:00Z") }
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.only().dueAt == at("2026-01-20T13:00:00Z"))
    }
}
