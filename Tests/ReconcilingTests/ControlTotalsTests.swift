import Payments
import Postgres
import Reconciling
import Testing

/// Adversarial facts: every record stays in one class, and what differs is explained.
@Suite struct ControlTotalsTests {
    private let moment = "2026-01-20T12:00:00Z"

    /// The sums of the pair book-provider: A − B, what the breaks carry, the rest by class.
    private func sums(_ scene: Scene) throws -> (difference: String, breaks: String, loose: String) {
        let row = try scene.connection.query(Self.total).only()
        return (try row.text(0), try row.text(1), try row.text(2))
    }

    private static let total =
        "select trim_scale(sum(a_sum - b_sum))::text, trim_scale(sum(coalesce((classes #>> '{breaks,sum}')::numeric, 0)))::text, trim_scale(sum(unexplained_sum))::text from tieout.control_total where pair = 'book-provider'"

    private func expect(_ scene: Scene, difference: String, breaks: String) throws {
        let outcome = try scene.reconcile()
        let found = try sums(scene)
        #expect(found == (difference, breaks, "0"))
        #expect(outcome.totalsTie)
    }

    @Test("two wrong charges of one order: the amount's difference stands beside the surplus one")
    func surplusAndMismatch() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", charged: "90", refs: ["book:order=A"])
        try scene.transaction("T2", charged: "90", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"])
        try expect(scene, difference: "-80", breaks: "-80")
        let mismatch = try #require(try scene.store.list().first { $0.rule == "amount_mismatch" })
        #expect(mismatch.primaryBreak != nil && mismatch.atRisk.isZero && mismatch.difference?.description == "10")
    }

    @Test("the second charge fits the order, the first does not: the first still stands for the order")
    func secondFits() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", charged: "90", refs: ["book:order=A"])
        try scene.transaction("T2", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"])
        try expect(scene, difference: "-90", breaks: "-90")
    }

    @Test("case 48: the first charge went back in full, the second is the order's: no surplus, nothing unexplained")
    func firstReturned() throws {
        for money in ["returned", "delivered"] {
            let scene = try Scene(events: [])
            try scene.order("A")
            try scene.transaction(
                "T1", status: "REFUNDED", state: "refunded", money: money, charged: "90", refs: ["book:order=A"],
                returned: "90")
            try scene.transaction("T2", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"])
            try expect(scene, difference: "0", breaks: "0")
            #expect(try scene.breaks().isEmpty, "\(money)")
        }
    }

    @Test(
        "case 48: a surplus charge refunded in part risks the rest, and still differs by its charge; in full it heals")
    func surplusRefunded() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"])
        try scene.transaction("T2", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"], returned: "40")
        try expect(scene, difference: "-100", breaks: "-100")
        #expect(try scene.only().atRisk.description == "60")
        try scene.transaction("T2", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"], returned: "100")
        try expect(scene, difference: "0", breaks: "0")
        #expect(try scene.breaks().isEmpty)
    }

    @Test("paid in parts that add up: no surplus and no difference; parts that do not are both")
    func parts() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", charged: "60", refs: ["book:order=A"])
        try scene.transaction("T2", charged: "40", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"])
        try expect(scene, difference: "0", breaks: "0")
        #expect(try scene.breaks().isEmpty)
        try scene.transaction("T2", charged: "30", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"])
        try expect(scene, difference: "10", breaks: "10")
        #expect(try scene.breaks().count == 2)
    }

    @Test("a charge that only the source beneath shows counts on the provider's side, one shown twice counts once")
    func beneath() throws {
        let scene = try Scene(events: [])
        try scene.source("mercuryo-live", provider: "mercuryo", beneath: "meld-live")
        try scene.feed("provider", source: "mercuryo-live", reach: moment)
        try scene.order("A")
        try scene.transaction("T1", charged: "90", refs: ["book:order=A", "mercuryo:transaction=M1"])
        try scene.transaction(
            "M1", source: "mercuryo-live", charged: "88", created: "2026-01-10T09:59:30Z",
            refs: ["mercuryo:transaction=M1"])
        try expect(scene, difference: "10", breaks: "10")
        #expect(try scene.only("amount_mismatch").subject == "transaction:meld-live/T1")
        #expect(try scene.only("view_conflict").difference?.description == "2")
        try scene.transaction("M2", source: "mercuryo-live", created: "2026-01-10T10:05:00Z", refs: ["book:order=A"])
        try expect(scene, difference: "-90", breaks: "-90")
    }

    @Test("one id in a source and in the one that succeeds it is counted once")
    func succeeded() throws {
        let scene = try Scene(events: [])
        try scene.source("meld-new", succeeds: "meld-live")
        for feed in ["provider", "book"] { try scene.feed(feed, source: "meld-new", reach: moment) }
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"])
        try scene.transaction("T1", source: "meld-new", refs: ["book:order=A"])
        try expect(scene, difference: "0", breaks: "0")
        #expect(try scene.breaks().isEmpty)
    }

    @Test("orders under one idempotency key, each with its charge: the surplus one differs from nothing in the book")
    func oneKey() throws {
        let scene = try Scene(events: [])
        for (order, charge, second) in [("A", "T1", "00"), ("B", "T2", "04")] {
            try scene.order(order, key: "k1")
            try scene.transaction(charge, created: "2026-01-10T10:00:\(second)Z", refs: ["book:order=\(order)"])
        }
        try expect(scene, difference: "0", breaks: "0")
        #expect(try scene.only("duplicate_charge").atRisk.description == "100")
    }

    @Test("three charges of one order against two that share a payment with another order")
    func ambiguousSurplus() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.order("B")
        for (index, refs) in [["book:order=A", "meld:order=X"], ["book:order=B", "meld:order=X"], ["book:order=A"]]
            .enumerated()
        {
            try scene.transaction("T\(index)", created: "2026-01-10T10:0\(index):00Z", refs: refs)
        }
        try expect(scene, difference: "-100", breaks: "-100")
        #expect(try scene.only().subject == "transaction:meld-live/T2")
    }

    @Test("a payment that holds both directions counts each of its breaks once")
    func bothDirections() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A", "meld:session=S"])
        try scene.transaction("T2", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"])
        try scene.transaction("O1", refs: ["meld:session=S"], direction: "out")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks(without: "book_missing") == ["duplicate_charge transaction:meld-live/T2 critical"])
        #expect(try sums(scene).breaks == "-200" && outcome.totalsTie)
    }

    @Test("what a stale feed keeps open stands under not evaluated once the sides agree, never under unexplained")
    func carried() throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T", charged: "90", refs: ["book:order=A"])
        try expect(scene, difference: "10", breaks: "10")
        try scene.transaction("T", refs: ["book:order=A"])
        let late = try scene.reconcile(at: "2026-01-25T12:00:00Z")
        #expect(late.carried == 1 && late.totalsTie)
        let found = try sums(scene)
        #expect(found == ("0", "10", "0"))
    }

