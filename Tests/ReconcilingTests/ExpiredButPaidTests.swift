import Payments
import Postgres
import Reconciling
import Testing

@Suite struct ExpiredButPaidTests {
    private let lapse = "2026-01-10T10:30:00Z"

    @Test(
        "case 49: paid, and lapsed in the book, by whatever word the book has for it",
        arguments: [("expired", "2026-01-10T10:30:00Z"), ("cancelled", "2026-01-10T10:30:00Z")])
    func lapsed(status: String, updated: String) throws {
        let scene = try Scene()
        try scene.order(
            "A", status: status, created: "2026-01-10T10:00:00Z", updated: updated, expires: lapse)
        try scene.transaction(
            "T", created: "2026-01-10T10:01:00Z", updated: "2026-01-10T10:29:58Z", refs: ["book:order=A"],
            returned: "30")
        let outcome = try scene.reconcile()
        let found = try #require(try scene.store.list().first { $0.primaryBreak == nil })
        #expect(found.rule == "expired_but_paid" && found.subject == "order:A" && found.severity == .high)
        #expect(found.difference?.description == "-100" && found.atRisk.description == "70")
        #expect(found.facts.contains("2026-01-10T10:30:00Z") && found.facts.contains(status))
        let second = try #require(try scene.store.list().first { $0.rule == "webhook_missing" })
        #expect(second.primaryBreak == found.id && second.atRisk.isZero)
        #expect(try scene.store.list().count == 2 && outcome.totalsTie)
    }

    @Test("not lapsed but cancelled by hand before the session's end is accepted_as_failed")
    func cancelled() throws {
        let scene = try Scene(events: [])
        try scene.order(
            "A", status: "cancelled", created: "2026-01-10T10:00:00Z", updated: "2026-01-10T10:29:59.999999Z",
            expires: lapse)
        try scene.transaction("T", refs: ["book:order=A"])
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks() == ["accepted_as_failed order:A high"])
    }

    @Test(
        "no break where nothing was paid, or all of it went back",
        arguments: [("none", "expired"), ("none", "pending"), ("returned", "refunded")])
    func twins(money: String, state: String) throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: "expired", created: "2026-01-10T10:00:00Z", expires: lapse)
        try scene.transaction(
            "T", status: state.uppercased(), state: state, money: money, refs: ["book:order=A"],
            returned: money == "returned" ? "100" : nil)
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test("the money must be seen by a book that reaches that far; then it is a break, and heals when credited")
    func race() throws {
        let scene = try Scene(events: [])
        try scene.order(
            "A", status: "expired", created: "2026-01-20T10:00:00Z", updated: "2026-01-20T10:30:00Z",
            expires: "2026-01-20T10:30:00Z")
        try scene.transaction("T", created: "2026-01-20T11:30:00Z", refs: ["book:order=A"])
        let early = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && early.awaiting == 1 && early.totalsTie)
        for feed in ["provider", "book"] { try scene.feed(feed, reach: "2026-01-20T12:45:00Z") }
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").opened == 1)
        try scene.order("A", status: "credited", created: "2026-01-20T10:00:00Z", updated: "2026-01-20T13:10:00Z")
        let healed = try scene.reconcile(at: "2026-01-20T14:00:00Z")
        #expect(healed.healed == 1 && healed.totalsTie)
    }
}
