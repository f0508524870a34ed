import Payments
import Postgres
import Reconciling
import Testing

@Suite("paid_unsettled of a charge of nothing")
struct NothingOwedTests {
    @Test(
        "taken and due: a charge of a cent is paid_unsettled, one of nothing is not, whatever the book says",
        arguments: ["credited", "paid", "open"])
    func zero(status: String) throws {
        for (amount, breaks) in [("0", 0), ("0.01", 1)] {
            let scene = try Scene(events: [])
            try scene.order("A", status: status, amount: amount, created: "2026-01-10T10:00:00Z")
            try scene.transaction(
                "T", status: "PAID", state: "paid", money: "taken", charged: amount, refs: ["book:order=A"])
            #expect(try scene.reconcile().totalsTie)
            #expect(try scene.found("paid_unsettled").count == breaks)
            if breaks == 0 { #expect(try scene.breaks().isEmpty) }
        }
    }
}
