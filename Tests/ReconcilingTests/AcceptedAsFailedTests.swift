import Payments
import Postgres
import Reconciling
import Testing

@Suite struct AcceptedAsFailedTests {
    @Test(
        "the book gave up what the provider holds, took or delivered", arguments: ["failed", "cancelled"],
        ["held", "taken", "delivered"])
    func accepted(status: String, money: String) throws {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 1_000, unit: .hours)]
        try scene.order("A", status: status)
        try scene.transaction(
            "T", status: "PENDING", state: "pending", money: money, charged: "99.50", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        let found = try #require(try scene.store.list().first { $0.primaryBreak == nil })
        #expect(found.rule == "accepted_as_failed" && found.subject == "order:A" && found.severity == .high)
        #expect(found.difference?.description == "-99.5" && found.atRisk.description == "99.5")
        #expect(outcome.totalsTie)
    }

    @Test("no break where the money never moved or went back, nor before the provider's and the book's feeds reach it")
    func twins() throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: "failed")
        try scene.transaction("T1", status: "DECLINED", state: "declined", money: "none", refs: ["book:order=A"])
        try scene.order("B", status: "cancelled")
        try scene.transaction(
            "T2", status: "REFUNDED", state: "refunded", money: "returned", refs: ["book:order=B"], returned: "100")
        try scene.order("C", status: "failed", created: "2026-01-20T11:30:00Z")
        try scene.transaction("T3", created: "2026-01-20T11:30:00Z", refs: ["book:order=C"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.awaiting == 1 && outcome.totalsTie)
    }

    @Test("two charges of a failed order: the second is surplus, the first differs by itself; together they add up")
    func twoCharges() throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: "failed")
        try scene.transaction("T1", charged: "90", refs: ["book:order=A"])
        try scene.transaction("T2", charged: "95", created: "2026-01-10T10:05:00Z", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        #expect(outcome.totalsTie)
        let found = try #require(try scene.store.list().first { $0.rule == "accepted_as_failed" })
        #expect(found.difference?.description == "-90" && found.atRisk.isZero && found.primaryBreak != nil)
    }

    @Test("direction out: a payout that the book calls failed and the provider paid, no payout, no break")
    func out() throws {
        let scene = try Scene(events: [])
        for (id, money, state) in [("A", "delivered", "settled"), ("B", "none", "failed")] {
            try scene.order(id, status: "failed", amount: "0.01", currency: "BTC", direction: "out")
            try scene.transaction(
                id, status: state.uppercased(), state: state, money: money, charged: "0.01", currency: "BTC",
                refs: ["book:order=\(id)"], direction: "out")
        }
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks() == ["accepted_as_failed order:A high"])
        #expect(try scene.only().difference?.description == "-0.01")
    }
}
