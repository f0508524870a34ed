import Payments
import Postgres
import Testing

@testable import Reconciling

@Suite("Fees that the payment's own record does not name")
struct KnownFeesTests {
    /// What is known of the fee of `T1`: the fee, the partner's, the currency.
    private func fee(_ scene: Scene) throws -> [String?] {
        // Ledger time never stands still.
        try scene.reconcile(at: "2026-01-20T12:00:0\(scene.run)Z")
        return try ["fee", "fee_partner", "fee_currency"].map { try scene.seen($0, "T1") }
    }

    @Test(
        "case 42: what its settled line took is the fee of a payment; before, or by a line that says nothing, it is pending"
    )
    func lines() throws {
        let scene = try Scene.settling()
        try scene.paid("T1")
        #expect(try fee(scene) == [nil, nil, nil])
        try scene.line("L1", of: "T1", gross: "100", fee: "-0.55", net: "99.45", state: "settling")
        #expect(try fee(scene)[0] == nil)
        try scene.line("L1", of: "T1", gross: "100", fee: "-0.55", net: "99.45", payout: "P1")
        #expect(try fee(scene) == ["0.55", nil, "USD"])
        try scene.line("L1", of: "T1", gross: "100", payout: "P1")
        #expect(try fee(scene) == [nil, nil, nil])
    }

    @Test("case 42: a report in another currency tells the fee in that; the refund's line beside it adds nothing")
    func reports() throws {
        let scene = try Scene.settling()
        try scene.paid("T1")
        try scene.fileLine(
            "S1", order: "O-T1", gross: "18.5", fee: "-0.5", net: "18", source: "push-live", currency: "EUR",
            transactionAmount: "100", transactionCurrency: "USD")
        try scene.fileLine(
            "S2", order: "O-T1", kind: "refund", gross: "-1", fee: "-0.2", net: "-1.2", source: "push-live",
            transactionAmount: "-5", transactionCurrency: "USD")
        #expect(try fee(scene) == ["0.5", nil, "EUR"])
        #expect(try scene.seen("settled_amount", "T1") == "100")
    }

    /// A payment of a provider whose events alone tell of fees.
    private func told() throws -> Scene {
        let scene = try Scene()
        try scene.connection.execute(
            "update tieout.source set declaration = declaration || '{\"fees_seen\": [\"event\"]}'")
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"], flags: [])
        return scene
    }

    private func event(
        _ scene: Scene, _ key: String, _ time: String, _ flags: [String], verdict: String = "valid",
        isTest: Bool = false
    ) throws {
        try scene.event(
            key, of: "T1", status: "paid", state: "paid", money: "taken", time: time, verdict: verdict, isTest: isTest,
            flags: flags)
    }

    @Test("case 42: where events alone tell of fees the last one does, and the partner's fee stands beside it")
    func events() throws {
        let scene = try told()
        #expect(try fee(scene) == [nil, nil, nil])
        try event(scene, "E1", "2026-01-10T10:05:00Z", ["fee=3.95 EUR", "partner_fee=1 EUR", "signed_raw"])
        #expect(try fee(scene) == ["3.95", "1", "EUR"])
        try event(scene, "E2", "2026-01-10T10:06:00Z", ["fee=4 EUR", "partner_fee=1.00 EUR"])
        try event(scene, "E3", "2026-01-10T10:07:00Z", ["signed_raw"])
        #expect(try fee(scene) == ["4", "1.00", "EUR"])
        try scene.connection.execute("update tieout.transaction set fee_total = 3.5, fee_currency = 'USD'")
        #expect(try fee(scene) == ["3.5", nil, "USD"])
    }

    @Test("an event that nobody proved, a test event, and one of a provider that shows fees itself tell of no fee")
    func noEvidence() throws {
        let scene = try told()
        try event(scene, "E1", "2026-01-10T10:05:00Z", ["fee=3.95 EUR"], verdict: "invalid")
        try event(scene, "E2", "2026-01-10T10:05:00Z", ["fee=3.95 EUR"], isTest: true)
        #expect(try fee(scene) == [nil, nil, nil])
        try event(scene, "E3", "2026-01-10T10:05:00Z", ["fee=3.95 EUR"])
        try scene.connection.execute(
            "update tieout.source set declaration = declaration || '{\"fees_seen\": [\"transaction\"]}'")
        #expect(try fee(scene) == [nil, nil, nil])
    }

    @Test(
        "the fee of a settled line is held against the schedule: another one is a fee_variance, the agreed one is not")
    func schedule() throws {
        for (fee, isBreak) in [("-2.90", false), ("-3.50", true)] {
            let scene = try Scene.settling()
            try scene.connection.execute(
                "insert into tieout.fee_schedule (name, percent, fixed) values ('contract', 2.9, 0)")
            try scene.paid("T1")
            try scene.line("L1", of: "T1", gross: "100", fee: fee, net: "97", payout: "P1")
            try scene.reconcile()
            #expect(try scene.found("fee_variance").isEmpty != isBreak, "\(fee)")
        }
    }
}
