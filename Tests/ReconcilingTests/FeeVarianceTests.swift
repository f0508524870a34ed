import Payments
import Postgres
import Reconciling
import Testing

@Suite struct FeeVarianceTests {
    private func scene(schedule: String? = nil, shown: Bool = true) throws -> Scene {
        let scene = try Scene(events: [])
        if shown {
            try scene.connection.execute(
                "update tieout.source set declaration = declaration || '{\"fees_seen\": [\"transaction\"]}'")
        }
        if let schedule {
            try scene.connection.execute("insert into tieout.fee_schedule \(schedule)")
        }
        try scene.order("A")
        return scene
    }

    private func charge(_ scene: Scene, fee: String?, parts: [String: String] = [:], method: String = "CARD") throws {
        try scene.transaction("T", refs: ["book:order=A"], fee: fee, flags: [], method: method, isFinal: true)
        for (part, amount) in parts {
            try scene.connection.execute(
                "update tieout.transaction set \(part) = $1::text::numeric, fee_currency = 'USD'", [.text(amount)])
        }
    }

    @Test("a fee that is not the schedule's, by the most specific row, is a low break; the agreed one is not")
    func schedule() throws {
        let rows = """
            (name, payment_method, currency, percent, fixed, minimum) values \
            ('all', null, 'USD', 1, 0, null), ('cards', 'CARD', 'USD', 2.5, 0.30, 3)
            """
        let scene = try scene(schedule: rows)
        try charge(scene, fee: "3.10")
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "fee_variance" && found.severity == .low && outcome.totalsTie)
        #expect(found.facts.contains("schedule cards") && found.facts.contains("3.00 USD"))
        #expect(found.atRisk.description == "0.1" && found.difference?.isZero == true)
        try charge(scene, fee: "3.00")
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
        try charge(scene, fee: "1.005", method: "ACH")
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
    }

    @Test(
        "a fee that differs or is pending is no matter of book and provider: their totals match beside the fee_variance"
    )
    func totals() throws {
        for (fee, created) in [("3.50", "2026-01-10T10:00:00Z"), (nil, "2026-01-19T10:00:00Z")] {
            let scene = try scene(schedule: "(name, percent, fixed) values ('all', 3, 0)")
            try scene.transaction(
                "T", created: created, refs: ["book:order=A"], fee: fee, flags: [], isFinal: true)
            let outcome = try scene.reconcile()
            #expect(try scene.found("fee_variance").count + outcome.awaiting == 1 && outcome.totalsTie)
            let total = try scene.connection.query(
                "select classes::text as classes from tieout.control_total where pair = 'book-provider'"
            ).only()
            #expect(try total.text("classes").contains("matched"), "\(fee ?? "pending")")
        }
    }

    @Test("a fee that is less than its parts, or with all parts given not their sum, is a break")
    func sums() throws {
        let all = ["fee_network": "0.42", "fee_provider": "3.20", "fee_partner": "1.00"]
        for (fee, parts, isBreak) in [
            ("4.62", all, false), ("4.99", all, true), ("3.00", ["fee_provider": "3.20"], true),
            ("4.62", ["fee_provider": "3.20"], false), ("3.20", [:], false),
        ] {
            let scene = try scene()
            try charge(scene, fee: fee, parts: parts)
            try scene.reconcile()
            #expect(try scene.found("fee_variance").isEmpty != isBreak, "\(fee) \(parts)")
        }
    }

    @Test("case 42: a fee not known yet is pending and no break; when it is known it is none; after 72 hours it is one")
    func pending() throws {
        let scene = try scene()
        try charge(scene, fee: nil)
        let early = try scene.reconcile(at: "2026-01-11T10:00:00Z")
        #expect(try scene.breaks().isEmpty && early.awaiting == 1)
        let fees = try scene.connection.query(
            "select coalesce(fee_total::text, 'pending') from tieout.transaction where transaction_id = 'T'")
        #expect(try fees.only().text(0) == "pending")
        try charge(scene, fee: "0.59")
        let known = try scene.reconcile(at: "2026-01-11T11:00:00Z")
        #expect(try scene.breaks().isEmpty && known.awaiting == 0)
        try charge(scene, fee: nil)
        try scene.reconcile()
        #expect(try scene.only("fee_variance").facts.contains("fee pending"))
    }

    @Test("where the provider shows no fees on the row, or none by its nature, nothing is pending and no break")
    func notShown() throws {
        let scene = try scene(shown: false)
        try charge(scene, fee: nil)
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
        let imported = try self.scene()
        try imported.transaction("T", refs: ["book:order=A"], flags: ["imported"], isFinal: true)
        try imported.reconcile()
        #expect(try imported.breaks().isEmpty)
    }

    @Test("two views of one charge that state another provider fee: a low break; the same, or one that is silent: none")
    func views() throws {
        for (beneath, isBreak) in [("3.50", true), ("3.20", false), (nil, false)] as [(String?, Bool)] {
            let scene = try scene(shown: false)
            try scene.source("mercuryo-live", provider: "mercuryo", beneath: "meld-live")
            try scene.feed("provider", source: "mercuryo-live", reach: "2026-01-20T12:00:00Z")
            try scene.transaction("T", refs: ["book:order=A", "mercuryo:transaction=M"], isFinal: true)
            try scene.transaction("M", source: "mercuryo-live", refs: ["mercuryo:transaction=M"], isFinal: true)
            try scene.connection.execute(
                "update tieout.transaction set fee_currency = 'USD', fee_provider = case transaction_id when 'T' then 3.20 else $1::text::numeric end",
                [.text(beneath)])
            try scene.reconcile()
            #expect(try scene.breaks() == (isBreak ? ["fee_variance transaction:meld-live/T low"] : []))
        }
    }
}
