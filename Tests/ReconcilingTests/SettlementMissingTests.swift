import Payments
import Postgres
import Testing

@testable import Reconciling

@Suite("settlement_missing")
struct SettlementMissingTests {
    @Test("case 51: settlement_missing once the term is over: charged and in no payout, or settled and in none")
    func missing() throws {
        let scene = try Scene.settling()
        try scene.paid("T1", created: "2026-01-12T10:00:00Z")
        try scene.paid("T2", created: "2026-01-12T10:00:00Z")
        try scene.line("L2", of: "T2", gross: "100", at: "2026-01-14T00:00:00Z")
        try scene.paid("T3", created: "2026-01-19T10:00:00Z")
        #expect(try scene.reconcile().totalsTie)
        #expect(
            try scene.found("settlement_missing").map(\.subject)
                == ["transaction:push-live/T1", "transaction:push-live/T2"])
        // What the provider itself has not settled is the headline of the first.
        #expect(
            try scene.headlines("transaction:").sorted() == [
                "paid_unsettled transaction:push-live/T1", "settlement_missing transaction:push-live/T2",
            ])
        #expect(try scene.found("settlement_missing")[1].difference?.isZero == true)
        try scene.line("L1", of: "T1", gross: "100", payout: "P1", at: "2026-01-14T00:00:00Z")
        try scene.payout("P1", amount: "200", lines: ["L2"], at: "2026-01-14T00:00:00Z")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.breaks().isEmpty)
    }

    @Test(
        "case 44: net in the payout and gross in the provider is no settlement_missing and no amount_mismatch; a short gross is"
    )
    func netAndGross() throws {
        let scene = try Scene.settling()
        try scene.paid("T1", charged: "3537.64", created: "2026-01-12T10:00:00Z")
        try scene.line("L1", of: "T1", gross: "3537.64", fee: "-77.12", net: "3460.52", payout: "P1")
        try scene.payout("P1", amount: "3460.52", lines: ["L1"])
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks().isEmpty)
        try scene.line("L1", of: "T1", gross: "3500", fee: "-77.12", net: "3422.88", payout: "P1")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.only("settlement_missing").difference == ExactDecimal("37.64"))
        #expect(try scene.only("payout_variance").difference == ExactDecimal("37.64"))
    }

    @Test("a source that settles to the customer, or gives no settlement evidence, has no settlement_missing")
    func notApplicable() throws {
        let scene = try Scene()
        try scene.source("push-live", provider: "push", settlesTo: "merchant")
        for feed in ["provider", "book"] { try scene.feed(feed, source: "push-live", reach: "2026-01-20T12:00:00Z") }
        try scene.paid("T1", created: "2026-01-12T10:00:00Z", state: "settled")
        let outcome = try scene.reconcile()
        #expect(try scene.found("settlement_missing").isEmpty && outcome.totalsTie)
        #expect(outcome.notApplicable.contains { $0.rule == "settlement_missing" && $0.source == "push-live" })
        let customers = try Scene.settling()
        try customers.source("other-live", provider: "push")
        for feed in ["provider", "book", "settlement"] {
            try customers.feed(feed, source: "other-live", reach: "2026-01-20T12:00:00Z")
        }
        try customers.transaction("T1", source: "other-live", money: "taken", refs: ["book:order=A"], flags: [])
        try customers.order("A", source: "other-live")
        try customers.reconcile()
        #expect(try customers.found("settlement_missing").isEmpty)
    }

    @Test(
        "of two charges with one line nobody can say whose it is: no settlement_missing, and the totals call it ambiguous"
    )
    func ambiguous() throws {
        let scene = try Scene.settling()
        for id in ["T1", "T2"] {
            try scene.transaction(
                id, source: "push-live", status: "approved", state: "paid", money: "taken",
                created: "2026-01-12T10:00:00Z", refs: ["book:order=A"], flags: [])
        }
        try scene.order("A", source: "push-live")
        try scene.fileLine("S1", order: "A", gross: "100", source: "push-live")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.found("settlement_missing").isEmpty)
        let classes = try scene.connection.query(
            "select sum((classes -> 'ambiguous' ->> 'count')::int) as n from tieout.control_total where pair = 'provider-settlement'"
        ).only()
        #expect(try classes.int("n") == 2)
    }

    @Test(
        "a settled line that no payment explains is unknown to the provider (provider_missing), and the totals say so")
    func stray() throws {
        let scene = try Scene.settling()
        try scene.line("L1", of: "T9", gross: "75", payout: "P1")
        try scene.payout("P1", amount: "75", lines: ["L1"])
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks() == ["provider_missing transaction:push-live/settlement_line/L1 medium"])
    }

    /// How often each class of the pair provider-settlement was met, and what is unexplained.
    private func classes(_ scene: Scene) throws -> [String] {
        let rows = try scene.connection.query(
            "select c.key as class, sum((c.value ->> 'count')::int)::int as n, sum((c.value ->> 'sum')::numeric)::text as amount from tieout.control_total as t cross join jsonb_each(t.classes) as c (key, value) where t.pair = 'provider-settlement' group by c.key union all select 'unexplained', sum(t.unexplained_count)::int, sum(t.unexplained_sum)::text from tieout.control_total as t where t.pair = 'provider-settlement' having sum(t.unexplained_count) > 0 or sum(t.unexplained_sum) <> 0 order by 1"
        )
        return try rows.map { "\(try $0.text("class")) \(try $0.int("n")) \(try $0.text("amount"))" }
    }

    @Test("a line that a payout names but that is not settled yet is no settlement_missing, and the totals await it")
    func underWay() throws {
        let scene = try Scene.settling()
        try scene.paid("T1", created: "2026-01-12T10:00:00Z")
        try scene.line("L1", of: "T1", gross: "100", state: "settling", payout: "P1")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.found("settlement_missing").isEmpty && classes(scene) == ["awaiting 1 100"])
        try scene.line("L1", of: "T1", gross: "100", payout: "P1")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try classes(scene) == ["matched 1 0"])
    }

    @Test("of a charge of which nobody says how much it was there is no settlement_missing: it is not evaluated")
    func amountUnknown() throws {
        let scene = try Scene.settling()
        for id in ["T1", "T2"] {
            try scene.transaction(
                id, source: "push-live", state: "paid", money: "taken", charged: nil, created: "2026-01-12T10:00:00Z",
                refs: ["push:transaction=\(id)"], flags: [])
        }
        try scene.line("L1", of: "T1", gross: "100", payout: "P1")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.found("settlement_missing").isEmpty && classes(scene) == ["not_evaluated 2 -100"])
    }

    @Test(
        "where no term says when, what is in no payout is no settlement_missing but not evaluated; a short line is one")
    func noTerm() throws {
        let scene = try Scene.settling()
        scene.terms = [Term(method: "APPLE_PAY", amount: 2, unit: .businessDays)]
        for id in ["T1", "T2"] { try scene.paid(id, created: "2026-01-12T10:00:00Z") }
        try scene.line("L2", of: "T2", gross: "90", payout: "P1")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.only("settlement_missing").subject == "transaction:push-live/T2")
        #expect(try classes(scene) == ["breaks 1 10", "not_evaluated 1 100"])
    }

    @Test("a line of a failed payment is stray, once; where another charge of the payment has money, nobody's")
    func failed() throws {
        let scene = try Scene.settling()
        try scene.paid("T1", status: "failed", money: "none", state: "failed")
        try scene.line("L1", of: "T1", gross: "100", payout: "P1")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.only("provider_missing").subject == "transaction:push-live/settlement_line/L1")
        #expect(try classes(scene) == ["breaks 1 -100"])
        try scene.transaction(
            "T2", source: "push-live", status: "approved", state: "paid", money: "taken",
            created: "2026-01-12T10:00:00Z", refs: ["book:order=O-T1"], flags: [])
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.only("settlement_missing").subject == "transaction:push-live/T2")
        #expect(try scene.found("provider_missing").isEmpty)
        #expect(try classes(scene) == ["ambiguous 1 -100", "breaks 1 100"])
    }

    @Test("a charge that went back is settlement_missing where its line is of another amount, and not where it agrees")
    func wentBack() throws {
        let scene = try Scene.settling()
        for (id, gross) in [("T1", "90"), ("T2", "100")] {
            try scene.paid(id, status: "refunded", returned: "100", money: "returned", state: "refunded")
            try scene.line("L-\(id)", of: id, gross: gross, payout: "P1")
        }
        #expect(try scene.reconcile().totalsTie)
        let found = try scene.only("settlement_missing")
        #expect(found.subject == "transaction:push-live/T1")
        #expect(try found.difference == ExactDecimal("10") && found.atRisk == ExactDecimal("10"))
        #expect(try classes(scene) == ["breaks 1 10", "matched 1 0"])
    }

    @Test("a refund or a line of a file in quarantine holds its payment back: no break; of the same id, no other one")
    func heldBack() throws {
        for (record, feed) in [("refund/R1", "provider"), ("L1", "settlement")] {
            let scene = try Scene.settling()
            for id in ["T1", "R1", "L1"] { try scene.paid(id, created: "2026-01-12T10:00:00Z", state: "settled") }
            try scene.leg("refund", "R1", of: "T1", state: "failed", returned: "5")
            try scene.fileLine("L1", order: "O-T1", kind: "fee", gross: "-1", source: "push-live")
            try scene.quarantine(record, feed: feed, source: "push-live")
            #expect(try scene.reconcile().totalsTie)
            #expect(
                try scene.found("settlement_missing").map(\.subject)
                    == ["transaction:push-live/L1", "transaction:push-live/R1"], "\(record)")
        }
    }
}
