import Payments
import Postgres
import Testing

@testable import Reconciling

/// What is news to a payment though none of its own records changed.
@Suite("Nights that look at their news alone")
struct NewsTests {
    @Test("a payment that its provider knows again is looked at, and is counted before coverage no more")
    func knownAgain() throws {
        let scene = try Scene(events: [])
        try scene.transaction("T", created: "2025-12-20T10:00:00Z")
        try scene.connection.execute(
            "insert into tieout.vanished (account_id, source_id, resource, transaction_id, since, run_id) values ($1, 'meld-live', 'transaction', 'T', '2026-01-15T02:00:00Z', 1)",
            [.int(Scene.account)])
        try scene.reconcile()
        let watched = "select count(*) from tieout.watch where rule = 'provider_missing'"
        #expect(try scene.connection.query(watched).only().int(0) == 1)
        try scene.connection.execute("update tieout.vanished set returned_at = '2026-01-20T12:30:00Z'")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z", isFull: false).inScope == 1)
        #expect(try scene.connection.query(watched).only().int(0) == 0)
    }

    @Test(
        "a line of a file that its provider shows later, of another payment, settles that one and not its own any more")
    func copied() throws {
        let scene = try Scene.settling()
        for id in ["T1", "T2"] { try scene.paid(id, created: "2026-01-12T10:00:00Z") }
        try scene.fileLine("L1", order: "O-T1", gross: "100", payout: "P1", source: "push-live")
        try scene.reconcile()
        #expect(try scene.only("settlement_missing").subject == "transaction:push-live/T2")
        let refs = ["push:payout=P1"]
        try scene.leg(
            "settlement_line", "L1", of: "T2", kind: "charge", charged: "100", delivered: "100", refs: refs,
            observed: "2026-01-20T12:30:00Z")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z", isFull: false).inScope == 2)
        #expect(try scene.only("settlement_missing").subject == "transaction:push-live/T1")
        // Looked at without any news.
        let later = try scene.reconcile(at: "2026-01-20T14:00:00Z", isFull: false)
        #expect(later.inScope == 1 && later.totalsTie)
        #expect(try scene.only("settlement_missing").subject == "transaction:push-live/T1")
        try scene.reconcile(at: "2026-01-20T15:00:00Z")
        #expect(try scene.only("settlement_missing").subject == "transaction:push-live/T1")
    }

    @Test("an event about a payment that turns out to be another account's is no evidence any more")
    func stranger() throws {
        let scene = try Scene(events: [])
        for id in ["X", "Y"] {
            try scene.event("E-\(id)", of: id, status: "SETTLED", state: "settled", money: "delivered")
        }
        try scene.reconcile()
        #expect(try scene.breaks(without: "webhook_unverified").count == 2)
        try scene.connection.execute(
            "insert into tieout.stranger (account_id, source_id, transaction_id, observed_at, run_id) values ($1, 'meld-live', 'X', '2026-01-20T12:30:00Z', 1)",
            [.int(Scene.account)])
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z", isFull: false).totalsTie)
        #expect(try scene.only("provider_missing").subject == "transaction:meld-live/Y")
        try scene.reconcile(at: "2026-01-20T14:00:00Z")
        #expect(try scene.only("provider_missing").subject == "transaction:meld-live/Y")
    }

    @Test("a payout of a status that nobody modelled is unknown_value, a known one is not, and so it stays on a night")
    func payoutStatus() throws {
        let scene = try Scene.settling()
        try scene.leg("payout", "P1", status: "mislaid", state: "unknown", delivered: "0")
        try scene.payout("P2", amount: "0")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks() == ["unknown_value payout:push-live/P1 high"])
        #expect(try scene.fact("status", of: scene.only()) == "mislaid")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z", isFull: false).inScope == 0)
        #expect(try scene.breaks() == ["unknown_value payout:push-live/P1 high"])
        try scene.leg("payout", "P1", delivered: "0", observed: "2026-01-20T13:30:00Z")
        #expect(try scene.reconcile(at: "2026-01-20T14:00:00Z", isFull: false).totalsTie)
        #expect(try scene.breaks().isEmpty)
    }
}
