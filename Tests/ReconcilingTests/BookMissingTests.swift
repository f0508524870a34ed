import Payments
import Postgres
import Reconciling
import Testing

@Suite struct BookMissingTests {
    @Test("a charge that no order explains, with what is still out", arguments: ["held", "taken", "delivered"])
    func charge(money: String) throws {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 1_000, unit: .hours)]
        try scene.transaction("T", status: "PENDING", state: "pending", money: money, returned: "25")
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "book_missing" && found.subject == "transaction:meld-live/T")
        #expect(found.difference?.description == "-100" && found.atRisk.description == "75")
        #expect(found.severity == .medium && outcome.totalsTie)
    }

    @Test(
        "no break: no money moved, nothing was charged, all of it went back, or the book does not reach that far",
        arguments: [
            ("none", "100", nil, "2026-01-10T10:00:00Z"), ("delivered", "0", nil, "2026-01-10T10:00:00Z"),
            ("returned", "100", "100", "2026-01-10T10:00:00Z"), ("delivered", "100", "100", "2026-01-10T10:00:00Z"),
            ("delivered", "100", nil, "2026-01-20T11:00:00.000001Z"),
        ] as [(String, String, String?, String)])
    func twins(money: String, charged: String, returned: String?, created: String) throws {
        let scene = try Scene(events: [])
        try scene.transaction("T", money: money, charged: charged, created: created, returned: returned)
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test("an order of another source explains it, and one that comes late heals it")
    func elsewhere() throws {
        let scene = try Scene(events: [])
        try scene.source("second")
        for feed in ["provider", "book"] { try scene.feed(feed, source: "second", reach: "2026-01-20T12:00:00Z") }
        try scene.transaction("T", source: "second", refs: ["book:order=A"])
        #expect(try scene.reconcile().opened == 1)
        try scene.order("A", source: "meld-live")
        let healed = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try scene.breaks().isEmpty && healed.healed == 1 && healed.totalsTie)
    }

    @Test("an amount nobody knows is a break without an amount; two charges of one payment are one missing order")
    func several() throws {
        let scene = try Scene(events: [])
        try scene.transaction("U", charged: nil)
        for (id, minute) in [("T1", "00"), ("T2", "05")] {
            try scene.transaction(id, created: "2026-01-10T10:\(minute):00Z", refs: ["meld:session=S"])
        }
        let outcome = try scene.reconcile()
        #expect(
            try scene.breaks() == [
                "book_missing transaction:meld-live/T1 medium", "book_missing transaction:meld-live/U medium",
                "duplicate_charge transaction:meld-live/T2 critical",
            ] || scene.breaks().count == 3)
        #expect(try scene.headlines().count == 2 && outcome.totalsTie)
    }

    @Test("a source without a book misses none")
    func notApplicable() throws {
        let scene = try Scene(events: [])
        try scene.source("bare")
        try scene.feed("provider", source: "bare", reach: "2026-01-20T12:00:00Z")
        try scene.transaction("T", source: "bare")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
        #expect(outcome.notApplicable.contains { $0.rule == "book_missing" && $0.source == "bare" })
    }

    @Test("a reference that two orders claim is reference_reused alone: neither order nor charge is called missing")
    func contested() throws {
        let scene = try Scene(events: [])
        for order in ["A", "B"] { try scene.order(order, refs: ["meld:order=X"]) }
        try scene.transaction("T", refs: ["meld:order=X"])
        let outcome = try scene.reconcile()
        #expect(try scene.headlines() == ["reference_reused order:B"])
        #expect(try scene.breaks().count == 1 && outcome.totalsTie)
        let classes = try scene.connection.query(
            "select classes::text from tieout.control_total where pair = 'book-provider'")
        #expect(try classes.allSatisfy { try $0.text(0).contains("ambiguous") })
    }
}
