import Payments
import Postgres
import Reconciling
import Testing

/// The same kinds of facts as the cases, at their edges and in other words.
@Suite struct EdgeTests {
    @Test(
        "cases 35 and 36: a factor is named both ways, with the currency's digits",
        arguments: [
            ("JPY", "500", "50000", "factor 100", "\"50000\""), ("JPY", "50000", "500", "factor 100", "\"50000\""),
            ("KWD", "92.000", "9.2", "factor 10", "\"9.200\""), ("KWD", "9.2", "9200", "factor 1000", "\"9200.000\""),
            ("BHD", "35.2", "352", "factor 10", "\"352.000\""),
            ("CLF", "1.2345", "123.45", "factor 100", "\"123.4500\""),
            ("CLF", "123.45", "12.345", "factor 10", "\"12.3450\""),
            ("USD", "10", "10000", "factor 1000", "\"10000.00\""),
        ])
    func factors(currency: String, booked: String, charged: String, hint: String, printed: String) throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: booked, currency: currency)
        try scene.transaction("T", charged: charged, currency: currency, refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        let found = try scene.only()
        #expect(found.rule == "amount_mismatch" && found.facts.contains("\"\(hint)\"") && found.facts.contains(printed))
        #expect(outcome.totalsTie)
    }

    @Test("case 35 twin: a difference that is no factor has no such hint, and no fee explains it")
    func noHint() throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: "80", currency: "JPY")
        try scene.transaction("T", charged: "81", currency: "JPY", refs: ["book:order=A"], fee: "2")
        try scene.reconcile()
        #expect(try !scene.only().facts.contains("hint"))
    }

    @Test("a fee inside the charge is hinted at whichever side leaves it out", arguments: ["95", "105"])
    func feeBothWays(booked: String) throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: booked)
        try scene.transaction("T", refs: ["book:order=A"], fee: "5")
        try scene.reconcile()
        #expect(try scene.only().facts.contains("fee inside"))
    }

    @Test(
        "case 57: the tolerance of what was delivered is one percent, exactly, both ways",
        arguments: [("0.99", 0), ("1.01", 0), ("0.989999999999999999", 1), ("1.010000000000000001", 1)])
    func toleranceEdge(delivered: String, breaks: Int) throws {
        let scene = try Scene(events: [])
        try scene.order("A", receives: "1", receivesCurrency: "ETH")
        try scene.transaction("T", refs: ["book:order=A"], delivered: delivered, deliveredCurrency: "ETH")
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks().count == breaks)
    }

    @Test("case 39: eighteen decimals and more than 64 bits are compared digit by digit")
    func longDigits() throws {
        let scene = try Scene(events: [])
        for (order, delivered) in [("A", "10.000000000000000001"), ("B", "10.000000000000000002")] {
            try scene.order(order, receives: "10.000000000000000001", receivesCurrency: "ETH")
            try scene.transaction(
                order, refs: ["book:order=\(order)"], delivered: delivered, deliveredCurrency: "ETH",
                flags: ["locked_quote"])
        }
        try scene.reconcile()
        #expect(try scene.only().difference?.description == "-0.000000000000000001")
    }

    @Test("case 57: the same facts with other fractions, zeros and absent values write no event and no total")
    func sameFacts() throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: "90.00")
        try scene.transaction("T", created: "2026-01-10T10:00:00.123456Z", refs: ["book:order=A"])
        #expect(try scene.reconcile().opened == 1)
        try scene.order("A", amount: "90")
        try scene.transaction("T", charged: "100.000", created: "2026-01-10T10:00:00.123456Z", refs: ["book:order=A"])
        let again = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(again.opened + again.changed + again.healed + again.reopened == 0 && again.totalsWritten == 0)
    }

    @Test("case 48: three identical payments of one customer are two possible duplicates; of three customers, none")
    func threeIdentical() throws {
        for customers in [["c", "c", "c"], ["c1", "c2", "c3"]] {
            let scene = try Scene(events: [])
            for (index, customer) in customers.enumerated() {
                try scene.order("O\(index)", amount: "3.20")
                try scene.transaction(
                    "T\(index)", charged: "3.20", created: "2026-01-10T1\(index):00:00Z",
                    refs: ["book:order=O\(index)"], customer: customer)
            }
            #expect(try scene.reconcile().totalsTie)
            let expected =
                customers[0] == "c"
                ? ["duplicate_charge transaction:meld-live/T1 low", "duplicate_charge transaction:meld-live/T2 low"]
                : []
            #expect(try scene.breaks() == expected)
        }
    }

    @Test("case 48: charges of direction out are surplus among themselves, never with those of direction in")
    func out() throws {
        let scene = try Scene(events: [])
        try scene.transaction("O1", refs: ["meld:session=S"], direction: "out")
        try scene.transaction("I1", created: "2026-01-10T10:01:00Z", refs: ["meld:session=S"])
        try scene.reconcile()
        #expect(try scene.breaks().allSatisfy { !$0.hasPrefix("duplicate_charge") })
        try scene.transaction("O2", created: "2026-01-10T10:02:00Z", refs: ["meld:session=S"], direction: "out")
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try scene.breaks().contains("duplicate_charge transaction:meld-live/O2 critical"))
    }

    @Test("case 48: whatever order the charges arrive in, the same ones are surplus", arguments: 0..<4)
    func arrival(turn: Int) throws {
        let scene = try Scene(events: [])
        var steps: [() throws -> Void] = [
            { try scene.order("A") },
            { try scene.transaction("T1", created: "2026-01-10T10:00:00Z", refs: ["book:order=A"]) },
            { try scene.transaction("T2", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"]) },
            { try scene.transaction("T3", created: "2026-01-10T10:02:00Z", refs: ["book:order=A"]) },
        ]
        steps = Array(steps[turn...] + steps[..<turn])
        if turn % 2 == 1 { steps.reverse() }
        for (index, step) in steps.enumerated() {
            try step()
            try scene.reconcile(at: "2026-01-20T1\(index):00:00Z")
        }
        #expect(
            try scene.breaks() == [
                "duplicate_charge transaction:meld-live/T2 critical",
                "duplicate_charge transaction:meld-live/T3 critical",
            ])
    }

    @Test(
        "an acknowledgement covers the facts it was given for: other facts reopen the break, a new spell without owner")
    func acknowledgedFacts() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T", charged: "90", refs: ["book:order=A"])
        try scene.reconcile()
        try scene.store.ack(try scene.only().id, reason: "known", actor: "ann", now: at("2026-01-20T12:30:00Z"))
        let quiet = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(quiet.reopened + quiet.changed == 0 && quiet.standing.isEmpty)
        try scene.transaction("T", charged: "10", refs: ["book:order=A"])
        let loud = try scene.reconcile(at: "2026-01-20T14:00:00Z")
        #expect(loud.reopened == 1 && loud.standing == [.high: 1])
        let found = try scene.only()
        #expect(found.state == .open && found.owner == nil && found.openedAt == at("2026-01-20T14:00:00Z"))
        #expect(try scene.store.show(found.id).trail.map(\.event) == ["opened", "acknowledged", "reopened"])
    }

    @Test(
        "an event put into the trail, cut from its end or its middle, or a changed reason digest is found",
        arguments: [
            "insert into tieout.break_event select (jsonb_populate_record(e, jsonb_build_object('seq', 4, 'actor', 'eve'))).* from tieout.break_event e where seq = 2",
            "delete from tieout.break_event where seq = 3", "delete from tieout.break_event where seq = 2",
            "delete from tieout.break_event where seq = 1", "delete from tieout.break_event",
            "update tieout.break_event set at = at + interval '1 microsecond' where seq = 3",
            "update tieout.break_event set at_risk = 0 where seq = 1",
        ])
    func tampered(statement: String) throws {
        let scene = try Scene(events: [])
        for order in ["A", "B", "C"] {
            try scene.order(order)
            try scene.transaction(order, charged: "90", refs: ["book:order=\(order)"])
        }
        try scene.reconcile()
        guard case .whole(3, _) = try scene.store.verify() else {
            Issue.record("the untouched trail is not whole")
            return
        }
        try scene.connection.execute(statement)
        guard case .broken = try scene.store.verify() else {
            Issue.record("not noticed: \(statement)")
            return
        }
    }

    @Test(
        "case 51: due exactly at the knowledge cut is due, a microsecond later is awaiting",
        arguments: [("2026-01-18T12:00:00Z", 1), ("2026-01-18T12:00:00.000001Z", 0)])
    func dueAtCut(taken: String, breaks: Int) throws {
        let scene = try Scene(events: [])
        scene.terms = [Term(amount: 48, unit: .hours)]
        try scene.transaction("T", status: "SETTLING", state: "settling", money: "taken", created: taken)
        let outcome = try scene.reconcile()
        #expect(try scene.breaks(without: "book_missing").count == breaks && outcome.awaiting == 1 - breaks)
    }

    @Test("case 51: source before provider before method before direction before currency, and the later of equals")
    func specific() throws {
        let scene = try Scene(events: [])
        scene.terms = [
            Term(amount: 1, unit: .minutes), Term(currency: "EUR", amount: 2, unit: .minutes),
            Term(direction: .in, amount: 3, unit: .minutes), Term(method: "ACH", amount: 4, unit: .minutes),
            Term(direction: .in, currency: "EUR", amount: 5, unit: .minutes),
            Term(method: "ACH", amount: 6, unit: .minutes),
            Term(source: "meld-live", currency: "JPY", amount: 7, unit: .minutes),
            Term(provider: "meld", currency: "BRL", amount: 8, unit: .minutes),
            Term(provider: "push", method: "ACH", amount: 9, unit: .minutes),
        ]
        for (id, currency, method) in [
            ("usd", "USD", "CARD"), ("eur", "EUR", "CARD"), ("ach", "EUR", "ACH"), ("jpy", "JPY", "ACH"),
            ("brl", "BRL", "ACH"),
        ] {
            try scene.transaction(
                id, status: "SETTLING", state: "settling", money: "taken", currency: currency, method: method)
        }
        try scene.reconcile()
        let due = try scene.store.list().filter { $0.rule != "book_missing" }.map {
            "\($0.subject) \($0.dueAt?.description ?? "")"
        }.sorted()
        #expect(
            due == [
                "transaction:meld-live/ach 2026-01-10T10:06:00Z", "transaction:meld-live/brl 2026-01-10T10:08:00Z",
                "transaction:meld-live/eur 2026-01-10T10:05:00Z",
                "transaction:meld-live/jpy 2026-01-10T10:07:00Z", "transaction:meld-live/usd 2026-01-10T10:03:00Z",
            ])
    }

    @Test(
        "case 51: zones, calendars and clock changes",
        arguments: [
            // Friday evening in New York is Saturday in UTC.
            ("2026-01-10T01:00:00Z", "America/New_York", "US", 2, "2026-01-14T01:00:00Z"),
            // The clocks of Berlin go forward on Sunday 29 March 2026.
            ("2026-03-27T11:00:00Z", "Europe/Berlin", "EU", 2, "2026-03-31T10:00:00Z"),
            // Two calendars at once: Corpus Christi (4 June) in Brazil, Juneteenth (19 June) in the United States.
            ("2026-06-03T12:00:00Z", "UTC", "US+BR", 1, "2026-06-05T12:00:00Z"),
            ("2026-06-18T12:00:00Z", "UTC", "US+BR", 1, "2026-06-22T12:00:00Z"),
            ("2026-06-18T12:00:00Z", "UTC", "GB", 1, "2026-06-19T12:00:00Z"),
            // Nothing to wait for: the same day, or the next open one.
            ("2026-01-10T12:00:00Z", "UTC", "", 0, "2026-01-12T12:00:00Z"),
            ("2026-01-09T12:00:00Z", "UTC", "", 0, "2026-01-09T12:00:00Z"),
        ])
    func calendars(taken: String, zone: String, calendars: String, days: Int, due: String) throws {
        let scene = try Scene(reach: "2026-12-01T00:00:00Z", events: [])
        scene.terms = [Term(amount: days, unit: .businessDays, zone: zone, calendars: calendars)]
        try scene.transaction("T", status: "SETTLING", state: "settling", money: "taken", created: taken)
        try scene.reconcile(at: "2026-12-01T00:00:00Z")
        #expect(try scene.only(without: "book_missing").dueAt == at(due))
    }

    @Test(
        "a feed is fresh up to 26 hours, and stale a microsecond later",
        arguments: [("2026-01-19T10:00:00Z", 1, 0), ("2026-01-19T09:59:59.999999Z", 0, 1)])
    func freshness(reach: String, breaks: Int, silent: Int) throws {
        let scene = try Scene(reach: reach, events: [])
        scene.terms = [Term(amount: 24, unit: .hours)]
        try scene.transaction("T", status: "SETTLING", state: "settling", money: "taken")
        let outcome = try scene.reconcile()
        #expect(try scene.found("paid_unsettled").count == breaks)
        #expect(try scene.found("source_stale").count == silent)
        #expect(outcome.notEvaluated.count { $0.rule == "paid_unsettled" } == silent)
    }

    @Test("case 49 twins: money held, or a book that says credited, is no expired session")
    func heldSession() throws {
        let scene = try Scene(events: [])
        for (order, money, state) in [("held", "held", "pending"), ("none", "none", "pending")] {
            try scene.order(order, status: "open", expires: "2026-01-10T10:30:00Z")
            try scene.transaction(order, status: "PENDING", state: state, money: money, refs: ["book:order=\(order)"])
        }
        try scene.order("done", status: "credited", expires: "2026-01-10T10:30:00Z")
        try scene.order("paid", status: "paid", expires: "2026-01-10T10:30:00Z")
        let outcome = try scene.reconcile()
        #expect(
            try scene.breaks(without: "credited_unpaid", "provider_missing") == [
                "expired_session order:none low", "expired_session order:paid low",
            ])
        #expect(outcome.totalsTie)
    }

    @Test("an event of another source with the same transaction id is no evidence")
    func otherSource() throws {
        let scene = try Scene(events: ["SETTLED"])
        try scene.source("other", events: ["SETTLED"])
        try scene.transaction("T")
        try scene.event("E", of: "T", status: "SETTLED", state: "settled", money: "delivered", source: "other")
        try scene.reconcile()
        #expect(try scene.breaks(without: "book_missing") == ["webhook_missing transaction:meld-live/T low"])
        try scene.event("E2", of: "T", status: "SETTLED", state: "settled", money: "delivered")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").healed == 1)
    }

    @Test("case 17: a currency nobody knows is unknown_value on either side; a coin of direction out is not")
    func unknownCurrency() throws {
        let scene = try Scene(events: [])
        try scene.order("A", currency: "ZZZ")
        try scene.transaction("T", currency: "ZZZ", refs: ["book:order=A"])
        try scene.transaction("O", charged: "0.5", currency: "BTC", direction: "out")
        let outcome = try scene.reconcile()
        #expect(
            try scene.breaks(without: "book_missing") == [
                "unknown_value order:A high", "unknown_value transaction:meld-live/T high",
            ])
        #expect(outcome.totalsTie)
    }

    @Test(
        "case 17: an unknown status of an event alone counts only where the event is evidence",
        arguments: [("valid", 1), ("invalid", 0), ("stale", 0), ("unsigned", 0), ("no_key", 0)])
    func unknownEvent(verdict: String, breaks: Int) throws {
        let scene = try Scene(events: [])
        try scene.event("E", of: "T", status: "WEIRD", state: "unknown", money: "unknown", verdict: verdict)
        try scene.reconcile()
        #expect(try scene.found("unknown_value").count == breaks)
    }
}
