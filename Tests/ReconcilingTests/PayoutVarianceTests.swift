import Payments
import Postgres
import Testing

@testable import Reconciling

@Suite("payout_variance")
struct PayoutVarianceTests {
    private func scene() throws -> Scene {
        let scene = try Scene.settling()
        try scene.source("dlocal-live", provider: "dlocal", settlesTo: "merchant")
        return scene
    }

    @Test(
        "case 43: a payout whose fee row is missing differs by it (payout_variance), and its bridge says what there is")
    func missingFee() throws {
        let scene = try scene()
        try scene.filePayout("P-1", amount: "60.28", items: 3)
        try scene.fileLine("S1", gross: "40.00", fee: "-1.20", net: "38.80")
        try scene.fileLine("S2", gross: "40.00", fee: "-1.25", net: "38.75")
        try scene.reconcile()
        let found = try scene.only("payout_variance")
        #expect(found.subject == "payout:dlocal-live/P-1" && found.severity == .high)
        #expect(try found.difference == ExactDecimal("-17.27") && found.atRisk == ExactDecimal("17.27"))
        #expect(try scene.fact("gross", of: found) == "80.00 USD" && scene.fact("fees", of: found) == "-2.45 USD")
        #expect(try scene.fact("unexplained", of: found) == "-17.27 USD" && scene.fact("lines", of: found) == "2")
        try scene.fileLine("S3", kind: "fee", gross: "0", fee: nil, net: "-17.27")
        try scene.connection.execute("update tieout.settlement_line set gross = -17.27 where line_id = 'S3'")
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try scene.found("payout_variance").isEmpty)
        let bridge = try scene.connection.query(
            "select gross, fees, other, unexplained from scope.payout where payout_id = 'P-1'"
        ).only()
        #expect(try bridge.decimal("gross") == ExactDecimal("80") && bridge.decimal("fees") == ExactDecimal("-2.45"))
        #expect(try bridge.decimal("other") == ExactDecimal("-17.27") && bridge.decimal("unexplained").isZero)
    }

    @Test(
        "case 43: a fee of the account is other, in whichever column it stands; a charge's own is under fees: no payout_variance",
        arguments: ["fee", "commission", "adjustment", "other"])
    func feeOfTheAccount(kind: String) throws {
        let scene = try scene()
        try scene.filePayout("P-1", amount: "21.53")
        try scene.fileLine("S1", gross: "40.00", fee: "-1.20", net: "38.80")
        try scene.fileLine("S2", kind: kind, gross: "0", fee: "-17.27", net: "-17.27")
        #expect(try scene.reconcile().totalsTie && scene.found("payout_variance").isEmpty)
        let bridge = try scene.connection.query(
            "select fees, other, unclassified, unexplained from scope.payout where payout_id = 'P-1'"
        ).only()
        #expect(try bridge.decimal("fees") == ExactDecimal("-1.2") && bridge.decimal("other") == ExactDecimal("-17.27"))
        #expect(try bridge.decimal("unclassified").isZero && bridge.decimal("unexplained").isZero)
        try scene.connection.execute("update tieout.settlement_line set flags = '{type_unknown}' where line_id = 'S2'")
        let unknown = try scene.connection.query(
            "select fees, other, unclassified from scope.payout where payout_id = 'P-1'"
        ).only()
        #expect(try unknown.decimal("unclassified") == ExactDecimal("-17.27") && unknown.decimal("other").isZero)
    }

    @Test(
        "what matches has no difference: rounding is no payout_variance and stands on both sides of the total; more is one"
    )
    func roundingInTotals() throws {
        let scene = try scene()
        try scene.filePayout("P-1", amount: "18.00")
        try scene.fileLine("S1", gross: "18.504321", fee: "-0.5", net: "18.004321")
        let query =
            "select (a_sum - b_sum)::text as difference, classes::text as classes from tieout.control_total where pair = 'settlement-payout'"
        #expect(try scene.reconcile().totalsTie && scene.found("payout_variance").isEmpty)
        let total = try scene.connection.query(query).only()
        #expect(try total.text("difference") == "0" || total.text("difference") == "0.00")
        #expect(try total.text("classes") == #"{"matched": {"sum": "0", "count": 1}}"#)
        try scene.connection.execute("update tieout.payout set amount = 17.95 where payout_id = 'P-1'")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        let broken = try scene.connection.query(query).only()
        #expect(try broken.text("difference") == "0.054321")
        #expect(try broken.text("classes") == #"{"breaks": {"sum": "0.054321", "count": 1}}"#)
    }

    @Test(
        "case 18: a type that nobody modelled stands in the bridge as unclassified, so no payout_variance, but unknown_value"
    )
    func unclassified() throws {
        let scene = try scene()
        try scene.filePayout("P-1", amount: "128.80")
        try scene.fileLine("S1", gross: "200.00", fee: "-6.10", net: "193.90")
        try scene.fileLine("S2", kind: "chargeback", gross: "-50.00", fee: "-15.00", net: "-65.00")
        try scene.fileLine(
            "S3", kind: "other", word: "climate_order_purchase", gross: "-0.10", flags: ["type_unknown"])
        try scene.reconcile()
        #expect(try scene.found("payout_variance").isEmpty)
        let strange = try scene.only("unknown_value")
        #expect(strange.subject == "line:dlocal-live/S3" && strange.severity == .high)
        #expect(try scene.fact("type", of: strange) == "climate_order_purchase")
        let bridge = try scene.connection.query(
            "select gross, fees, disputes, unclassified, unexplained from scope.payout where payout_id = 'P-1'"
        ).only()
        #expect(try bridge.decimal("unclassified") == ExactDecimal("-0.1"))
        #expect(try bridge.decimal("disputes") == ExactDecimal("-50") && bridge.decimal("unexplained").isZero)
    }

    @Test(
        "rounding of one minor unit is no payout_variance, two are; the payout's own entry and cancelled lines are in no sum"
    )
    func rounding() throws {
        let scene = try scene()
        try scene.filePayout("P-1", amount: "7.96")
        try scene.fileLine("S1", gross: "22.222222", fee: "-0.55", net: "21.672222")
        try scene.fileLine("S2", kind: "refund", gross: "-3.722222", net: "-3.722222")
        try scene.fileLine("S3", kind: "fee", gross: "-10")
        try scene.paid("T1")
        try scene.line("L1", of: "T1", gross: "100", payout: "P2")
        try scene.line("L2", kind: "transfer", gross: "-100", payout: "P2")
        try scene.payout("P2", amount: "100", lines: ["L1", "L2"])
        try scene.reconcile()
        #expect(try scene.found("payout_variance").isEmpty)
        try scene.connection.execute("update tieout.payout set amount = 7.97 where payout_id = 'P-1'")
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try scene.only("payout_variance").difference == ExactDecimal("0.02"))
    }

    @Test(
        "a polled payout waits until its lines were read so far, then its payout_variance shows; totals stay explained")
    func polled() throws {
        let scene = try Scene.settling()
        try scene.paid("T1")
        try scene.line("L1", of: "T1", gross: "100")
        try scene.payout("P1", amount: "150", lines: ["L1", "L2"], at: "2026-01-20T11:00:00Z")
        try scene.feed("settlement", source: "push-live", reach: "2026-01-20T10:00:00Z")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.found("payout_variance").isEmpty)
        try scene.feed("settlement", source: "push-live", reach: "2026-01-20T12:00:00Z")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.only("payout_variance").difference == ExactDecimal("50"))
        try scene.paid("T2", charged: "50")
        try scene.line("L2", of: "T2", gross: "50")
        #expect(try scene.reconcile(at: "2026-01-20T14:00:00Z").totalsTie)
        #expect(try scene.found("payout_variance").isEmpty)
    }

    @Test(
        "a payout known by lines of two currencies has a payout_variance of each; with a head it has the head's alone")
    func currencies() throws {
        let scene = try Scene.settling()
        for (id, currency) in [("L1", "USD"), ("L2", "EUR"), ("L3", "EUR")] {
            try scene.leg(
                "settlement_line", id, kind: "adjustment", charged: "100", delivered: "90", currency: currency,
                refs: ["push:payout=P9"])
        }
        #expect(try scene.reconcile().totalsTie)
        let found = try scene.found("payout_variance")
        #expect(found.map(\.subject) == ["payout:push-live/P9 EUR", "payout:push-live/P9 USD"])
        #expect(try found.map(\.difference) == [ExactDecimal("-20"), ExactDecimal("-10")])
        try scene.payout("P9", amount: "100")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.found("payout_variance").isEmpty)
        let bridge = try scene.connection.query(
            "select subject, lines, foreign_lines from scope.payout where payout_id = 'P9'"
        ).only()
        #expect(try bridge.text("subject") == "payout:push-live/P9")
        #expect(try bridge.int("lines") == 1 && bridge.int("foreign_lines") == 2)
    }
}
