import Payments
import Postgres
import Reconciling
import Testing

/// Refunds and disputes as records of their own: asked for, announced and final like payments.
@Suite("provider_missing, webhook_missing and status_regression of refunds and disputes")
struct LegRecordTests {
    /// A source that shows refunds and disputes, and announces what becomes of them.
    private func scene(shows: String = #"{"reads_by_id": ["transaction", "refund", "dispute"]}"#) throws -> Scene {
        let scene = try Scene.settling()
        try scene.feed("webhook", source: "push-live", reach: "2026-01-20T12:00:00Z")
        try scene.connection.execute(
            "update tieout.source set declaration = declaration || $1::jsonb || '{\"event_states\": [\"SUCCESS\", \"COMPLETED\"]}' where source_id = 'push-live'",
            [.json(shows)])
        try scene.paid("T1", status: "disputed")
        try scene.line("L1", of: "T1", gross: "100", payout: "P1")
        try scene.payout("P1", amount: "100", lines: ["L1"])
        return scene
    }

    private func event(_ scene: Scene, _ key: String, of record: String, status: String, state: String = "refunded")
        throws
    {
        try scene.event(
            key, of: record, status: status, state: state, money: nil, refs: ["push:transaction=T1"],
            source: "push-live")
    }

    @Test(
        "a valid event about a refund or a dispute that the provider does not know is provider_missing; known, it is not",
        arguments: ["refund", "dispute"])
    func unknown(resource: String) throws {
        let scene = try scene()
        try event(scene, "E1", of: "\(resource)/X1", status: "PENDING")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.only("provider_missing").subject == "transaction:push-live/\(resource)/X1")
        try scene.leg(resource, "X1", of: "T1", status: "PENDING", state: "pending", returned: "20", disputed: "20")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.found("provider_missing").isEmpty)
    }

    @Test("where a provider shows no such records, or the event is young, an event about one is no provider_missing")
    func notShown() throws {
        let scene = try scene(shows: #"{"lists": ["transaction"]}"#)
        try event(scene, "E1", of: "refund/X1", status: "PENDING")
        try scene.reconcile()
        #expect(try scene.found("provider_missing").isEmpty)
        let young = try self.scene()
        try young.event(
            "E1", of: "refund/X1", status: "PENDING", state: "pending", money: nil, time: "2026-01-20T11:30:00Z",
            refs: ["push:transaction=T1"], source: "push-live")
        #expect(try young.reconcile().awaiting == 1)
        #expect(try young.found("provider_missing").isEmpty)
    }

    @Test(
        "a refund or dispute in a state that is announced has a webhook_missing without its event, and none with it",
        arguments: [("refund", "SUCCESS", "refunded"), ("dispute", "COMPLETED", "disputed")])
    func unannounced(resource: String, status: String, state: String) throws {
        let scene = try scene()
        try scene.leg(
            resource, "X1", of: "T1", status: status, state: state, returned: "20", disputed: "20",
            flags: ["event_expected"])
        // Of a state that is not announced, and of a row that sends none.
        try scene.leg(resource, "X2", of: "T1", status: "PENDING", state: "pending", flags: ["event_expected"])
        try scene.leg(resource, "X3", of: "T1", status: status, state: state, returned: "1", disputed: "1")
        // Of another record of the same id, or of another status.
        try event(scene, "E0", of: resource == "refund" ? "dispute/X1" : "refund/X1", status: status)
        try event(scene, "E1", of: "\(resource)/X1", status: "PENDING", state: "pending")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.found("webhook_missing").map(\.subject) == ["transaction:push-live/\(resource)/X1"])
        try event(scene, "E2", of: "\(resource)/X1", status: status, state: state)
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try scene.found("webhook_missing").isEmpty)
    }

    private func versions(_ scene: Scene, _ resource: String, _ versions: [(String, String, Int64, Bool)]) throws {
        try scene.keepHistory()
        for (index, version) in versions.enumerated() {
            try scene.transaction(
                "X1", source: "push-live", status: version.0, state: version.1, money: "none",
                updated: "2026-01-10T1\(index):00:00Z", refs: ["push:transaction=T1"], flags: [],
                superseded: index == versions.count - 1 ? nil : "2026-01-11T1\(index):00:00Z", rank: version.2,
                isFinal: version.3, resource: resource, parent: "T1")
        }
    }

    @Test("a refund that was carried out and is refused now is a status_regression")
    func flipped() throws {
        let scene = try scene()
        try versions(scene, "refund", [("SUCCESS", "refunded", 70, true), ("REJECTED", "failed", 60, true)])
        try scene.reconcile()
        let found = try scene.only("status_regression")
        #expect(found.subject == "transaction:push-live/refund/X1" && found.facts.contains("REJECTED"))
    }

    @Test("a refund that succeeds at last, or a dispute that is lost after all, is no status_regression")
    func news() throws {
        for (resource, path) in [
            ("refund", [("REJECTED", "failed", 60, true), ("SUCCESS", "refunded", 70, true)]),
            ("dispute", [("REVERSAL", "paid", 70, true), ("DISPUTE_LOST", "disputed", 70, true)]),
            ("refund", [("PENDING", "pending", 10, false), ("REJECTED", "failed", 60, true)]),
        ] as [(String, [(String, String, Int64, Bool)])] {
            let scene = try scene()
            try versions(scene, resource, path)
            try scene.reconcile()
            #expect(try scene.found("status_regression").isEmpty)
        }
    }
}
