import Payments
import Postgres
import Reconciling
import Testing

/// What went back more than once, or otherwise than the book says: of charges that went back in full, too.
@Suite("refund_mismatch, dispute_unbooked and credited_unpaid of what went back")
struct ReturnedOtherwiseTests {
    /// A charge of 100, taken, and what became of it: refunds and disputes as (id, amount, state, money).
    private func scene(
        status: String = "refunded", booked: String?, refunds: [String] = [],
        disputes: [(amount: String, state: String, money: String)] = [], amount: String = "100"
    ) throws -> Scene {
        let scene = try Scene.settling()
        try scene.paid("T1", status: status)
        try scene.line("L1", of: "T1", gross: "100", payout: "P1")
        try scene.payout("P1", amount: "100", lines: ["L1"])
        try scene.connection.execute(
            "update tieout.book_order set refunded_amount = $1::numeric, amount = $2::numeric where account_id = 7",
            [.text(booked), .text(amount)])
        for (index, amount) in refunds.enumerated() {
            try scene.leg("refund", "R\(index)", of: "T1", state: "refunded", money: "returned", returned: amount)
        }
        for (index, dispute) in disputes.enumerated() {
            try scene.leg(
                "dispute", "D\(index)", of: "T1", kind: "10.4", state: dispute.state, money: dispute.money,
                disputed: dispute.amount)
        }
        return scene
    }

    /// What stands in the bucket `returned` of the pair book-provider: how many are breaks, and what is unexplained.
    private func totals(_ scene: Scene) throws -> [String] {
        try scene.connection.query(
            "select concat_ws(' ', classes #>> '{breaks,count}', unexplained_count) from tieout.control_total where bucket = 'returned' and pair = 'book-provider'"
        ).map { try $0.text(0) }
    }

    @Test(
        "refund_mismatch by the difference: back in full and booked otherwise, more than was charged, or twice",
        arguments: [
            ("refunded", "60", ["100"], "-40"), ("refunded", "150", ["100"], "50"),
            ("refunded", "100", ["120"], "-20"), ("refunded", nil, ["120"], "-20"),
            ("refunded", "100", ["100", "100"], "-100"), ("failed", nil, ["100", "100"], "-100"),
            ("credited", "60", ["100"], "-40"), ("credited", "100", ["100", "20"], "-20"),
        ] as [(String, String?, [String], String)])
    func otherwise(status: String, booked: String?, refunds: [String], difference: String) throws {
        let scene = try scene(status: status, booked: booked, refunds: refunds)
        #expect(try scene.reconcile().totalsTie)
        let found = try scene.only()
        #expect(found.rule == "refund_mismatch" && found.subject == "order:O-T1")
        #expect(try found.difference == ExactDecimal(difference))
        #expect(found.atRisk.description == difference.replacing("-", with: ""))
        #expect(try totals(scene) == ["1 0"])
    }

    @Test(
        "no refund_mismatch nor credited_unpaid: back as the book says, in one or in parts, whatever it calls the order",
        arguments: [
            ("refunded", "100", ["100"]), ("refunded", nil, ["100"]), ("refunded", "120", ["120"]),
            ("refunded", "100", ["60", "40"]), ("credited", "100", ["100"]), ("paid", "100", ["100"]),
            ("credited", "30", ["30"]), ("failed", nil, ["100"]), ("disputed", nil, ["100"]),
        ] as [(String, String?, [String])])
    func same(status: String, booked: String?, refunds: [String]) throws {
        let scene = try scene(status: status, booked: booked, refunds: refunds)
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks().isEmpty)
    }

    @Test(
        "a provider that calls it refunded returned all of it: booked in part it is a refund_mismatch, as a whole not")
    func byState() throws {
        for (booked, breaks) in [("60", ["refund_mismatch order:A high"]), ("100", [])] {
            let scene = try Scene(events: [])
            try scene.order("A", status: "refunded")
            try scene.transaction(
                "T", status: "REFUNDED", state: "refunded", money: "returned", refs: ["book:order=A"])
            try scene.connection.execute(
                "update tieout.book_order set refunded_amount = $1::numeric where account_id = 7", [.text(booked)])
            #expect(try scene.reconcile().totalsTie)
            #expect(try scene.breaks() == breaks)
        }
    }

    @Test(
        "dispute_unbooked: refunded as booked, and a dispute lost or open on top of it",
        arguments: [
            ("100", ["100"], "100", "returned"), ("100", ["100"], "100", "none"), ("20", ["20"], "80", "returned"),
            (nil, ["100"], "30", "returned"),
        ] as [(String?, [String], String, String)])
    func onTop(booked: String?, refunds: [String], disputed: String, money: String) throws {
        let scene = try scene(booked: booked, refunds: refunds, disputes: [(disputed, "disputed", money)])
        #expect(try scene.reconcile().totalsTie)
        let found = try scene.only()
        #expect(found.rule == "dispute_unbooked" && found.subject == "transaction:push-live/T1")
        #expect(found.atRisk.description == disputed)
        #expect(try totals(scene) == ["1 0"])
    }

    @Test(
        "no dispute_unbooked: the book counts the dispute as refunded, calls it failed, or the dispute was won",
        arguments: [
            ("refunded", "100", [], "100", "disputed", "returned"),
            ("refunded", nil, [], "100", "disputed", "returned"),
            ("refunded", "100", ["20"], "80", "disputed", "returned"),
            ("failed", nil, ["20"], "80", "disputed", "returned"),
            ("refunded", "100", ["100"], "100", "settled", "none"),
        ] as [(String, String?, [String], String, String, String)])
    func covered(status: String, booked: String?, refunds: [String], disputed: String, state: String, money: String)
        throws
    {
        let scene = try scene(status: status, booked: booked, refunds: refunds, disputes: [(disputed, state, money)])
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks().isEmpty)
    }

    @Test("a book that knows of the dispute alone has a refund_mismatch when the charge was refunded too")
    func disputedAndRefunded() throws {
        let scene = try scene(
            status: "disputed", booked: nil, refunds: ["100"], disputes: [("100", "disputed", "returned")])
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.only().difference == ExactDecimal("-100"))
        #expect(try scene.only().rule == "refund_mismatch")
    }

    @Test("of two charges both returned one is the order's: no refund_mismatch; one returned twice is one")
    func surplus() throws {
        let scene = try scene(booked: "100", refunds: ["100"])
        try scene.transaction(
            "T2", source: "push-live", status: "approved", state: "settled", money: "taken",
            created: "2026-01-10T11:00:00Z", refs: ["push:transaction=T2", "book:order=O-T1"], flags: [])
        try scene.leg("refund", "R8", of: "T2", state: "refunded", money: "returned", returned: "100")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.found("refund_mismatch").isEmpty)
        try scene.leg("refund", "R9", of: "T2", state: "refunded", money: "returned", returned: "100")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").totalsTie)
        #expect(try scene.only("refund_mismatch").difference == ExactDecimal("-100"))
    }
}
