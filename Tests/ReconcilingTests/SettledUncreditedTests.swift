import Payments
import Postgres
import Reconciling
import Testing

@Suite struct SettledUncreditedTests {
    @Test(
        "delivered and not credited in time; what the book calls paid differs by nothing",
        arguments: [("open", "-100"), ("pending", "-100"), ("paid", "0")])
    func delivered(status: String, difference: String) throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: status)
        try scene.transaction("T", refs: ["book:order=A"], returned: "1")
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "settled_uncredited" && found.subject == "order:A" && found.severity == .high)
        #expect(found.difference?.description == difference && found.atRisk.description == "99")
        #expect(outcome.totalsTie)
    }

    @Test(
        "due exactly at what the book reaches is a break, a microsecond later not yet",
        arguments: [("2026-01-20T10:30:00Z", 1), ("2026-01-20T10:30:00.000001Z", 0)])
    func due(delivered: String, breaks: Int) throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: "paid", created: "2026-01-20T10:00:00Z")
        try scene.transaction("T", created: "2026-01-20T10:05:00Z", updated: delivered, refs: ["book:order=A"])
        try scene.feed("book", reach: "2026-01-20T11:30:00Z")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().count == breaks && outcome.awaiting == 1 - breaks && outcome.totalsTie)
    }

    @Test("credited in the end it heals; credited at once there is no break")
    func credited() throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: "paid")
        try scene.transaction("T", refs: ["book:order=A"])
        try scene.order("B")
        try scene.transaction("U", refs: ["book:order=B"])
        #expect(try scene.reconcile().opened == 1)
        try scene.order("A")
        let healed = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(healed.healed == 1 && healed.totalsTie)
    }

    @Test("settled to the merchant and not credited is one too, a fiat product of direction in")
    func settled() throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: "paid")
        try scene.transaction("T", state: "settled", money: "taken", refs: ["book:order=A"])
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks() == ["settled_uncredited order:A high"])
    }
}
