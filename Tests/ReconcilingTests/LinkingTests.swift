import Payments
import Postgres
import Reconciling
import Testing

@Suite struct LinkingTests {
    /// Members of each payment, sorted: what must not depend on the order of arrival.
    private func payments(_ scene: Scene) throws -> [String] {
        try scene.connection.query(
            "select string_agg(record_id, ' ' order by member, record_id) as m from tieout.payment_member group by payment_id order by 1"
        ).map { try $0.text("m") }
    }

    @Test("any order of arrival gives the same payments, ids and breaks", arguments: 0..<4)
    func shuffled(seed: Int) throws {
        let scene = try Scene()
        var facts: [() throws -> Void] = [
            { try scene.order("A", refs: ["meld:session=S1"]) },
            { try scene.order("B", status: "open", expires: "2026-01-10T11:00:00Z") },
            { try scene.transaction("T1", refs: ["meld:session=S1"]) },
            { try scene.transaction("T2", created: "2026-01-10T10:02:00Z", refs: ["meld:session=S1"]) },
            { try scene.transaction("T3", charged: "90") },
            { try scene.event("E1", of: "T1", status: "SETTLED", state: "settled", money: "delivered") },
            {
                try scene.event(
                    "E3", of: "T3", status: "SETTLED", state: "settled", money: "delivered",
                    refs: ["book:order=C"])
            },
            { try scene.order("C") },
        ]
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        for index in facts.indices.dropFirst() {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            facts.swapAt(index, Int((state >> 33) % UInt64(index + 1)))
        }
        // Judged half way too: what was linked early must come out the same.
        for (index, fact) in facts.enumerated() {
            try fact()
            if index == 3 { try scene.reconcile(at: "2026-01-20T11:00:00Z") }
        }
        try scene.reconcile()
        #expect(try payments(scene) == ["B", "E1 A T1 T2", "E3 C T3"])
        let found = try scene.breaks()
        #expect(
            found == [
                "duplicate_charge transaction:meld-live/T2 critical", "amount_mismatch transaction:meld-live/T3 high",
                "expired_session order:B low", "webhook_missing transaction:meld-live/T2 low",
            ])
        let ids = try scene.connection.query("select min(payment_id) from tieout.payment_member where record_id = 'A'")
        // The first 63 bits of SHA-256 over "event\nmeld-live\nE1".
        #expect(try ids.only().int(0) == Self.idOfE1)
    }

    /// `printf 'event\nmeld-live\nE1' | sha256sum`, first 16 hex digits, shifted right by one bit.
    static let idOfE1: Int64 = 1566956003536570149

    @Test("a reference that two orders claim links nothing")
    func claimedTwice() throws {
        let scene = try Scene(events: [])
        try scene.order("A", refs: ["meld:session=S"])
        try scene.order("B", refs: ["meld:session=S"])
        try scene.transaction("T", refs: ["meld:session=S"])
        try scene.reconcile()
        #expect(try payments(scene) == ["A", "B", "T"])
        // Twin: one of the orders is corrected.
        try scene.order("B")
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try payments(scene) == ["A T", "B"])
    }

    @Test("ids are spaces per source; the book's order ids are not")
    func spaces() throws {
        let scene = try Scene(events: [])
        try scene.source("other")
        try scene.transaction("T", refs: ["meld:session=S"])
        try scene.transaction("U", source: "other", refs: ["meld:session=S"])
        try scene.reconcile()
        #expect(try payments(scene) == ["T", "U"])
        try scene.transaction("T", refs: ["book:order=X"])
        try scene.transaction("U", source: "other", refs: ["book:order=X"])
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try payments(scene) == ["T U"])
    }

    @Test("a chain transaction joins one transaction per source, a batched one joins nothing")
    func chainTransactions() throws {
        let scene = try Scene(events: [])
        try scene.source("other")
        try scene.transaction("T", refs: ["chain:tx=1"])
        try scene.transaction("U", source: "other", refs: ["chain:tx=1"])
        try scene.transaction("V", refs: ["chain:tx=2"])
        try scene.transaction("W", refs: ["chain:tx=2"])
        try scene.reconcile()
        #expect(try payments(scene) == ["T U", "V", "W"])
    }

    @Test("a long chain of references is one payment, in few rounds")
    func longChain() throws {
        let scene = try Scene(events: [])
        for number in 0..<120 {
            let mixed = (number * 37) % 120
            try scene.transaction(
                "T\(mixed + 1000)", status: "PENDING", state: "pending", money: "none",
                refs: ["meld:session=\(mixed)", "meld:session=\(mixed + 1)"])
        }
        let outcome = try scene.reconcile()
        #expect(try payments(scene).count == 1 && outcome.linked.rounds < 20)
    }
}
