import Loading
import Payments
import Postgres
import TestSupport
import Testing

@Suite("Order books from the merchant's own database")
struct BookQueryTests {
    let fixture: FileFixture
    static let current = "order_id, status, amount) from tieout.book_order order by order_id"

    init() throws {
        fixture = try FileFixture()
        try fixture.connection.script(
            "create schema shop; create table shop.orders (order_id text, source text, status text, amount numeric, "
                + "currency text, created_at timestamptz, updated_at timestamptz, note text)")
        try put("A-1", "paid")
        try put("A-2", "open")
    }

    private func put(_ id: String, _ status: String, day: Int = 10) throws {
        try fixture.connection.execute("delete from shop.orders where order_id = $1", [.text(id)])
        try fixture.connection.execute(
            "insert into shop.orders values ($1, 'meld-live', $2, 10.50, 'EUR', '2026-08-09T12:00:00Z', $3, 'say \"a,b\"')",
            [.text(id), .text(status), .timestamp(Timestamp("2026-08-\(day)T12:00:00Z"))])
    }

    private func load(
        _ text: String = "select * from shop.orders", watermark: String? = nil, isComplete: Bool = false,
        hours: Int64 = 0
    ) throws -> LoadOutcome {
        let query = MerchantQuery(
            name: "orders query", text: text, connection: Secret(fixture.database.conninfo), watermark: watermark,
            lookBack: 3600, isComplete: isComplete)
        return try BookLoader(fixture.context(hours: hours), fixture.connection).load(query)
    }

    @Test("rows are typed as those of a file are; read again nothing changes, and the feed reaches to the snapshot")
    func reading() throws {
        #expect(try load().new == 2)
        #expect(try fixture.rows(Self.current) == ["A-1|paid|10.50", "A-2|open|10.50"])
        #expect(try fixture.rows("extra ->> 'note') from tieout.book_order limit 1") == ["say \"a,b\""])
        let again = try load(hours: 3)
        #expect(again.unchanged == 2 && again.new == 0)
        #expect(try fixture.count("book_order_history") == 0)
        let feed = try fixture.connection.query("select watermark from tieout.feed_state").only()
        #expect(try feed.timestamp(0) == FileFixture.start.adding(seconds: 3 * 3600))
    }

    @Test("by a watermark only rows changed since are read; an empty answer moves the feed all the same")
    func watermark() throws {
        #expect(try load(watermark: "updated_at").records == 2)
        try put("A-2", "credited", day: 12)
        let next = try load(watermark: "updated_at", hours: 1)
        #expect(next.changed == 1)
        try fixture.connection.execute("delete from shop.orders")
        #expect(try load(watermark: "updated_at", hours: 2).records == 0)
        let feed = try fixture.connection.query("select watermark from tieout.feed_state").only()
        #expect(try feed.timestamp(0) == FileFixture.start.adding(seconds: 2 * 3600))
        #expect(try fixture.rows(Self.current) == ["A-1|paid|10.50", "A-2|credited|10.50"])
    }

    @Test("a missing column, a bad row and a refused statement are named")
    func faults() throws {
        func message(_ text: String) throws -> String {
            do {
                _ = try load(text)
                return "loaded"
            } catch let fault as LoadFault {
                return fault.message
            }
        }
        #expect(
            try message("select order_id, source, status, amount, created_at from shop.orders")
                == "orders query: the header has no column currency")
        #expect(try message("select * from shop.none").hasPrefix("orders query: relation"))
        #expect(try fixture.count("book_order") == 0)
        try fixture.connection.execute("update shop.orders set amount = -1 where order_id = 'A-2'")
        let outcome = try load()
        #expect(outcome.new == 1 && outcome.quarantined == 1)
        #expect(try fixture.rows("place, reason) from tieout.quarantine") == ["orders query:3|amount: negative"])
    }

    @Test("an order that a complete reading lacks is noted as absent, and no more once it is there again")
    func absence() throws {
        _ = try load(isComplete: true)
        try fixture.connection.execute("delete from shop.orders where order_id = 'A-2'")
        #expect(try load(isComplete: true, hours: 1).missing == 1)
        let spells = "order_id, returned_at is null) from tieout.book_absence order by observed_at"
        #expect(try fixture.rows(spells) == ["A-2|t"])
        // Still missing: one spell, not two.
        #expect(try load(isComplete: true, hours: 2).missing == 0)
        try put("A-2", "open")
        _ = try load(isComplete: true, hours: 3)
        #expect(try fixture.rows(spells) == ["A-2|f"])
        try fixture.connection.execute("delete from shop.orders where order_id = 'A-2'")
        _ = try load(isComplete: true, hours: 4)
        #expect(try fixture.rows(spells) == ["A-2|f", "A-2|t"])
        #expect(try fixture.rows(Self.current).count == 2)
    }

    @Test("twin: a reading that is not complete says nothing about what it lacks")
    func noAbsence() throws {
        _ = try load()
        try fixture.connection.execute("delete from shop.orders where order_id = 'A-2'")
        #expect(try load(hours: 1).missing == 0)
        #expect(try fixture.count("book_absence") == 0)
    }
}
