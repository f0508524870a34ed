import Payments
import Postgres
import Reconciling
import Testing

@Suite struct BookConflictTests {
    @Test(
        "the book waits for, or calls paid, what the provider refused", arguments: [("pending", "0"), ("paid", "100")])
    func refused(status: String, difference: String) throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: status)
        try scene.transaction("T", status: "DECLINED", state: "declined", money: "none", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "book_conflict" && found.subject == "order:A" && found.severity == .medium)
        #expect(found.difference?.description == difference && found.atRisk.description == difference)
        #expect(found.facts.contains("DECLINED") && outcome.totalsTie)
    }

    @Test("no break while the session is open, when the customer tries again, or where the book gave up too")
    func twins() throws {
        let scene = try Scene(events: [])
        try scene.order(
            "A", status: "pending", created: "2026-01-20T09:00:00Z", expires: "2026-01-20T11:00:00.000001Z")
        try scene.transaction(
            "T1", status: "DECLINED", state: "declined", money: "none", created: "2026-01-20T09:01:00Z",
            refs: ["book:order=A"])
        try scene.order("B", status: "pending")
        try scene.transaction("T2", status: "DECLINED", state: "declined", money: "none", refs: ["book:order=B"])
        try scene.transaction(
            "T3", status: "PENDING", state: "pending", money: "none", created: "2026-01-10T10:05:00Z",
            refs: ["book:order=B"])
        try scene.order("C", status: "failed")
        try scene.transaction("T4", status: "DECLINED", state: "declined", money: "none", refs: ["book:order=C"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks(without: "expired_session").isEmpty && outcome.totalsTie)
    }

    @Test("several orders in one payment: each has the charges that name it, and no break where none can be told")
    func several() throws {
        let scene = try Scene(events: [])
        for (order, status) in [("A", "credited"), ("B", "failed")] {
            try scene.order(order, status: status)
            try scene.transaction("T\(order)", refs: ["book:order=\(order)", "meld:session=S"])
        }
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks() == ["accepted_as_failed order:B high"])
        try scene.transaction("TB", refs: ["meld:session=S"])
        let unclear = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(unclear.totalsTie)
        #expect(try scene.breaks(without: "duplicate_charge").isEmpty)
    }

    @Test("money nobody can tell the fate of, with the amount that the book counts")
    func unknownMoney() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T", status: "VOIDED", state: "cancelled", money: "unknown", refs: ["book:order=A"])
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.only().rule == "book_conflict" && scene.only().difference?.description == "100")
    }

    @Test("a payout that arrived while its amount is another one: both differences together make the total")
    func payoutWithAnotherAmount() throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: "pending", amount: "100", direction: "out")
        try scene.transaction("T", charged: "90", refs: ["book:order=A"], direction: "out")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.headlines() == ["amount_mismatch transaction:meld-live/T"])
    }
}