    @Test("a missing event is no difference between book and provider")
    func missingEvent() throws {
        let scene = try Scene()
        try scene.order("A")
        try scene.transaction("T", refs: ["book:order=A"])
        try scene.reconcile()
        #expect(try scene.breaks() == ["webhook_missing transaction:meld-live/T low"])
        let classes = try scene.connection.query(
            "select pair || ' ' || (select string_agg(k, ',') from jsonb_object_keys(classes) as k) from tieout.control_total order by 1"
        )
        #expect(try classes.map { try $0.text(0) } == ["book-provider matched", "provider-webhook breaks"])
    }

    @Test(
        "a record in quarantine that names a transaction by its id alone: its payment is not judged for that side",
        arguments: [("T", true), ("other", false)])
    func quarantined(record: String, isQuarantined: Bool) throws {
        let scene = try Scene(events: [])
        try scene.order("A")
        try scene.transaction("T", charged: "90", refs: ["book:order=A"])
        try scene.quarantine(record)
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty == isQuarantined)
        #expect(outcome.totalsTie)
        let classes = try scene.connection.query(
            "select classes::text from tieout.control_total where pair = 'book-provider'"
        ).map { try $0.text(0) }
        let name = isQuarantined ? "quarantined" : "breaks"
        #expect(classes == ["{\"\(name)\": {\"sum\": \"10\", \"count\": 1}}"])
    }

    @Test("case 28: sums beyond 64 bits are exact", arguments: ["9999999999999999999999.99"])
    func wide(amount: String) throws {
        let scene = try Scene(events: [])
        for order in ["A", "B"] {
            try scene.order(order, amount: amount, currency: "IDR")
            try scene.transaction("T\(order)", charged: amount, currency: "IDR", refs: ["book:order=\(order)"])
        }
        try scene.order("C", amount: "3500000000000", currency: "IDR")
        try scene.transaction("TC", charged: "35000000000", currency: "IDR", refs: ["book:order=C"])
        try expect(scene, difference: "3465000000000", breaks: "3465000000000")
        #expect(try scene.only().facts.contains("factor 100"))
        let sum = try scene.connection.query(
            "select a_sum::text from tieout.control_total where pair = 'book-provider'")
        #expect(try sum.only().text(0) == "20000000003499999999999.98")
    }

    @Test("case 38: 324.71 and 181.51 against 506.22 differ by exactly nothing")
    func exact() throws {
        let scene = try Scene(events: [])
        try scene.order("A", amount: "506.22")
        try scene.transaction("T1", charged: "324.71", refs: ["book:order=A"])
        try scene.transaction("T2", charged: "181.51", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"])
        try expect(scene, difference: "0", breaks: "0")
        try scene.transaction("T2", charged: "181.52", created: "2026-01-10T10:01:00Z", refs: ["book:order=A"])
        try expect(scene, difference: "-0.01", breaks: "-0.01")
    }
}
