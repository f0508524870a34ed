import Payments
import Postgres
import Reconciling
import Testing

/// A payment seen through an aggregator and at the provider beneath it counts once, and a charge that only one of them
/// shows counts too.
@Suite struct SecondViewTests {
    private static let moment = "2026-01-20T12:00:00Z"

    /// `meld-live` above `mercuryo-live`.
    private func stack(settling: Bool = false) throws -> Scene {
        let scene = try Scene(events: [])
        try scene.source("mercuryo-live", provider: "mercuryo", beneath: "meld-live")
        try scene.feed("provider", source: "mercuryo-live", reach: Self.moment)
        return scene
    }

    /// What the provider's side of the pair book-provider counts, and each line of the pair provider-view.
    private func counted(_ scene: Scene) throws -> (provider: String, views: [String]) {
        let provider = try scene.connection.query(
            "select coalesce(trim_scale(sum(b_sum)), 0)::text from tieout.control_total where pair = 'book-provider'"
        ).only().text(0)
        let views = try scene.connection.query(
            "select concat_ws(' ', source_id, currency, trim_scale(a_sum), trim_scale(b_sum), (select string_agg(k, ',') from jsonb_object_keys(classes) as k)) from tieout.control_total where pair = 'provider-view' order by 1"
        ).map { try $0.text(0) }
        return (provider, views)
    }

    @Test(
        "one payment seen through Meld and at Mercuryo is one charge, whichever reference they share",
        arguments: ["mercuryo:transaction=M1", "chain:tx=0xabc", "mercuryo:order=mo1"])
    func shared(reference: String) throws {
        let scene = try stack()
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A", reference], carrier: "MERCURYO")
        try scene.transaction(
            "M1", source: "mercuryo-live", created: "2026-01-10T09:59:40Z",
            refs: reference.hasPrefix("mercuryo:t") ? ["mercuryo:transaction=M1"] : [reference])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
        #expect(try counted(scene) == ("100", ["mercuryo-live USD 100 100 matched"]))
    }

    @Test("where Meld gives no id, the book's order links, and an equal charge of that provider is the same one")
    func byOrder() throws {
        let scene = try stack()
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"], carrier: "MERCURYO")
        try scene.transaction("M1", source: "mercuryo-live", refs: ["book:order=A", "mercuryo:transaction=M1"])
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
        #expect(try counted(scene) == ("100", ["mercuryo-live USD 100 100 matched"]))
    }

