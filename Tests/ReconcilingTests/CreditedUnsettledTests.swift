import Payments
import Postgres
import Reconciling
import Testing

@Suite struct CreditedUnsettledTests {
    private func scene(policy: String, money: String, state: String) throws -> Scene {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 1_000, unit: .hours)]
        try scene.source("shop", creditPolicy: policy)
        for feed in ["provider", "book"] { try scene.feed(feed, source: "shop", reach: "2026-01-20T12:00:00Z") }
        try scene.order("A", source: "shop")
        try scene.transaction(
            "T", source: "shop", status: state.uppercased(), state: state, money: money, refs: ["book:order=A"])
        return scene
    }

    @Test(
        "credited on a hold or before it settled, where the policy is on_settled",
        arguments: [("held", "authorized"), ("taken", "settling")])
    func early(money: String, state: String) throws {
        let scene = try scene(policy: "on_settled", money: money, state: state)
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "credited_unsettled" && found.subject == "order:A" && found.severity == .medium)
        #expect(found.difference?.description == "0" && found.atRisk.description == "100" && outcome.totalsTie)
    }

    @Test(
        "no break under the usual policy, nor once it is settled or delivered",
        arguments: [
            ("on_paid", "held", "authorized"), ("on_paid", "taken", "settling"), ("on_settled", "taken", "settled"),
            ("on_settled", "delivered", "settled"),
        ])
    func twins(policy: String, money: String, state: String) throws {
        let scene = try scene(policy: policy, money: money, state: state)
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test("past its term it is paid_unsettled that heads the payment, not the early credit")
    func overdue() throws {
        let scene = try scene(policy: "on_settled", money: "taken", state: "settling")
        scene.terms = [Term(amount: 1, unit: .hours)]
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.headlines() == ["paid_unsettled transaction:shop/T"])
        #expect(try scene.breaks().contains("credited_unsettled order:A medium"))
    }
}
