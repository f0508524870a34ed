import Payments
import Postgres
import Reconciling
import Testing

@Suite struct BreakLifeTests {
    private func duplicate() throws -> Scene {
        let scene = try Scene()
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"])
        try scene.transaction("T2", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"])
        return scene
    }

    @Test("one cause, one headline: only the primary carries the amount")
    func headline() throws {
        let scene = try duplicate()
        let outcome = try scene.reconcile()
        let all = try scene.store.list()
        let primary = try #require(all.first { $0.rule == "duplicate_charge" })
        #expect(primary.primaryBreak == nil && primary.atRisk.description == "100" && primary.order == "A")
        let others = all.filter { $0.rule == "webhook_missing" }
        #expect(others.count == 2 && others.allSatisfy { $0.primaryBreak == primary.id && $0.atRisk.isZero })
        #expect(outcome.standing == [.critical: 1])
    }

    @Test("a second run over the same facts writes no event, no break and no total")
    func quiet() throws {
        let scene = try duplicate()
        let first = try scene.reconcile()
        #expect(first.opened == 3 && first.totalsWritten > 0)
        let again = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(again.opened + again.changed + again.healed + again.reopened + again.carried == 0)
        #expect(again.totalsWritten == 0 && again.linked.added + again.linked.moved + again.linked.removed == 0)
        let events = try scene.connection.query("select count(*) from tieout.break_event")
        #expect(try events.only().int(0) == 3)
    }

    @Test("a healed break that is found again is reopened, a new spell")
    func reopened() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T", charged: "90", refs: ["book:order=A"])
        try scene.reconcile(at: "2026-01-20T12:00:00Z")
        try scene.transaction("T", refs: ["book:order=A"])
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").healed == 1)
        #expect(try scene.breaks().isEmpty)
        try scene.transaction("T", charged: "90", refs: ["book:order=A"])
        #expect(try scene.reconcile(at: "2026-01-20T14:00:00Z").reopened == 1)
        let found = try scene.only()
        #expect(found.isReopened && found.openedAt == at("2026-01-20T14:00:00Z"))
        #expect(try scene.store.show(found.id).trail.map(\.event) == ["opened", "healed", "reopened"])
    }

    @Test("a break whose feeds are stale is carried with the time its data end, and heals only when they are fresh")
    func carried() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T", charged: "90", refs: ["book:order=A"])
        try scene.reconcile()
        try scene.transaction("T", refs: ["book:order=A"])
        #expect(try scene.reconcile(at: "2026-01-25T12:00:00Z").carried == 1)
        #expect(try scene.only("amount_mismatch").incompleteSince == at("2026-01-20T12:00:00Z"))
        let still = try scene.reconcile(at: "2026-01-25T13:00:00Z")
        #expect(still.carried == 0 && still.changed == 0)
        for feed in ["provider", "book"] { try scene.feed(feed, reach: "2026-01-25T13:30:00Z") }
        #expect(try scene.reconcile(at: "2026-01-25T14:00:00Z").healed == 1)
    }

    @Test("breaks of a source's first complete run are baseline and count in nothing that fails a job")
    func baseline() throws {
        let scene = try duplicate()
        try scene.feed("provider", reach: "2026-01-20T12:00:00Z", baseline: 1)
        let outcome = try scene.reconcile()
        #expect(outcome.opened == 3 && outcome.standing.isEmpty)
        #expect(try scene.store.list().allSatisfy(\.isBaseline))
    }

    @Test("a run that completed a source and died before it judged leaves the baseline to the next one only")
    func baselineAfterDeath() throws {
        let scene = try duplicate()
        try scene.feed("provider", reach: "2026-01-20T12:00:00Z", baseline: 0)
        #expect(try scene.reconcile().standing.isEmpty)
        try scene.transaction("Later", refs: ["book:order=A"])
        let outcome = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(outcome.opened == 2 && outcome.standing.values.reduce(0, +) == 1)
    }

    @Test("a changed, removed or added event breaks the chain; untouched it is whole")
    func chain() throws {
        let scene = try duplicate()
        try scene.reconcile()
        guard case .whole(let length, _) = try scene.store.verify() else {
            Issue.record("the untouched trail is not whole")
            return
        }
        #expect(length == 3)
        try scene.connection.execute("update tieout.break_event set actor = 'nobody' where seq = 2")
        #expect(try scene.store.verify() == .broken(at: 2))
        try scene.connection.execute("update tieout.break_event set actor = 'system' where seq = 2")
        try scene.connection.execute("delete from tieout.break_event where seq = 3")
        #expect(try scene.store.verify() != .whole(length: 2, head: []))
        #expect(try scene.store.verify() == .broken(at: 2))
    }

    @Test("only an open break can be acknowledged, and only with a reason")
    func acknowledging() throws {
        let scene = try duplicate()
        try scene.reconcile()
        let id = try #require(try scene.store.list().first?.id)
        #expect(throws: BreakStore.Fault.reasonMissing) {
            try scene.store.ack(id, reason: " ", actor: "ann", now: at("2026-01-20T12:30:00Z"))
        }
        try scene.store.ack(id, reason: "known", actor: "ann", now: at("2026-01-20T12:30:00Z"))
        #expect(throws: BreakStore.Fault.notOpen(id: id, state: "acknowledged")) {
            try scene.store.ack(id, reason: "known", actor: "ann", now: at("2026-01-20T12:31:00Z"))
        }
        let shown = try scene.store.show(id)
        #expect(shown.break.owner == "ann" && shown.trail.last?.reason == "known")
        #expect(throws: BreakStore.Fault.unknown(id: "B0")) { try scene.store.show("B0") }
    }
}
