import Payments
import Postgres
import Reconciling
import Testing

@Suite struct PaidUnsettledTests {
    private func paid(_ scene: Scene, _ id: String, _ moment: String, status: String = "SETTLING") throws {
        try scene.order(id, status: "paid", created: moment)
        try scene.transaction(
            id, status: status, state: "settling", money: "taken", created: moment, refs: ["book:order=\(id)"])
    }

    @Test("case 51: paid yesterday is awaiting, paid five days ago is paid_unsettled, three days past due")
    func dueAndNotDue() throws {
        let scene = try Scene(events: [])
        // Tuesday 20 January; Thursday 15th plus two calendar-like business days is Monday 19th, so count hours here.
        scene.terms = [Term(amount: 48, unit: .hours)]
        try paid(scene, "yesterday", "2026-01-19T10:00:00Z")
        try paid(scene, "old", "2026-01-15T10:00:00Z")
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "paid_unsettled" && found.subject == "transaction:meld-live/old")
        #expect(found.dueAt == at("2026-01-17T10:00:00Z") && found.severity == .high)
        #expect(found.atRisk.description == "100")
        #expect(outcome.awaiting == 1 && outcome.totalsTie)
        let watched = try scene.connection.query("select subject, look_again_at from tieout.watch")
        #expect(try watched.only().text("subject") == "transaction:meld-live/yesterday")
        #expect(try watched.only().timestamp("look_again_at") == at("2026-01-21T10:00:00Z"))
    }

    @Test(
        "case 51: two business days after Friday is Tuesday, holidays and cut-offs count",
        arguments: [
            ("2026-01-09T10:00:00Z", "UTC", "", nil, "2026-01-13T10:00:00Z"),
            ("2026-01-10T10:00:00Z", "UTC", "", nil, "2026-01-13T10:00:00Z"),
            // Monday 19 January 2026 is Martin Luther King Jr. Day.
            ("2026-01-16T10:00:00Z", "UTC", "US", nil, "2026-01-21T10:00:00Z"),
            ("2026-01-16T10:00:00Z", "UTC", "GB", nil, "2026-01-20T10:00:00Z"),
            // Good Friday and Easter Monday 2026: 3 and 6 April.
            ("2026-04-02T10:00:00Z", "UTC", "EU", nil, "2026-04-08T10:00:00Z"),
            // Carnival Monday and Tuesday 2026: 16 and 17 February, which is also Washington's Birthday on the 16th.
            ("2026-02-13T10:00:00Z", "UTC", "US+BR", nil, "2026-02-19T10:00:00Z"),
            // After the cut-off counts from the next day.
            ("2026-01-06T18:00:00Z", "UTC", "", "17:00", "2026-01-09T17:00:00Z"),
            ("2026-01-06T16:00:00Z", "UTC", "", "17:00", "2026-01-08T17:00:00Z"),
            // So does the cut-off itself, as in business days; one in the morning ends the date before.
            ("2026-01-06T17:00:00Z", "UTC", "", "17:00", "2026-01-09T17:00:00Z"),
            ("2026-01-06T01:00:00Z", "UTC", "", "02:00", "2026-01-08T02:00:00Z"),
            ("2026-01-06T03:00:00Z", "UTC", "", "02:00", "2026-01-09T02:00:00Z"),
            // The local day, and the local hour over a clock change (8 March 2026 in New York).
            ("2026-03-06T15:00:00Z", "America/New_York", "", nil, "2026-03-10T14:00:00Z"),
        ] as [(String, String, String, String?, String)])
    func businessDays(taken: String, zone: String, calendars: String, cutOff: String?, due: String) throws {
        let scene = try Scene(reach: "2026-06-01T00:00:00Z", events: [])
        scene.terms = [Term(amount: 2, unit: .businessDays, cutOff: cutOff, zone: zone, calendars: calendars)]
        try paid(scene, "T", taken)
        try scene.reconcile(at: "2026-06-01T00:00:00Z")
        #expect(try scene.only().dueAt == at(due))
    }

    /// Payments of a source whose settlement is seen in lines alone; `from` and `reach` of its settlement feed, none: no feed.
    private func byLines(from: String?, reach: String?, settlesTo: String = "merchant") throws -> Scene {
        let scene = try Scene(events: [])
        try scene.source("push-live", provider: "dlocal", settlesTo: settlesTo, settledByLines: true)
        for feed in ["provider", "book"] { try scene.feed(feed, source: "push-live", reach: "2026-01-20T12:00:00Z") }
        if let from, let reach { try scene.feed("settlement", source: "push-live", reach: reach, from: from) }
        try scene.paid("T1", created: "2026-01-06T10:00:00Z")
        try scene.paid("T2", created: "2026-01-12T10:00:00Z")
        return scene
    }

    @Test(
        "case 51: where lines alone say that a payment is settled, paid_unsettled is silent without them: absent, stale, begun late",
        arguments: [
            (nil, nil, 0), ("2026-01-01T00:00:00Z", "2026-01-18T00:00:00Z", 0),
            ("2026-01-10T00:00:00Z", "2026-01-20T12:00:00Z", 1), ("2026-01-01T00:00:00Z", "2026-01-20T12:00:00Z", 2),
        ] as [(String?, String?, Int)])
    func withoutLines(from: String?, reach: String?, breaks: Int) throws {
        let scene = try byLines(from: from, reach: reach)
        let outcome = try scene.reconcile()
        let found = try scene.found("paid_unsettled")
        #expect(found.count == breaks && outcome.totalsTie)
        #expect(try scene.found("settlement_missing").count == breaks)
        #expect(
            outcome.notApplicable.contains { $0.rule == "paid_unsettled" && $0.source == "push-live" } == (reach == nil)
        )
        if breaks == 0 && reach != nil {
            #expect(outcome.notEvaluated.contains { $0.rule == "paid_unsettled" && $0.source == "push-live" })
        }
        // What lines do not reach back to is no matter of book and provider: they agree.
        if breaks == 1 {
            let early = try scene.connection.query(
                "select 1 from tieout.control_total as t where t.pair = 'book-provider' and t.classes ? 'before_coverage'"
            )
            #expect(early.isEmpty)
        }
    }

    @Test(
        "a source whose own rows say that a payment is settled needs no lines for paid_unsettled; nor does a line raise one"
    )
    func byRows() throws {
        let scene = try Scene(events: [])
        try scene.source("push-live", provider: "push", settlesTo: "merchant")
        for feed in ["provider", "book"] { try scene.feed(feed, source: "push-live", reach: "2026-01-20T12:00:00Z") }
        try scene.paid("T1", created: "2026-01-12T10:00:00Z")
        try scene.paid("T2", created: "2026-01-12T10:00:00Z", state: "settled")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.only("paid_unsettled").subject == "transaction:push-live/T1")
        let lines = try byLines(from: "2026-01-01T00:00:00Z", reach: "2026-01-20T12:00:00Z")
        for id in ["T1", "T2"] { try lines.fileLine("L-\(id)", order: "O-\(id)", gross: "100", source: "push-live") }
        try lines.reconcile()
        #expect(try lines.breaks().isEmpty)
    }

    @Test("the most specific term decides")
    func specificity() throws {
        let scene = try Scene(events: [])
        scene.terms = [
            Term(method: "ACH", amount: 10, unit: .businessDays),
            Term(direction: .in, currency: "USD", amount: 1, unit: .hours),
            Term(amount: 1, unit: .minutes),
        ]
        try scene.transaction("card", status: "SETTLING", state: "settling", money: "taken", method: "CARD")
        try scene.transaction(
            "ach", status: "SETTLING", state: "settling", money: "taken", created: "2026-01-10T10:00:00Z", method: "ACH"
        )
        try scene.reconcile()
        #expect(try scene.only(without: "book_missing").dueAt == at("2026-01-10T11:00:00Z"))
    }

    @Test("delivered money is not unsettled, nor is money that went back")
    func twins() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T", refs: ["book:order=A"])
        try scene.order("B", status: "refunded")
        try scene.transaction(
            "R", status: "REFUNDED", state: "refunded", money: "returned", refs: ["book:order=B"], returned: "100")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test("the clock starts at the earliest valid event with money taken, not at our observation")
    func takenByEvent() throws {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 24, unit: .hours)]
        try scene.transaction(
            "T", status: "SETTLING", state: "settling", money: "taken", created: "2026-01-10T10:00:00Z",
            updated: "2026-01-12T10:00:00Z")
        try scene.event(
            "E1", of: "T", status: "SETTLING", state: "settling", money: "taken", time: "2026-01-11T08:00:00Z")
        try scene.event(
            "E0", of: "T", status: "SETTLING", state: "settling", money: "taken", time: "2026-01-10T08:00:00Z",
            verdict: "invalid")
        try scene.reconcile()
        #expect(try scene.only("paid_unsettled").dueAt == at("2026-01-12T08:00:00Z"))
    }

    @Test("a poll that does not reach the due time leaves it awaiting; one too old leaves the rule not evaluated")
    func horizon() throws {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 24, unit: .hours)]
        try scene.transaction(
            "T", status: "SETTLING", state: "settling", money: "taken", created: "2026-01-19T08:00:00Z")
        try scene.feed("provider", reach: "2026-01-20T07:00:00Z")
        let near = try scene.reconcile(at: "2026-01-20T12:00:00Z")
        #expect(try scene.breaks(without: "book_missing").isEmpty && near.awaiting == 1 && near.notEvaluated.isEmpty)
        let old = try scene.reconcile(at: "2026-01-21T12:00:00Z")
        #expect(try scene.found("paid_unsettled").isEmpty)
        #expect(
            old.notEvaluated.contains { $0.rule == "paid_unsettled" && $0.source == "meld-live" && $0.subjects == 1 })
        try scene.feed("provider", reach: "2026-01-21T13:00:00Z")
        try scene.reconcile(at: "2026-01-21T13:10:00Z")
        #expect(try scene.only("paid_unsettled").severity == .high)
    }
}
