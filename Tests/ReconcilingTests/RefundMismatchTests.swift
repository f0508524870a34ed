import Payments
import Postgres
import Testing

@testable import Reconciling

@Suite("refund_mismatch and dispute_unbooked")
struct RefundMismatchTests {
    private func scene(status: String = "credited", refunded: String? = nil) throws -> Scene {
        let scene = try Scene.settling()
        try scene.paid("T1", status: status)
        try scene.line("L1", of: "T1", gross: "100", payout: "P1")
        try scene.payout("P1", amount: "100", lines: ["L1"])
        try book(scene, refunded)
        return scene
    }

    private func book(_ scene: Scene, _ refunded: String?) throws {
        try scene.connection.execute(
            "update tieout.book_order set refunded_amount = $1::numeric where account_id = 7", [.text(refunded)])
    }

    @Test(
        "a partial refund that the book does not have is a refund_mismatch; booked it heals, failed again it is one of the book"
    )
    func partial() throws {
        let scene = try scene()
        try scene.leg("refund", "R1", of: "T1", state: "refunded", money: "returned", returned: "20")
        #expect(try scene.reconcile().totalsTie)
        let found = try scene.only("refund_mismatch")
        #expect(try found.subject == "order:O-T1" && found.difference == ExactDecimal("-20"))
        try book(scene, "20")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.breaks().isEmpty)
        try scene.leg("refund", "R1", of: "T1", state: "failed", money: "none", returned: "20")
        #expect(try scene.reconcile(at: "2026-01-20T14:00:00Z").totalsTie)
        #expect(try scene.only("refund_mismatch").difference == ExactDecimal("20"))
    }

    @Test(
        "case 52: partial refunds that the book has, by delta or as its state, are no refund_mismatch; nor is a pending one"
    )
    func agreed() throws {
        let scene = try scene(refunded: "30")
        for (id, amount) in [("R1", "10"), ("R2", "20")] {
            try scene.leg("refund", id, of: "T1", state: "refunded", money: "returned", returned: amount)
        }
        try scene.leg("refund", "R3", of: "T1", state: "pending", returned: "70")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks().isEmpty)
        let other = try self.scene(status: "refunded", refunded: "30")
        try other.leg("refund", "R1", of: "T1", state: "refunded", money: "returned", returned: "30")
        #expect(try other.reconcile().totalsTie)
        #expect(try other.breaks().isEmpty)
    }

    @Test("a refund that is an hour old or younger is awaited, no refund_mismatch yet")
    func young() throws {
        let scene = try scene()
        try scene.leg(
            "refund", "R1", of: "T1", state: "refunded", money: "returned", returned: "20", at: "2026-01-20T11:30:00Z")
        #expect(try scene.reconcile().awaiting == 1)
        #expect(try scene.found("refund_mismatch").isEmpty)
    }

    @Test(
        "refunded in full and credited is credited_unpaid, with no refund_mismatch beside it; not booked at all is one")
    func full() throws {
        let scene = try scene()
        try scene.leg("refund", "R1", of: "T1", state: "refunded", money: "returned", returned: "100")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks() == ["credited_unpaid order:O-T1 critical"])
        let paid = try self.scene(status: "paid")
        try paid.leg("refund", "R1", of: "T1", state: "refunded", money: "returned", returned: "100")
        #expect(try paid.reconcile().totalsTie)
        #expect(try paid.breaks() == ["refund_mismatch order:O-T1 high"])
    }

    @Test(
        "of two charges that do not add up to the order, one of them partly returned, the state decides: no amount does"
    )
    func surplus() throws {
        let scene = try scene(status: "refunded")
        try scene.transaction(
            "T2", source: "push-live", status: "approved", state: "settled", money: "taken",
            created: "2026-01-10T11:00:00Z", refs: ["push:transaction=T2", "book:order=O-T1"], flags: [])
        try scene.leg("refund", "R1", of: "T1", state: "refunded", money: "returned", returned: "40")
        #expect(try scene.reconcile().totalsTie)
        let found = try scene.only("refund_mismatch")
        #expect(found.subject == "order:O-T1" && found.facts.contains("not at the provider"))
        // What one charge of it returned is compared, and agrees.
        try book(scene, "40")
        try scene.connection.execute("update tieout.transaction set money = 'none' where transaction_id = 'T2'")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.found("refund_mismatch").isEmpty)
    }

    @Test("dispute_unbooked while a dispute is open or lost and the book does not carry it; booked or won it heals")
    func dispute() throws {
        let scene = try scene()
        try scene.leg("dispute", "D1", of: "T1", kind: "10.4", state: "disputed", disputed: "100")
        #expect(try scene.reconcile().totalsTie)
        let found = try scene.only()
        #expect(try found.rule == "dispute_unbooked" && found.atRisk == ExactDecimal("100"))
        #expect(found.subject == "transaction:push-live/T1")
        try scene.order("O-T1", source: "push-live", status: "disputed", created: "2026-01-10T10:00:00Z")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.found("dispute_unbooked").isEmpty)
        try scene.order("O-T1", source: "push-live", created: "2026-01-10T10:00:00Z")
        try scene.leg("dispute", "D1", of: "T1", kind: "10.4", state: "settled", disputed: "100")
        #expect(try scene.reconcile(at: "2026-01-20T14:00:00Z").totalsTie)
        #expect(try scene.breaks().isEmpty)
    }

    @Test("a dispute of the second of two charges is dispute_unbooked too, not hidden behind the first")
    func second() throws {
        let scene = try scene()
        try scene.transaction(
            "T2", source: "push-live", status: "approved", state: "settled", money: "taken",
            created: "2026-01-10T11:00:00Z", refs: ["push:transaction=T2", "book:order=O-T1"], flags: [])
        try scene.leg("dispute", "D1", of: "T2", state: "disputed", disputed: "100")
        try scene.reconcile()
        #expect(try scene.found("dispute_unbooked").map(\.subject) == ["transaction:push-live/T2"])
    }
}
