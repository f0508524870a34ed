import Payments
import Postgres
import Reconciling
import Testing

@Suite struct ReferenceReusedTests {
    private func reused(_ scene: Scene) throws -> [Break] {
        try scene.store.list().filter { $0.rule == "reference_reused" }
    }

    @Test("a provider's reference that two orders claim is a break of the later one, and ties nothing to either")
    func provider() throws {
        let scene = try Scene(events: [])
        try scene.order("B", created: "2026-01-10T09:00:00Z", refs: ["meld:session=S", "meld:order=X"])
        try scene.order("A", created: "2026-01-10T09:30:00Z", refs: ["meld:session=S", "meld:order=X"])
        try scene.transaction("T", refs: ["meld:session=S"])
        try scene.reconcile()
        let found = try #require(try reused(scene).first)
        #expect(try reused(scene).count == 1 && found.subject == "order:A" && found.severity == .high)
        for text in ["meld:session=S", "meld:order=X", "\"order B\"", "\"order A\""] {
            #expect(found.facts.contains(text), "\(text)")
        }
        let together = try scene.connection.query(
            "select count(distinct payment_id) as payments from tieout.payment_member")
        #expect(try together.only().int("payments") == 3)
        // The wrong one is corrected.
        try scene.order("A", created: "2026-01-10T09:30:00Z", refs: ["meld:session=S2"])
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try reused(scene).isEmpty)
    }

    @Test("one order's several payments, and two orders of two sources with the same id, reuse nothing")
    func twins() throws {
        let scene = try Scene(events: [])
        try scene.source("other")
        try scene.order("A", refs: ["meld:session=S"])
        try scene.order("B", source: "other", refs: ["meld:session=S"])
        for id in ["T1", "T2"] { try scene.transaction(id, refs: ["book:order=A", "meld:session=S"]) }
        try scene.order("C", key: "k1")
        try scene.order("D", key: "k2")
        try scene.order("E")
        try scene.reconcile()
        #expect(try reused(scene).isEmpty)
    }

    @Test("a source and the one that succeeds it are one space of names")
    func succeeded() throws {
        let scene = try Scene(events: [])
        try scene.source("meld-new", succeeds: "meld-live")
        try scene.order("A", refs: ["meld:order=X"])
        try scene.order("B", source: "meld-new", created: "2026-01-10T10:00:00Z", refs: ["meld:order=X"])
        try scene.reconcile()
        #expect(try reused(scene).map(\.subject) == ["order:B"])
    }

    @Test("an idempotency key of two orders is reused by the later; of three, by both later ones")
    func keys() throws {
        let scene = try Scene(events: [])
        for (order, minute) in [("A", 2), ("B", 1), ("C", 3)] {
            try scene.order(order, status: "open", created: "2026-01-10T09:0\(minute):00Z", key: "k1")
            try scene.reconcile(at: "2026-01-20T1\(minute):00:00Z")
        }
        try scene.reconcile(at: "2026-01-20T14:00:00Z")
        #expect(try reused(scene).map(\.subject) == ["order:A", "order:C"])
        #expect(
            try reused(scene).allSatisfy { $0.facts.contains("idempotency_key=k1") && $0.facts.contains("order B") })
    }

    @Test("which order comes in first does not matter: the one created later reuses", arguments: [false, true])
    func arrival(flipped: Bool) throws {
        let scene = try Scene(events: [])
        let orders = [("A", "2026-01-10T09:00:00Z"), ("B", "2026-01-10T09:30:00Z")]
        for (index, (order, created)) in (flipped ? orders.reversed() : orders).enumerated() {
            try scene.order(order, created: created, refs: ["meld:session=S"])
            try scene.reconcile(at: "2026-01-20T1\(index):00:00Z")
        }
        #expect(try reused(scene).map(\.subject) == ["order:B"])
    }
}
