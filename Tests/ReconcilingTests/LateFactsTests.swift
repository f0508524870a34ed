import Payments
import Postgres
import Reconciling
import Testing

/// Corrected references, late records and repeated deliveries: what stands in the end does not depend on when it came.
@Suite struct LateFactsTests {
    /// Where each break stands: its id, and with whom its record belongs together.
    private func places(_ scene: Scene) throws -> [String] {
        try scene.connection.query(
            "select b.rule || ' ' || b.subject || ' ' || b.state || ' ' || (b.payment_id = m.payment_id) as place from tieout.break as b inner join tieout.payment_member as m on m.account_id = b.account_id and m.record_id = split_part(split_part(b.subject, ':', 2), '/', 2) where b.rule <> 'book_missing' order by 1"
        ).map { try $0.text("place") }
    }

    private func ids(_ scene: Scene) throws -> [String: String] {
        try scene.store.list().reduce(into: [:]) { $0["\($1.rule) \($1.subject)"] = $1.id }
    }

    @Test("a corrected reference merges two payments: their breaks keep identity and trail, and move to the new one")
    func merged() throws {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 1, unit: .hours)]
        try scene.order("A", status: "paid")
        try scene.transaction("T1", status: "SETTLING", state: "settling", money: "taken", refs: ["book:order=A"])
        try scene.transaction(
            "T2", status: "SETTLING", state: "settling", money: "taken", created: "2026-01-10T10:05:00Z",
            refs: ["meld:session=S"])
        try scene.reconcile()
        let before = try ids(scene)
        #expect(before.keys.filter { $0.hasPrefix("paid_unsettled") }.count == 2)
        // The order names the session of the second charge too: both are one payment now, and one is surplus.
        try scene.order("A", status: "paid", refs: ["meld:session=S"])
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        let after = try ids(scene)
        for id in ["T1", "T2"] {
            let name = "paid_unsettled transaction:meld-live/\(id)"
            #expect(before[name] != nil && before[name] == after[name], "\(id)")
        }
        #expect(after["duplicate_charge transaction:meld-live/T2"] != nil)
        let stands = try places(scene)
        #expect(stands.allSatisfy { $0.hasSuffix("true") }, "\(stands)")
        let payments = try scene.connection.query(
            "select count(distinct payment_id) as payments from tieout.break where rule = 'paid_unsettled'")
        #expect(try payments.only().int("payments") == 1)
    }

    @Test(
        "taken back, it splits them again: the surplus charge heals, the others stand where they stood, reopened by nobody"
    )
    func split() throws {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 1, unit: .hours)]
        try scene.order("A", status: "paid", refs: ["meld:session=S"])
        try scene.transaction("T1", status: "SETTLING", state: "settling", money: "taken", refs: ["book:order=A"])
        try scene.transaction(
            "T2", status: "SETTLING", state: "settling", money: "taken", created: "2026-01-10T10:05:00Z",
            refs: ["meld:session=S"])
        try scene.reconcile()
        #expect(try scene.found("duplicate_charge").count == 1)
        let opened = try scene.found("paid_unsettled").map { "\($0.id) \($0.openedAt)" }
        try scene.order("A", status: "paid")
        let outcome = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(outcome.reopened == 0)
        #expect(try scene.found("duplicate_charge").isEmpty)
        #expect(try scene.found("paid_unsettled").map { "\($0.id) \($0.openedAt)" } == opened)
        // Each is a headline of its own again.
        #expect(try scene.found("paid_unsettled").allSatisfy { $0.primaryBreak == nil && !$0.atRisk.isZero })
        #expect(try places(scene).allSatisfy { $0.hasSuffix("true") })
    }

    @Test("order, charge and event in any order, judged after each: the same breaks stand in the end", arguments: 0..<6)
    func anyOrder(turn: Int) throws {
        let scene = try Scene(events: ["SETTLED"])
        let steps: [() throws -> Void] = [
            { try scene.order("A", amount: "90") },
            { try scene.transaction("T", refs: ["meld:session=S"]) },
            {
                try scene.event(
                    "E", of: "T", status: "SETTLED", state: "settled", money: "delivered",
                    refs: ["meld:session=S", "book:order=A"])
            },
        ]
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        for (hour, place) in orders[turn].enumerated() {
            try steps[place]()
            try scene.reconcile(at: "2026-01-20T1\(hour):00:00Z")
        }
        try scene.reconcile(at: "2026-01-20T15:00:00Z")
        #expect(try scene.breaks() == ["amount_mismatch transaction:meld-live/T high"])
        #expect(try scene.only().order == "A")
    }

    @Test("an event told in January and once more in February is one event: nothing opens, heals or reopens by it")
    func acrossMonths() throws {
        let scene = try Scene(reach: "2026-02-02T12:00:00Z", events: ["SETTLED"])
        try scene.transaction("T", created: "2026-01-31T23:00:00Z")
        try scene.event(
            "E", of: "T", status: "SETTLED", state: "settled", money: "delivered", time: "2026-01-31T23:00:01Z")
        try scene.reconcile(at: "2026-02-01T12:00:00Z")
        let before = try scene.connection.query("select count(*) as events from tieout.break_event").only().int(
            "events")
        try scene.connection.execute(
            "update tieout.webhook_event set deliveries = 2, last_received_at = '2026-02-01T00:00:30Z', max_retry = 1")
        let again = try scene.reconcile(at: "2026-02-02T12:00:00Z")
        #expect(again.opened + again.healed + again.reopened + again.changed == 0)
        let after = try scene.connection.query("select count(*) as events from tieout.break_event").only().int("events")
        #expect(before == after)
        #expect(try scene.found("webhook_missing").isEmpty && scene.found("webhook_conflict").isEmpty)
    }

    @Test("a corrected file heals what it corrects, and its older copy, come late, brings nothing back")
    func correctedFile() throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: "90")
        try scene.transaction("T", refs: ["book:order=A"])
        try scene.reconcile()
        let id = try scene.only("amount_mismatch").id
        try scene.order("A", amount: "100")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").healed == 1)
        // The older version is stored already superseded: it changes no current row, so no break.
        let quiet = try scene.reconcile(at: "2026-01-20T14:00:00Z")
        #expect(quiet.opened + quiet.reopened == 0)
        // Corrected once more to what it was: the same break again, a new spell.
        try scene.order("A", amount: "90")
        #expect(try scene.reconcile(at: "2026-01-20T15:00:00Z").reopened == 1)
        #expect(try scene.only("amount_mismatch").id == id)
    }
}
