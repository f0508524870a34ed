import Payments
import Postgres
import Reconciling
import Testing

@Suite struct TakenNotReturnedTests {
    private func ended(
        _ scene: Scene, _ id: String, order: String? = "failed", status: String = "FAILED", state: String = "failed",
        returned: String? = nil, created: String = "2026-01-10T10:00:00Z", charged: String? = "100",
        direction: String = "in"
    ) throws {
        if let order { try scene.order(id, status: order, created: created, direction: direction) }
        try scene.transaction(
            id, status: status, state: state, money: "taken", charged: charged, created: created,
            refs: ["book:order=\(id)"], returned: returned, direction: direction)
    }

    @Test("a charge that failed with the money is a break with what is still out, signed as the provider's alone")
    func failed() throws {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 24, unit: .hours)]
        try ended(scene, "T", returned: "40")
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "taken_not_returned" && found.subject == "transaction:meld-live/T")
        #expect(found.severity == .critical && found.atRisk.description == "60")
        #expect(found.difference?.description == "-100" && found.dueAt == at("2026-01-11T10:00:00Z"))
        #expect(found.facts.contains("\"100.00 USD\"") && found.facts.contains("\"40.00 USD\""))
        #expect(outcome.totalsTie)
    }

    @Test("no break: given back in full, or nothing charged (which differs from the order's amount)")
    func twins() throws {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 24, unit: .hours)]
        try ended(scene, "back", returned: "100")
        try ended(scene, "more", returned: "100.00")
        try ended(scene, "nothing", order: "open", charged: "0")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks() == ["amount_mismatch transaction:meld-live/nothing high"] && outcome.totalsTie)
    }

    @Test(
        "due exactly at the knowledge cut is a break, a microsecond later not yet",
        arguments: [("2026-01-18T12:00:00Z", 1), ("2026-01-18T12:00:00.000001Z", 0)])
    func due(taken: String, breaks: Int) throws {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 48, unit: .hours)]
        try ended(scene, "T", created: taken)
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().count == breaks && outcome.awaiting == 1 - breaks && outcome.totalsTie)
    }

    @Test("an unknown amount is a break without an amount, in both directions", arguments: ["in", "out"])
    func unpriced(direction: String) throws {
        let scene = try Scene(events: [])
        try ended(scene, "T", charged: nil, direction: direction)
        let outcome = try scene.reconcile()
        #expect(try scene.only().atRisk.isZero && outcome.totalsTie)
    }

    @Test("a failed first try whose money stayed is one beside the charge that succeeded, which heads the payment")
    func retried() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", status: "FAILED", state: "failed", money: "taken", refs: ["book:order=A"])
        try scene.transaction("T2", created: "2026-01-10T10:05:00Z", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        #expect(
            try scene.breaks() == [
                "duplicate_charge transaction:meld-live/T2 critical",
                "taken_not_returned transaction:meld-live/T1 critical",
            ])
        #expect(try scene.headlines() == ["duplicate_charge transaction:meld-live/T2"])
        #expect(outcome.totalsTie)
        // Twin: the first try went back in full.
        try scene.transaction(
            "T1", status: "REFUNDED", state: "refunded", money: "returned", refs: ["book:order=A"], returned: "100")
        let healed = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try scene.breaks().isEmpty && healed.healed == 2 && healed.totalsTie)
    }

    @Test("without an order it heads the charge that the book misses; credited, it is the credit that is unpaid")
    func sides() throws {
        let scene = try Scene(events: [])
        try ended(scene, "alone", order: nil)
        try ended(scene, "credited", order: "credited")
        let outcome = try scene.reconcile()
        #expect(
            try scene.headlines() == [
                "credited_unpaid order:credited", "taken_not_returned transaction:meld-live/alone",
            ])
        #expect(try scene.breaks().contains("book_missing transaction:meld-live/alone medium"))
        #expect(outcome.totalsTie)
    }

    @Test("a stale provider feed carries it, a refund heals it, and the money taken again reopens it")
    func life() throws {
        let scene = try Scene(events: [])
        try ended(scene, "T")
        try scene.reconcile()
        let late = try scene.reconcile(at: "2026-01-25T12:00:00Z")
        #expect(late.carried == 1 && late.totalsTie)
        #expect(try scene.only("taken_not_returned").incompleteSince == at("2026-01-20T12:00:00Z"))
        for feed in ["provider", "book"] { try scene.feed(feed, reach: "2026-01-25T13:30:00Z") }
        try ended(scene, "T", returned: "100")
        #expect(try scene.reconcile(at: "2026-01-25T14:00:00Z").healed == 1)
        try ended(scene, "T")
        #expect(try scene.reconcile(at: "2026-01-25T14:30:00Z").reopened == 1)
        #expect(try scene.only("taken_not_returned").isReopened)
    }
}
