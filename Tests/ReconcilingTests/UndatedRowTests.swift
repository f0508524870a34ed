import Payments
import Postgres
import Reconciling
import Testing

/// Rows without an update time are as old as our reading of them.
@Suite("webhook_conflict of rows without an update time")
struct UndatedRowTests {
    private func scene(reach: String = "2026-01-20T12:00:00Z") throws -> Scene {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 100, unit: .businessDays)]
        try scene.feed("provider", reach: reach, success: "2026-01-20T12:15:00Z")
        return scene
    }

    /// The row, first read so at `read`.
    private func row(
        _ scene: Scene, _ status: String, _ state: String, _ money: String, rank: Int64, isFinal: Bool = false,
        read: String = "2026-01-11T02:00:00Z", superseded: String? = nil
    ) throws {
        try scene.transaction(
            "T", status: status, state: state, money: money, updated: read, flags: [], superseded: superseded,
            rank: rank, isFinal: isFinal)
        let table = superseded == nil ? "transaction" : "transaction_history"
        try scene.connection.execute("update tieout.\(table) set updated_at = null where transaction_id = 'T'")
    }

    private func event(
        _ scene: Scene, _ status: String, _ state: String, _ money: String, rank: Int64,
        time: String = "2026-01-10T10:05:00Z", key: String = "E", verdict: String = "valid"
    ) throws {
        try scene.event(
            key, of: "T", status: status, state: state, money: money, time: time, verdict: verdict, rank: rank)
    }

    private func conflicts(_ scene: Scene) throws -> Int {
        try scene.reconcile(at: "2026-01-20T12:20:00Z")
        return try scene.found("webhook_conflict").count
    }

    @Test("an event of a later state than a row read after it is a webhook_conflict; one without proof is not")
    func behind() throws {
        for (verdict, breaks) in [("valid", 1), ("invalid", 0)] {
            let scene = try scene()
            try row(scene, "PENDING", "pending", "none", rank: 10)
            try event(scene, "PAID", "paid", "taken", rank: 70, verdict: verdict)
            #expect(try conflicts(scene) == breaks)
        }
    }

    @Test(
        "no webhook_conflict: the row has meanwhile a state of the same or a higher rank, or the event is a passing one"
    )
    func movedOn() throws {
        for (state, money, rank) in [("paid", "taken", 70), ("refunded", "returned", 90)] as [(String, String, Int64)] {
            let scene = try scene()
            try row(scene, "LATER", state, money, rank: rank, isFinal: true)
            try event(scene, "SETTLED", "settled", "delivered", rank: 70)
            #expect(try conflicts(scene) == 0)
        }
        let scene = try scene()
        try row(scene, "SETTLED", "settled", "delivered", rank: 70, isFinal: true)
        try event(scene, "PENDING", "pending", "none", rank: 10)
        #expect(try conflicts(scene) == 0)
    }

    @Test("an event after the last reading is awaiting, no webhook_conflict yet")
    func notAskedAgain() throws {
        let scene = try scene()
        try row(scene, "PENDING", "pending", "none", rank: 10)
        try event(scene, "PAID", "paid", "taken", rank: 70, time: "2026-01-20T12:05:00Z")
        #expect(try conflicts(scene) == 0)
        try scene.feed("provider", reach: "2026-01-20T12:45:00Z", success: "2026-01-20T13:00:00Z")
        try scene.reconcile(at: "2026-01-20T13:01:00Z")
        #expect(try scene.found("webhook_conflict").count == 1)
    }

    @Test("two ends that exclude each other are a webhook_conflict, unless an event after it tells of the row's")
    func ends() throws {
        for (later, breaks) in [(nil, 1), ("2026-01-10T10:30:00Z", 0)] as [(String?, Int)] {
            let scene = try scene()
            try row(scene, "SUCCESS", "settled", "delivered", rank: 70, isFinal: true)
            try event(scene, "FAILED", "failed", "taken", rank: 60)
            if let later {
                try event(scene, "SUCCESS", "settled", "delivered", rank: 70, time: later, key: "E2")
            }
            #expect(try conflicts(scene) == breaks)
        }
        // Approved after it was declined, by the provider's own clock; or cancelled after it was paid.
        for (declined, breaks) in [("2026-01-10T09:59:00Z", 1), ("2026-01-10T10:30:00Z", 0)] {
            let scene = try scene()
            try row(scene, "declined", "declined", "none", rank: 60, isFinal: true)
            try event(scene, "declined", "declined", "none", rank: 60, time: declined, key: "E1")
            try event(scene, "approved", "paid", "taken", rank: 50)
            #expect(try conflicts(scene) == breaks)
        }
    }

    @Test("what an earlier reading showed, or lapsed and was paid after all, is no webhook_conflict")
    func seenBefore() throws {
        let scene = try scene()
        try scene.keepHistory()
        try row(
            scene, "PAID", "paid", "taken", rank: 70, isFinal: true, read: "2026-01-10T11:00:00Z",
            superseded: "2026-01-11T02:00:00Z")
        try row(scene, "CANCELLED", "cancelled", "none", rank: 60, isFinal: true)
        try event(scene, "PAID", "paid", "taken", rank: 70)
        #expect(try conflicts(scene) == 0 && scene.found("status_regression").count == 1)
        for (money, breaks) in [("taken", 0), ("none", 1)] {
            let revived = try self.scene()
            try row(revived, "received", "paid", money, rank: 30)
            try event(revived, "EXPIRED", "expired", "none", rank: 64)
            #expect(try conflicts(revived) == breaks)
        }
    }
}
