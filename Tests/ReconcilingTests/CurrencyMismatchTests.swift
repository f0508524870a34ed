import Payments
import Postgres
import Reconciling
import Testing

@Suite struct CurrencyMismatchTests {
    @Test("charged in another currency: both amounts stand with their own code, and no total adds them")
    func charged() throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: "9000", currency: "JPY")
        try scene.transaction("T", charged: "90.5", currency: "EUR", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "currency_mismatch" && found.subject == "transaction:meld-live/T")
        #expect(found.severity == .high && found.currency == "JPY" && found.difference?.description == "9000")
        #expect(found.facts.contains("\"9000\"") && found.facts.contains("\"90.50\"") && outcome.totalsTie)
        let sums = try scene.connection.query(
            "select currency || ' ' || (classes #>> '{breaks,sum}') from tieout.control_total where pair = 'book-provider' order by 1"
        )
        #expect(try sums.map { try $0.text(0) } == ["EUR -90.5", "JPY 9000"])
    }

    @Test("no break: the same currency, none known, a first charge in it, money that never moved, or a test")
    func twins() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"])
        try scene.order("B")
        try scene.transaction("T2", refs: ["book:order=B"])
        try scene.transaction(
            "T3", status: "DECLINED", state: "declined", money: "none", currency: "EUR",
            created: "2026-01-10T10:05:00Z", refs: ["book:order=B"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test(
        "whatever else is odd about it, both currencies tie out",
        arguments: [("failed", "delivered"), ("open", "held"), ("paid", "delivered"), ("refunded", "returned")])
    func combined(status: String, money: String) throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: status)
        try scene.transaction(
            "T1", state: money == "returned" ? "refunded" : "settled", money: money, charged: "90", currency: "EUR",
            refs: ["book:order=A"], returned: money == "returned" ? "90" : nil)
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks().contains("currency_mismatch transaction:meld-live/T1 high"))
    }

    @Test("two charges, both in another currency: the second is surplus, the first the order's")
    func surplus() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        for (id, minute) in [("T1", "00"), ("T2", "05")] {
            try scene.transaction(
                id, charged: "90", currency: "EUR", created: "2026-01-10T10:\(minute):00Z", refs: ["book:order=A"])
        }
        #expect(try scene.reconcile().totalsTie)
        #expect(
            try scene.breaks() == [
                "duplicate_charge transaction:meld-live/T2 critical", "currency_mismatch transaction:meld-live/T1 high",
            ])
    }

    @Test("an unknown amount in another currency is a break, and the rest is not evaluated")
    func unpriced() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T", charged: nil, currency: "EUR", refs: ["book:order=A"])
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.only().rule == "currency_mismatch")
    }
}
