import Payments
import Postgres
import Testing

@testable import Reconciling

@Suite("What refunds, disputes and lines say of a payment")
struct OverlayTests {
    private func overlaid(_ scene: Scene, _ id: String = "T1") throws -> [String?] {
        // Ledger time never stands still.
        try scene.reconcile(at: "2026-01-20T12:00:0\(scene.run)Z")
        return try ["money", "state", "returned", "disputed"].map { try scene.seen($0, id) }
    }

    @Test(
        "case 52: the provider's cumulative sum and the refunds it consists of are not added up; the third makes it full"
    )
    func cumulative() throws {
        let scene = try Scene.settling()
        try scene.paid("T1", charged: "3000", returned: "1000")
        try scene.leg("refund", "R1", of: "T1", money: "returned", returned: "1000")
        #expect(try overlaid(scene) == ["taken", "paid", "1000", nil])
        try scene.leg("refund", "R2", of: "T1", money: "returned", returned: "1000")
        #expect(try overlaid(scene) == ["taken", "paid", "2000", nil])
        try scene.paid("T1", charged: "3000", returned: "2000")
        #expect(try overlaid(scene) == ["taken", "paid", "2000", nil])
        try scene.leg("refund", "R3", of: "T1", money: "returned", returned: "1000")
        #expect(try overlaid(scene) == ["returned", "refunded", "3000", nil])
    }

    @Test("case 13: a refund that failed again is none")
    func failedRefund() throws {
        let scene = try Scene.settling()
        try scene.paid("T1")
        try scene.leg("refund", "R1", of: "T1", state: "pending", money: "none", returned: "100")
        #expect(try overlaid(scene) == ["taken", "paid", nil, nil])
        try scene.leg("refund", "R1", of: "T1", state: "refunded", money: "returned", returned: "100")
        #expect(try overlaid(scene) == ["returned", "refunded", "100", nil])
        try scene.leg("refund", "R1", of: "T1", state: "failed", money: "none", returned: "100")
        #expect(try overlaid(scene) == ["taken", "paid", nil, nil])
    }

    @Test(
        "a dispute shows while it is open or where it was lost; a bank return has the money back; one that is won is over"
    )
    func disputes() throws {
        let scene = try Scene.settling()
        try scene.paid("T1")
        try scene.line("L1", of: "T1", gross: "100", payout: "P1")
        try scene.leg("dispute", "D1", of: "T1", state: "disputed", disputed: "40")
        #expect(try overlaid(scene) == ["taken", "disputed", nil, "40"])
        try scene.leg("dispute", "D1", of: "T1", state: "settled", disputed: "40")
        #expect(try overlaid(scene) == ["taken", "settled", nil, nil])
        try scene.leg("dispute", "D1", of: "T1", kind: "R01", state: "disputed", money: "returned", disputed: "100")
        #expect(try overlaid(scene) == ["returned", "disputed", nil, "100"])
    }

    @Test(
        "a settled line settles what was taken, and delivers on direction out; a pending one, or one of a failed payment, does not"
    )
    func lines() throws {
        let scene = try Scene.settling()
        try scene.paid("T1")
        try scene.line("L1", of: "T1", gross: "100", state: "settling")
        #expect(try overlaid(scene) == ["taken", "settling", nil, nil])
        try scene.line("L1", of: "T1", gross: "100")
        #expect(try overlaid(scene) == ["taken", "settled", nil, nil])
        try scene.paid("T2", direction: "out")
        try scene.line("L2", of: "T2", gross: "-100", direction: "out")
        #expect(try overlaid(scene, "T2") == ["delivered", "settled", nil, nil])
        try scene.paid("T3", status: "failed", money: "none", state: "failed")
        try scene.line("L3", of: "T3", gross: "100")
        #expect(try overlaid(scene, "T3") == ["none", "failed", nil, nil])
    }

    @Test("a line of a file finds its payment by the order, and of two charges is nobody's unless there are two lines")
    func fileLines() throws {
        let scene = try Scene.settling()
        try scene.source("dlocal-live", provider: "dlocal", settlesTo: "merchant")
        try scene.transaction(
            "T1", source: "dlocal-live", status: "PAID", state: "paid", money: "taken", refs: ["book:order=A-1"])
        try scene.order("A-1", source: "dlocal-live")
        try scene.fileLine("S1", order: "A-1", gross: "18.5", transactionAmount: "100", transactionCurrency: "USD")
        #expect(try overlaid(scene) == ["taken", "settled", nil, nil])
        try scene.fileLine(
            "S2", order: "A-1", kind: "refund", gross: "-3.7", transactionAmount: "-20", transactionCurrency: "USD")
        #expect(try overlaid(scene) == ["taken", "settled", "20", nil])
        try scene.transaction(
            "T2", source: "dlocal-live", status: "PAID", state: "paid", money: "taken", refs: ["book:order=A-1"])
        #expect(try overlaid(scene) == ["taken", "paid", nil, nil])
        try scene.fileLine("S3", order: "A-1", gross: "18.5", transactionAmount: "100", transactionCurrency: "USD")
        #expect(try overlaid(scene) == ["taken", "settled", nil, nil])
        #expect(try scene.seen("state", "T2") == "settled")
    }

    @Test("what a file and the provider show under one id settles once; under two ids it is two lines")
    func shownTwice() throws {
        let scene = try Scene.settling()
        try scene.paid("T1")
        try scene.line("L1", of: "T1", gross: "100", payout: "P1")
        try scene.fileLine("L1", order: "O-T1", gross: "100", payout: "P1", source: "push-live")
        #expect(try overlaid(scene) == ["taken", "settled", nil, nil])
        #expect(try scene.seen("settled_amount", "T1") == "100")
        #expect(try scene.breaks().isEmpty)
        try scene.fileLine("L2", order: "O-T1", gross: "100", payout: "P1", source: "push-live")
        #expect(try overlaid(scene) == ["taken", "settled", nil, nil])
        #expect(try scene.seen("settled_amount", "T1") == "200")
    }

    @Test("scope.transaction holds payments alone; payouts join nothing, and no payout makes one payment of two lines")
    func members() throws {
        let scene = try Scene.settling()
        for id in ["T1", "T2"] {
            try scene.paid(id)
            try scene.line("L-\(id)", of: id, gross: "100", payout: "P1")
        }
        try scene.payout("P1", amount: "200", lines: ["L-T1", "L-T2"])
        try scene.leg("refund", "R1", of: "T1", money: "returned", returned: "5")
        try scene.reconcile()
        let members = try scene.connection.query(
            "select count(distinct payment_id) as payments, count(*) filter (where record_id like 'payout/%') as payouts, count(*) as members from tieout.payment_member where account_id = 7"
        ).only()
        #expect(try members.int("payments") == 2)
        #expect(try members.int("payouts") == 0)
        #expect(try members.int("members") == 7)
        let seen = try scene.connection.query(
            "select string_agg(distinct resource, ' ') as resources from scope.transaction where account_id = 7")
        #expect(try seen.only().text("resources") == "transaction")
    }
}
