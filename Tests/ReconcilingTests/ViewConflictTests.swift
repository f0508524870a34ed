import Payments
import Postgres
import Reconciling
import Testing

@Suite struct ViewConflictTests {
    private func stack(reach: String = "2026-01-20T12:00:00Z") throws -> Scene {
        let scene = try Scene(events: [])
        try scene.source("mercuryo-live", provider: "mercuryo", beneath: "meld-live")
        try scene.feed("provider", source: "mercuryo-live", reach: reach)
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A", "mercuryo:transaction=M1"], carrier: "MERCURYO")
        return scene
    }

    private func beneath(
        _ scene: Scene, status: String = "paid", state: String = "settled", money: String = "delivered",
        charged: String? = "100", currency: String = "USD", isFinal: Bool = true, updated: String? = nil
    ) throws {
        try scene.transaction(
            "M1", source: "mercuryo-live", status: status, state: state, money: money, charged: charged,
            currency: currency, updated: updated, refs: ["mercuryo:transaction=M1"], isFinal: isFinal)
    }

    @Test("above says settled, beneath says failed with the money taken: a critical view_conflict")
    func failedBeneath() throws {
        let scene = try stack()
        try beneath(scene, status: "order_failed", state: "failed", money: "taken")
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "view_conflict" && found.subject == "transaction:mercuryo-live/M1")
        #expect(found.severity == .critical && found.atRisk.description == "100")
        #expect(found.facts.contains("order_failed") && found.facts.contains("mercuryo-live"))
        #expect(outcome.totalsTie)
    }

    @Test("amounts differ: high, by the difference, which the pair of the two views carries")
    func amounts() throws {
        let scene = try stack()
        try beneath(scene, charged: "88")
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "view_conflict" && found.severity == .high)
        #expect(found.difference?.description == "12" && found.atRisk.description == "12")
        let totals = try scene.connection.query(
            "select concat_ws(' ', pair, trim_scale(a_sum - b_sum), coalesce(classes #>> '{breaks,sum}', '0')) from tieout.control_total order by pair"
        ).map { try $0.text(0) }
        #expect(totals == ["book-provider 0 0", "provider-view 12 12"] && outcome.totalsTie)
        try beneath(scene)
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
    }

    @Test("currencies differ: each side is counted in its own")
    func currencies() throws {
        let scene = try stack()
        try beneath(scene, charged: "92", currency: "EUR")
        let outcome = try scene.reconcile()
        #expect(try scene.only("view_conflict").facts.contains("92.00 EUR") && outcome.totalsTie)
    }

    @Test("two views that agree, or an unpaid quote that moved, are no break", arguments: ["delivered", "none"])
    func agreeing(money: String) throws {
        let scene = try stack()
        if money == "none" {
            try scene.order("A", status: "failed")
            try scene.transaction(
                "T1", status: "FAILED", state: "failed", money: "none", charged: "99",
                refs: ["book:order=A", "mercuryo:transaction=M1"], isFinal: true, carrier: "MERCURYO")
            try beneath(scene, status: "cancelled", state: "cancelled", money: "none")
        } else {
            try beneath(scene)
        }
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test("what one of them has not finished yet is no break within a day, and one after it")
    func lagging() throws {
        let scene = try stack()
        try beneath(
            scene, status: "pending", state: "pending", money: "held", isFinal: false, updated: "2026-01-20T10:00:00Z")
        let early = try scene.reconcile(at: "2026-01-20T11:00:00Z")
        #expect(try scene.breaks().isEmpty && early.awaiting == 1 && early.totalsTie)
        for source in ["meld-live", "mercuryo-live"] {
            try scene.feed("provider", source: source, reach: "2026-01-21T12:00:00Z")
        }
        try scene.feed("book", reach: "2026-01-21T12:00:00Z")
        try scene.reconcile(at: "2026-01-21T12:00:00Z")
        #expect(try scene.breaks() == ["view_conflict transaction:mercuryo-live/M1 high"])
    }

    @Test("where a feed of either side is stale nothing is called a conflict, and it is not evaluated")
    func stale() throws {
        let scene = try stack()
        try scene.feed("provider", reach: "2026-01-10T10:00:00Z")
        try beneath(scene, charged: "88")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks(without: "source_stale").isEmpty && outcome.totalsTie)
        #expect(outcome.notEvaluated.contains { $0.rule == "view_conflict" })
    }
}

