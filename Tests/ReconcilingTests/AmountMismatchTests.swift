import Payments
import Postgres
import Reconciling
import Testing

@Suite struct AmountMismatchTests {
    private func scene(_ charged: String, _ booked: String, _ currency: String) throws -> Scene {
        let scene = try Scene(events: [])
        try scene.order("A", amount: booked, currency: currency)
        try scene.transaction("T", charged: charged, currency: currency, refs: ["book:order=A"])
        return scene
    }

    @Test("case 35: a currency without minor units matches, and a real overcharge by 100 is named")
    func yen() throws {
        let equal = try scene("500", "500.00", "JPY")
        try equal.reconcile()
        #expect(try equal.breaks().isEmpty)
        let over = try scene("8000", "80", "JPY")
        try over.reconcile()
        let found = try over.only()
        #expect(found.rule == "amount_mismatch" && found.subject == "transaction:meld-live/T")
        #expect(found.difference?.description == "-7920" && found.atRisk.description == "7920")
        #expect(found.facts.contains("factor 100") && found.facts.contains("\"8000\""))
    }

    @Test("case 36: three-decimal currencies match, and a slip by ten is named with its digits")
    func dinars() throws {
        let equal = try scene("92", "92.000", "KWD")
        try equal.reconcile()
        #expect(try equal.breaks().isEmpty)
        let slip = try scene("3.52", "35.200", "BHD")
        try slip.reconcile()
        let found = try slip.only()
        #expect(found.difference?.description == "31.68")
        #expect(found.facts.contains("factor 10\"") && found.facts.contains("\"35.200\""))
        #expect(found.facts.contains("\"3.520\""))
    }

    @Test("case 57: 0, 0.00 and -0 do not differ")
    func zeros() throws {
        let scene = try scene("-0", "0.00", "USD")
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
    }

    @Test("a fee that one side includes is hinted at")
    func feeInside() throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: "95")
        try scene.transaction("T", refs: ["book:order=A"], fee: "5")
        try scene.reconcile()
        #expect(try scene.only().facts.contains("fee inside"))
    }

    @Test("what was delivered may lie within the tolerance, not beyond it", arguments: [("0.995", 0), ("0.98", 1)])
    func delivered(amount: String, breaks: Int) throws {
        let scene = try Scene(events: [])
        try scene.order("A", receives: "1", receivesCurrency: "ETH")
        try scene.transaction("T", refs: ["book:order=A"], delivered: amount, deliveredCurrency: "ETH")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().count == breaks && outcome.totalsTie)
    }

    @Test("a locked quote has no tolerance")
    func locked() throws {
        let scene = try Scene(events: [])
        try scene.order("A", receives: "1", receivesCurrency: "ETH")
        try scene.transaction(
            "T", refs: ["book:order=A"], delivered: "0.995", deliveredCurrency: "ETH", flags: ["locked_quote"])
        try scene.reconcile()
        #expect(try scene.breaks().count == 1)
    }

    @Test(
        "case 46: two orders and two charges that share one reference: none is picked, the total calls them ambiguous")
    func ambiguous() throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: "500")
        try scene.order("B", amount: "400")
        try scene.transaction("T1", charged: "500", refs: ["book:order=A", "book:order=B"])
        try scene.transaction("T2", charged: "450", refs: ["book:order=A", "book:order=B"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
        #expect(outcome.totalsTie)
        let classes = try scene.connection.query(
            "select classes::text from tieout.control_total where pair = 'book-provider'")
        #expect(try classes.map { try $0.text(0) } == [#"{"ambiguous": {"sum": "-50", "count": 1}}"#])
    }

    @Test("case 46: equal amounts under different references do not match each other")
    func conflictingReferences() throws {
        let scene = try Scene(events: [])
        try scene.order("900619", amount: "500")
        try scene.transaction("T", charged: "500", refs: ["book:order=712219"])
        try scene.reconcile()
        let payments = try scene.connection.query("select distinct payment_id from tieout.payment_member")
        #expect(payments.count == 2)
    }

    @Test("paid in two parts that add up to the order is no mismatch of amounts")
    func parts() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", charged: "60", refs: ["book:order=A"])
        try scene.transaction("T2", charged: "40", refs: ["book:order=A"])
        try scene.reconcile()
        #expect(try scene.breaks().allSatisfy { !$0.hasPrefix("amount_mismatch") })
    }

    @Test(
        "an amount that can be read in two ways is no amount_mismatch where the order agrees with either, and says with which",
        arguments: [
            ("100", "100", "fees_on_top=104.21", "reading_matched=fees_included"),
            ("104.21", "100", "fees_on_top=104.21", "reading_matched=fees_on_top"),
            ("100", "104.21", "fees_included=100", "reading_matched=fees_included"),
            ("104.21", "104.21", "fees_included=100", "reading_matched=fees_on_top"),
        ])
    func openReading(booked: String, charged: String, other: String, matched: String) throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: booked)
        try scene.transaction("T", charged: charged, refs: ["book:order=A"], flags: ["reading_open", other])
        #expect(try scene.reconcile().totalsTie && scene.breaks().isEmpty)
        #expect(try scene.seen("trim_scale(charged)", "T") == booked)
        #expect(try scene.seen("flags", "T")?.contains(matched) == true)
        let total = try scene.connection.query(
            "select classes ->> 'matched' as matched from tieout.control_total where pair = 'book-provider'"
        ).only()
        #expect(try total.optionalText("matched") == #"{"sum": "0", "count": 1}"#)
    }

    @Test(
        "where neither reading fits it is an amount_mismatch that shows both; where the reading is proven only that one counts"
    )
    func neitherReading() throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: "103")
        try scene.transaction(
            "T", charged: "100", refs: ["book:order=A"], flags: ["reading_open", "fees_on_top=104.21"])
        #expect(try scene.reconcile().totalsTie)
        let found = try scene.only("amount_mismatch")
        #expect(try scene.fact("amount", of: found) == "100.00")
        #expect(try scene.fact("amount, fees on top", of: found) == "104.21")
        try scene.order("A", amount: "104.21")
        try scene.transaction("T", charged: "100", refs: ["book:order=A"], flags: ["reading_fees_included"])
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.only("amount_mismatch").difference?.description == "4.21")
    }
}
