import Payments
import Postgres
import Reconciling
import Testing

@Suite struct EffectiveMoneyTests {
    private func money(_ scene: Scene) throws -> String {
        try scene.connection.query("select money from scope.transaction where transaction_id = 'T'").only().text(0)
    }

    private func failed(_ scene: Scene) throws {
        try scene.transaction(
            "T", status: "FAILED", state: "failed", money: "none", updated: "2026-01-10T11:00:00Z", afterTaken: "taken",
            afterDelivered: "delivered")
    }

    @Test("failed after the money was seen taken is taken; by event or by earlier version, by their own times")
    func seen() throws {
        let scene = try Scene(events: [])
        try failed(scene)
        #expect(try money(scene) == "none")
        try scene.event(
            "late", of: "T", status: "SETTLING", state: "settling", money: "taken", time: "2026-01-10T12:00:00Z")
        try scene.event(
            "bad", of: "T", status: "SETTLING", state: "settling", money: "taken", verdict: "invalid")
        #expect(try money(scene) == "none")
        try scene.event("E", of: "T", status: "SETTLING", state: "settling", money: "taken")
        #expect(try money(scene) == "taken")
        try scene.event("D", of: "T", status: "SETTLED", state: "settled", money: "delivered")
        #expect(try money(scene) == "delivered")
    }

    @Test("an earlier stored version counts like an event")
    func history() throws {
        let scene = try Scene(events: [])
        try scene.connection.execute(
            "create table tieout.transaction_history_all partition of tieout.transaction_history default")
        try failed(scene)
        try scene.transaction(
            "T", status: "SETTLING", state: "settling", money: "taken", updated: "2026-01-10T10:30:00Z",
            superseded: "2026-01-10T11:00:00Z")
        #expect(try money(scene) == "taken")
    }

    @Test(
        "a status that only says what earlier money means is none after none, held after held, and unknown after nothing"
    )
    func extraVerification() throws {
        let scene = try Scene(events: [])
        func check() throws {
            try scene.transaction(
                "T", status: "extraVerification", state: "pending", money: "unknown", updated: "2026-01-10T11:00:00Z",
                afterHeld: "held", afterTaken: "taken", afterDelivered: "delivered", isFinal: false)
        }
        try check()
        #expect(try money(scene) == "unknown")
        try scene.event(
            "late", of: "T", status: "waitingPayment", state: "pending", money: "none", time: "2026-01-10T12:00:00Z")
        try scene.event("bad", of: "T", status: "pendingPayment", state: "created", money: "none", verdict: "invalid")
        #expect(try money(scene) == "unknown")
        try scene.event("A", of: "T", status: "pendingPayment", state: "created", money: "none")
        #expect(try money(scene) == "none")
        try scene.event("B", of: "T", status: "waitingPayment", state: "pending", money: "held")
        #expect(try money(scene) == "held")
        try scene.event("C", of: "T", status: "paymentReceived", state: "paid", money: "taken")
        #expect(try money(scene) == "taken")
    }

    @Test("an unknown status is not none because none was seen before")
    func unknownStays() throws {
        let scene = try Scene(events: [])
        try scene.transaction(
            "T", status: "pending", state: "unknown", money: "unknown", updated: "2026-01-10T11:00:00Z", isFinal: false)
        try scene.event("A", of: "T", status: "pendingPayment", state: "created", money: "none")
        #expect(try money(scene) == "unknown")
    }
}