/// What a provider never shows contradicts nothing.
@Suite("view_conflict where a provider shows no returns or disputes")
struct UnshownReturnTests {
    /// Meld says what became of it; Stripe beneath it, which shows `returns` and `disputes`, says otherwise.
    private func scene(
        _ above: (status: String, state: String, money: String), _ beneath: (state: String, money: String),
        returns: String, disputes: Bool, returned: String? = nil
    ) throws -> Scene {
        let scene = try Scene(events: [])
        try scene.source("stripe-own", provider: "stripe", beneath: "meld-live")
        try scene.feed("provider", source: "stripe-own", reach: "2026-01-20T12:00:00Z")
        try scene.connection.execute(
            "update tieout.source set declaration = declaration || jsonb_build_object('shows_returns', $1::text, 'shows_disputes', $2::boolean) where source_id = 'stripe-own'",
            [.text(returns), .bool(disputes)])
        try scene.transaction(
            "T1", status: above.status, state: above.state, money: above.money,
            refs: ["book:order=A", "stripe:transaction=S1"], returned: returned, isFinal: true, carrier: "STRIPE")
        try scene.transaction(
            "S1", source: "stripe-own", status: "its own", state: beneath.state, money: beneath.money,
            refs: ["stripe:transaction=S1"], isFinal: true)
        return scene
    }

    @Test(
        "refunded above is no view_conflict where the provider beneath shows no returns, whether it delivered or failed",
        arguments: [("settled", "delivered"), ("failed", "taken")])
    func refunded(state: String, money: String) throws {
        for (returns, breaks) in [("never", 0), ("whole", 1), ("parts", 1)] {
            let scene = try scene(
                ("REFUNDED", "refunded", "returned"), (state, money), returns: returns, disputes: false)
            #expect(try scene.reconcile().totalsTie)
            #expect(try scene.found("view_conflict").count == breaks, "\(returns)")
        }
    }

    @Test("a refund beneath is a view_conflict where the aggregator shows refunds, and none where it shows none")
    func above() throws {
        for (returns, breaks) in [("whole", 1), ("never", 0)] {
            let scene = try scene(
                ("SETTLED", "settled", "delivered"), ("refunded", "returned"), returns: "parts", disputes: false)
            try scene.connection.execute(
                "update tieout.source set declaration = declaration || jsonb_build_object('shows_returns', $1::text) where source_id = 'meld-live'",
                [.text(returns)])
            try scene.reconcile()
            #expect(try scene.found("view_conflict").count == breaks)
        }
    }

    @Test("a refund in part is a view_conflict only where the other shows parts: else it is no contradiction")
    func parts() throws {
        for (returns, breaks) in [("never", 0), ("whole", 0), ("parts", 1)] {
            let scene = try scene(
                ("SETTLED", "settled", "delivered"), ("settled", "delivered"), returns: returns, disputes: false,
                returned: "30")
            try scene.reconcile()
            #expect(try scene.found("view_conflict").count == breaks, "\(returns)")
        }
    }

    @Test(
        "disputed above is no view_conflict where the provider beneath shows no disputes, and is one where it does",
        arguments: ["taken", "delivered", "returned"])
    func disputed(money: String) throws {
        for (disputes, breaks) in [(false, 0), (true, 1)] {
            let scene = try scene(
                ("DISPUTED", "disputed", money), ("settled", "delivered"), returns: "parts", disputes: disputes)
            try scene.reconcile()
            #expect(try scene.found("view_conflict").count == breaks)
        }
    }

    @Test("where only one view knows of any money it stays a view_conflict, whatever the other shows of returns")
    func contradiction() throws {
        let scene = try scene(
            ("REFUNDED", "refunded", "returned"), ("failed", "none"), returns: "never", disputes: false)
        try scene.reconcile()
        let open = try self.scene(
            ("REFUNDED", "refunded", "returned"), ("paid", "taken"), returns: "never", disputes: false)
        try open.reconcile()
        #expect(try scene.found("view_conflict").count == 1 && open.found("view_conflict").count == 1)
    }
}
