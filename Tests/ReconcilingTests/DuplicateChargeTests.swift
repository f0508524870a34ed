import Payments
import Reconciling
import Testing

@Suite struct DuplicateChargeTests {
    @Test("case 48: two charges of one order are critical, two tickets of one customer at most low")
    func sameOrderAndSameCustomer() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", created: "2026-01-10T10:00:00Z", refs: ["book:order=A"], customer: "c1")
        try scene.transaction("T2", created: "2026-01-10T10:00:04Z", refs: ["book:order=A"], customer: "c1")
        for (order, ticket, minute) in [("B", "T3", "10"), ("C", "T4", "20")] {
            try scene.order(order, amount: "3.20")
            try scene.transaction(
                ticket, charged: "3.20", created: "2026-01-11T10:\(minute):00Z", refs: ["book:order=\(order)"],
                customer: "c2")
        }
        let outcome = try scene.reconcile()
        #expect(
            try scene.breaks() == [
                "duplicate_charge transaction:meld-live/T2 critical", "duplicate_charge transaction:meld-live/T4 low",
            ])
        let surplus = try #require(try scene.store.list().first)
        #expect(surplus.atRisk.description == "100" && surplus.difference?.description == "-100")
        #expect(outcome.totalsTie && outcome.standing == [.critical: 1, .low: 1])
    }

    @Test("identical payments of one customer further apart than the window are no break")
    func outsideWindow() throws {
        let scene = try Scene(events: [])
        for (order, ticket, day) in [("B", "T3", "11"), ("C", "T4", "13")] {
            try scene.order(order)
            try scene.transaction(
                ticket, created: "2026-01-\(day)T10:00:00Z", refs: ["book:order=\(order)"], customer: "c2")
        }
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
    }

    @Test("a second charge is high where the book calls the earlier order failed")
    func retryAfterFailure() throws {
        let scene = try Scene(events: [])
        try scene.order("B", status: "failed")
        try scene.transaction("T3", refs: ["book:order=B"], customer: "c2")
        try scene.order("C")
        try scene.transaction("T4", created: "2026-01-10T10:30:00Z", refs: ["book:order=C"], customer: "c2")
        try scene.reconcile()
        #expect(
            try scene.breaks() == ["accepted_as_failed order:B high", "duplicate_charge transaction:meld-live/T4 high"])
    }

    @Test("a declined first try is no charge")
    func declined() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", status: "DECLINED", state: "declined", money: "none", refs: ["book:order=A"])
        try scene.transaction("T2", created: "2026-01-10T10:05:00Z", refs: ["book:order=A"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }

    @Test("case 48: an acknowledged charge does not come back, a third charge does, and a full refund heals")
    func acknowledged() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"])
        try scene.transaction("T2", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"])
        try scene.reconcile()
        try scene.store.ack(
            try scene.only().id, reason: "bought twice", actor: "ann", now: at("2026-01-20T12:30:00Z"))
        let quiet = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(quiet.opened == 0 && quiet.changed == 0 && quiet.standing.isEmpty)
        try scene.transaction("T3", created: "2026-01-10T10:02:00Z", refs: ["book:order=A"])
        let third = try scene.reconcile(at: "2026-01-20T14:00:00Z")
        #expect(third.opened == 1 && third.standing == [.critical: 1])
        #expect(try scene.store.list().allSatisfy { $0.primaryBreak == nil })
        try scene.transaction(
            "T3", status: "REFUNDED", state: "refunded", money: "returned", created: "2026-01-10T10:02:00Z",
            refs: ["book:order=A"], returned: "100")
        let healed = try scene.reconcile(at: "2026-01-20T15:00:00Z")
        #expect(healed.healed == 1)
        #expect(try scene.only().state == .acknowledged)
    }

    @Test("a source and the one beneath it never form a pair, two charges of the one beneath do")
    func beneath() throws {
        let scene = try Scene(events: [])
        try scene.source("mercuryo-live", provider: "mercuryo", beneath: "meld-live")
        try scene.feed("provider", source: "mercuryo-live", reach: "2026-01-20T12:00:00Z")
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A", "mercuryo:transaction=M1"])
        try scene.transaction("M1", source: "mercuryo-live", refs: ["mercuryo:transaction=M1"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
        try scene.transaction(
            "M2", source: "mercuryo-live", created: "2026-01-10T10:05:00Z", refs: ["book:order=A"])
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(try scene.breaks() == ["duplicate_charge transaction:mercuryo-live/M2 critical"])
    }

    @Test("failing over to another source charges one order twice")
    func acrossSources() throws {
        let scene = try Scene(events: [])
        try scene.source("banxa-live", provider: "banxa")
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"])
        try scene.transaction("X1", source: "banxa-live", created: "2026-01-10T12:00:00Z", refs: ["book:order=A"])
        try scene.reconcile()
        #expect(try scene.breaks() == ["duplicate_charge transaction:banxa-live/X1 critical"])
    }

    @Test("one id in a source and in the one that succeeds it is one charge")
    func succeeded() throws {
        let scene = try Scene(events: [])
        try scene.source("meld-new", succeeds: "meld-live")
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"])
        try scene.transaction("T1", source: "meld-new", refs: ["book:order=A"])
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
    }

    @Test("orders under one idempotency key are one order, and the key was used twice")
    func idempotencyKey() throws {
        let scene = try Scene(events: [])
        for (order, charge, second) in [("A", "T1", "00"), ("B", "T2", "04")] {
            try scene.order(order, key: "k1")
            try scene.transaction(charge, created: "2026-01-10T10:00:\(second)Z", refs: ["book:order=\(order)"])
        }
        try scene.reconcile()
        #expect(
            try scene.breaks() == [
                "duplicate_charge transaction:meld-live/T2 critical", "reference_reused order:B high",
            ])
    }
}