    @Test(
        "failing over: a charge made directly beside one that Meld made elsewhere, or of another amount, is a second charge",
        arguments: [("BANXA", "100"), ("MERCURYO", "99.50")])
    func direct(carrier: String, charged: String) throws {
        let scene = try stack()
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"], carrier: carrier)
        try scene.transaction(
            "M1", source: "mercuryo-live", charged: charged, created: "2026-01-10T10:20:00Z", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        #expect(try scene.only("duplicate_charge").subject == "transaction:mercuryo-live/M1")
        #expect(try counted(scene).views.isEmpty && outcome.totalsTie)
    }

    @Test("two charges beneath, one of which Meld shows too: the other one is the duplicate")
    func surplusBeneath() throws {
        let scene = try stack()
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A", "mercuryo:transaction=M2"], carrier: "MERCURYO")
        for (id, minute) in [("M1", "10"), ("M2", "01")] {
            try scene.transaction(
                id, source: "mercuryo-live", created: "2026-01-10T10:\(minute):00Z",
                refs: ["book:order=A", "mercuryo:transaction=\(id)"])
        }
        let outcome = try scene.reconcile()
        #expect(try scene.breaks() == ["duplicate_charge transaction:mercuryo-live/M1 critical"])
        #expect(try counted(scene) == ("200", ["mercuryo-live USD 100 100 matched"]) && outcome.totalsTie)
    }

    @Test("two charges above and two beneath, named crosswise in time: two pairs, and the one surplus charge is Meld's")
    func crosswise() throws {
        let scene = try stack()
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A", "mercuryo:transaction=M2"], carrier: "MERCURYO")
        try scene.transaction("T2", created: "2026-01-10T10:05:00Z", refs: ["book:order=A"], carrier: "MERCURYO")
        try scene.transaction("M1", source: "mercuryo-live", created: "2026-01-10T10:00:01Z", refs: ["book:order=A"])
        try scene.transaction(
            "M2", source: "mercuryo-live", created: "2026-01-10T10:05:01Z",
            refs: ["book:order=A", "mercuryo:transaction=M2"])
        try scene.reconcile()
        #expect(try scene.breaks() == ["duplicate_charge transaction:meld-live/T2 critical"])
        #expect(try counted(scene) == ("200", ["mercuryo-live USD 200 200 matched"]))
    }

    @Test("Meld's word for a provider is the catalogue's by data: COINBASEPAY is coinbase")
    func names() throws {
        let scene = try Scene(events: [])
        try scene.connection.execute(
            "update tieout.source set declaration = declaration || '{\"provider_names\": {\"COINBASEPAY\": \"coinbase\"}}' where source_id = 'meld-live'"
        )
        try scene.source("coinbase-live", provider: "coinbase", beneath: "meld-live")
        try scene.feed("provider", source: "coinbase-live", reach: Self.moment)
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"], carrier: "COINBASEPAY")
        try scene.transaction("C1", source: "coinbase-live", refs: ["book:order=A"])
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
        #expect(try counted(scene).views == ["coinbase-live USD 100 100 matched"])
    }

    @Test("a sale is one whichever of the two lists names the network of its asset, and no conflict")
    func networks() throws {
        let scene = try stack()
        try scene.order("A", currency: "USDC_BASE", direction: "out")
        try scene.transaction(
            "T1", currency: "USDC_BASE", refs: ["book:order=A"], direction: "out", carrier: "MERCURYO")
        try scene.transaction(
            "M1", source: "mercuryo-live", currency: "USDC", refs: ["book:order=A"], direction: "out")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
        #expect(try counted(scene).views == ["mercuryo-live USDC_BASE 100 100 matched"])
    }

    @Test("a failed try through Meld and a charge made directly afterwards are no pair: the order is paid")
    func failedAbove() throws {
        let scene = try stack()
        try scene.order("A")
        try scene.transaction(
            "T1", status: "FAILED", state: "failed", money: "none", refs: ["book:order=A"], carrier: "MERCURYO")
        try scene.transaction("M1", source: "mercuryo-live", created: "2026-01-10T10:20:00Z", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
        #expect(try counted(scene) == ("100", []))
    }

    @Test("a charge beneath that no order and nothing above explains is said, by the book of the source above")
    func stray() throws {
        let scene = try stack()
        try scene.transaction("M1", source: "mercuryo-live", refs: ["mercuryo:transaction=M1"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks() == ["book_missing transaction:mercuryo-live/M1 medium"])
        #expect(outcome.totalsTie)
    }

    @Test(
        "Coinbase: an order beside its transaction is a second view, known by its hash though both carry it in one source"
    )
    func inside() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A", "chain:tx=0xabc"])
        try scene.transaction("O1", refs: ["chain:tx=0xabc"], resource: "order")
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
        #expect(try counted(scene) == ("100", ["meld-live USD 100 100 matched"]))
        // One of its own, with no transaction beside it, is a charge.
        try scene.transaction(
            "O2", created: "2026-01-10T10:30:00Z", refs: ["book:order=A"], resource: "order")
        try scene.reconcile()
        #expect(try scene.breaks() == ["duplicate_charge transaction:meld-live/order/O2 critical"])
    }

    @Test("a second view that names its transaction as its parent is its view, whatever else fits")
    func parent() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        for (id, minute) in [("T1", "00"), ("T2", "05")] {
            try scene.transaction(id, created: "2026-01-10T10:\(minute):00Z", refs: ["book:order=A"])
        }
        try scene.transaction("O1", charged: "90", refs: ["book:order=A"], resource: "order", parent: "T2")
        let outcome = try scene.reconcile()
        #expect(try scene.headlines() == ["duplicate_charge transaction:meld-live/T2"])
        #expect(try scene.only("view_conflict").facts.contains("90.00 USD") && outcome.totalsTie)
    }

    @Test("three views of one payment, the aggregator's and two lists of the provider beneath it, count once")
    func three() throws {
        let scene = try stack()
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"], carrier: "MERCURYO")
        try scene.transaction("M1", source: "mercuryo-live", refs: ["book:order=A"])
        try scene.transaction("O1", source: "mercuryo-live", refs: ["book:order=A"], resource: "order")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
        #expect(try counted(scene) == ("100", ["mercuryo-live USD 200 200 matched"]))
    }

    @Test("one customer's charge seen twice without any link is no duplicate; a second one with an order of its own is")
    func customer() throws {
        let scene = try stack()
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"], customer: "c1", carrier: "MERCURYO")
        try scene.transaction("M1", source: "mercuryo-live", created: "2026-01-10T10:01:00Z", customer: "c1")
        try scene.reconcile()
        #expect(try scene.found("duplicate_charge").isEmpty)
        try scene.order("B", source: "mercuryo-live")
        try scene.transaction(
            "M1", source: "mercuryo-live", created: "2026-01-10T10:01:00Z", refs: ["book:order=B"], customer: "c1")
        try scene.reconcile()
        #expect(try scene.breaks() == ["duplicate_charge transaction:mercuryo-live/M1 low"])
    }
}
