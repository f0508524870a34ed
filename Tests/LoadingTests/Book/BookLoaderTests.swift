import Loading
import Payments
import Postgres
import Testing

@Suite("Order books")
struct BookLoaderTests {
    let fixture: FileFixture
    static let header = "order_id,source,status,amount,currency,created_at"
    static let current = "order_id, status, amount) from tieout.book_order order by order_id"

    init() throws { fixture = try FileFixture() }

    private func load(
        _ text: String, _ options: BookOptions = BookOptions(), hours: Int64 = 0, name: String = "orders.csv"
    ) throws -> LoadOutcome {
        let path = try fixture.write(text, to: name)
        return try BookLoader(fixture.context(hours: hours), fixture.connection).load(path: path, options: options)
    }

    @Test("a reference is stored composed, whichever way the book spells it; the order id stays as it came")
    func composedReferences() throws {
        _ = try load("\(Self.header)\nBjo\u{308}rk,meld-live,paid,1,EUR,2026-08-10T12:00:00Z\n")
        #expect(
            try fixture.rows("refs = array['book:order=Bj\u{F6}rk'], octet_length(order_id)) from tieout.book_order")
                == ["t|7"])
    }

    @Test("case 33: one bad row costs one row, and the counters are the database's")
    func badRow() throws {
        let outcome = try load(
            """
            \(Self.header)
            A-1,meld-live,paid,10.00,EUR,2026-08-10T12:00:00Z
            A-2,meld-live,paid,12.3.4,EUR,2026-08-10T12:00:00Z
            A-3,meld-live,paid,30,EUR,2026-08-10T12:00:00Z

            """)
        #expect(outcome.new == 2)
        #expect(outcome.quarantined == 1)
        #expect(outcome.newlyQuarantined == 1)
        #expect(outcome.records == 3)
        #expect(try fixture.rows(Self.current) == ["A-1|paid|10.00", "A-3|paid|30"])
        #expect(
            try fixture.rows("source_id, feed, record_id, place, state, reason) from tieout.quarantine")
                == ["meld-live|book|A-2|orders.csv:3|open|amount: not a number"])
    }

    @Test("every unreadable column is named, with file and line, and no value")
    func reasons() throws {
        let outcome = try load(
            """
            \(Self.header),direction,updated_at
            ,meld-live,paid,10,EUR,2026-08-10T12:00:00Z,,
            A-2,nowhere,paid,-1,EUR,2026-08-10T12:00:00,,
            A-3,meld-live,paid,,EUR,2026-02-29T12:00:00Z,sideways,yesterday
            A-4,meld-live,paid,1e3,EUR,2026-08-10T12:00:00+02:00,,
            A-5,meld-live,paid,1,EUR,2026-08-10T12:00:00Z
            A-6,meld-live,paid,1,EUR,2026-08-10T12:00:00Z,OUT,2026-08-10 14:00:00.1234567+0200
            """)
        #expect(outcome.new == 1)
        #expect(
            try fixture.rows("place, reason) from tieout.quarantine order by place") == [
                "orders.csv:2|order_id: missing",
                "orders.csv:3|source: not configured; amount: negative; created_at: not a time with an offset",
                "orders.csv:4|amount: missing; created_at: not a time with an offset; "
                    + "direction: neither in nor out; updated_at: not a time with an offset",
                "orders.csv:5|amount: not a number",
                "orders.csv:6|fields: 6 where the header has 8",
            ])
        #expect(
            try fixture.rows("order_id, direction, tieout.moment(updated_at)) from tieout.book_order")
                == ["A-6|out|1786363200123456"])
    }

    @Test("a line number is the physical line, whatever line breaks stand inside quotes")
    func physicalLines() throws {
        _ = try load(
            "\(Self.header),note\r\nA-1,meld-live,paid,1,EUR,2026-08-10T12:00:00Z,\"two\r\nlines\"\r\n\r\n"
                + "A-2,meld-live,paid,x,EUR,2026-08-10T12:00:00Z,\r\n")
        #expect(try fixture.rows("place) from tieout.quarantine") == ["orders.csv:5"])
        #expect(try fixture.rows("line_no, extra->>'note') from tieout.book_order") == ["2|two\r\nlines"])
    }

    @Test("case 57: an amount of 0, 0.00 or -0, and finer or empty fields, are no new version")
    func normalised() throws {
        let header = "\(Self.header),segment"
        _ = try load("\(header)\nA-1,meld-live,paid,0,EUR,2026-08-10T12:00:00.123456Z,\n")
        let same = try load(
            "\(header)\nA-1,meld-live,PAID,-0.00,eur,2026-08-10T14:00:00.1234569+02:00,\"\"\n", hours: 1)
        #expect(same.unchanged == 1)
        #expect(try fixture.count("book_order_history") == 0)
        let other = try load("\(header)\nA-1,meld-live,paid,0.01,EUR,2026-08-10T12:00:00.123456Z,\n", hours: 2)
        #expect(other.changed == 1)
        #expect(try fixture.count("book_order_history") == 1)
    }

    @Test("case 28: amounts beyond 32 and 64 bits are exact")
    func bigAmounts() throws {
        _ = try load(
            """
            \(Self.header)
            A-1,meld-live,paid,35000000000.00,IDR,2026-08-10T12:00:00Z
            A-2,meld-live,paid,10000000000000000001.000000000000000001,ETH,2026-08-10T12:00:00Z
            """)
        #expect(
            try fixture.rows("order_id, amount) from tieout.book_order order by 1")
                == ["A-1|35000000000.00", "A-2|10000000000000000001.000000000000000001"])
    }

    @Test("case 35, 36: book amounts are major units with the digits of the file, whatever the currency")
    func majorUnits() throws {
        _ = try load(
            """
            \(Self.header)
            A-1,meld-live,paid,500.00,JPY,2026-08-10T12:00:00Z
            A-2,meld-live,paid,92.000,KWD,2026-08-10T12:00:00Z
            """)
        #expect(
            try fixture.rows("amount, currency) from tieout.book_order order by order_id")
                == ["500.00|JPY", "92.000|KWD"])
    }

    @Test("several versions of one order in one file: the newest is current, the others are history")
    func versionsInOneFile() throws {
        let outcome = try load(
            """
            \(Self.header),updated_at
            A-1,meld-live,paid,1,EUR,2026-08-10T12:00:00Z,2026-08-10T12:02:00Z
            A-1,meld-live,credited,1,EUR,2026-08-10T12:00:00Z,2026-08-10T12:03:00Z
            A-1,meld-live,open,1,EUR,2026-08-10T12:00:00Z,2026-08-10T12:01:00Z
            A-1,meld-live,paid,1,EUR,2026-08-10T12:00:00Z,2026-08-10T12:02:00Z
            """)
        #expect(outcome.new == 1)
        #expect(outcome.late == 2)
        #expect(outcome.duplicates == 1)
        #expect(try fixture.rows("status) from tieout.book_order") == ["credited"])
        #expect(
            try fixture.rows(
                "status, superseded_at = observed_at) from tieout.book_order_history order by version_time")
                == ["open|t", "paid|t"])
    }

    @Test("any order of files gives the same current version, and a file again changes nothing", arguments: 0..<6)
    func anyOrder(seed: Int) throws {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        let statuses = ["open", "paid", "credited"]
        for (hour, index) in orders[seed].enumerated() {
            let row = "A-1,meld-live,\(statuses[index]),1,EUR,2026-08-10T12:00:00Z,2026-08-10T12:0\(index):00Z"
            let text = "\(Self.header),updated_at\n\(row)\n"
            _ = try load(text, hours: Int64(hour), name: "\(index).csv")
            // The same version in other bytes.
            let again = try load(text + "\n", hours: Int64(hour), name: "\(index)-again.csv")
            #expect(again.unchanged == 1)
            let known = try load(text, hours: 9, name: "copy.csv")
            #expect(known.skippedFiles == 1)
        }
        #expect(try fixture.rows("status) from tieout.book_order") == ["credited"])
        #expect(
            try fixture.rows("status) from tieout.book_order_history order by version_time") == ["open", "paid"])
    }

    @Test("rows without updated_at are as old as their export")
    func exportedAt() throws {
        let row = { (status: String) in "\(Self.header)\nA-1,meld-live,\(status),1,EUR,2026-08-10T12:00:00Z\n" }
        let noon = Timestamp("2026-08-10T12:30:00Z")
        let evening = Timestamp("2026-08-10T20:00:00Z")
        _ = try load(row("credited"), BookOptions(exportedAt: evening))
        let late = try load(row("open"), BookOptions(exportedAt: noon), hours: 1)
        #expect(late.late == 1)
        #expect(try fixture.rows("status) from tieout.book_order") == ["credited"])
    }

    @Test("references name the order, and the provider's ids in the provider's name space")
    func references() throws {
        _ = try load(
            """
            \(Self.header),provider_order_id,provider_session_id,provider_transaction_id
            A-1,meld-live,paid,1,EUR,2026-08-10T12:00:00Z,Wo1,null,Wt1
            """)
        #expect(
            try fixture.rows("array_to_string(refs, ' ')) from tieout.book_order")
                == ["book:order=A-1 meld:order=Wo1 meld:transaction=Wt1"])
    }

    @Test("an unknown status is stored as it came and counted, a known one in any letter case is known")
    func unknownStatus() throws {
        let outcome = try load(
            "\(Self.header)\nA-1,meld-live,On Hold,1,EUR,2026-08-10T12:00:00Z\n"
                + "A-2,meld-live,Paid,1,EUR,2026-08-10T12:00:00Z\n")
        #expect(outcome.unknownStatuses == 1)
        #expect(try fixture.rows("status) from tieout.book_order order by order_id") == ["On Hold", "paid"])
    }

    @Test("a readable version of a quarantined order clears it; the bad one again opens it")
    func clearing() throws {
        let good = "\(Self.header)\nA-1,meld-live,paid,1,EUR,2026-08-10T12:00:00Z\n"
        let bad = good.replacing(",1,", with: ",one,")
        _ = try load(bad)
        let cleared = try load(good, hours: 1)
        #expect(cleared.quarantined == 0)
        #expect(try fixture.rows("state, state_changed_by) from tieout.quarantine") == ["cleared|system"])
        let again = try load(bad + "\n", hours: 2)
        #expect(again.quarantined == 1)
        #expect(again.newlyQuarantined == 0)
        #expect(try fixture.rows("state) from tieout.quarantine") == ["open"])
    }

    @Test("a complete file counts the orders it lacks, of its own sources only")
    func complete() throws {
        _ = try load(
            "\(Self.header)\nA-1,meld-live,paid,1,EUR,2026-08-10T12:00:00Z\n"
                + "A-2,meld-live,paid,1,EUR,2026-08-10T12:00:00Z\nB-1,meld-two,paid,1,EUR,2026-08-10T12:00:00Z\n")
        let outcome = try load(
            "\(Self.header)\nA-1,meld-live,paid,1,EUR,2026-08-10T12:00:00Z\n", BookOptions(isComplete: true), hours: 1)
        #expect(outcome.missing == 1)
        #expect(try fixture.count("book_order") == 3)
    }

    @Test("the feed reaches to --covers-until, else to the newest time in the file, never beyond now")
    func feedState() throws {
        let feed = "source_id, tieout.moment(covered_from), tieout.moment(watermark), records) from tieout.feed_state"
        _ = try load("\(Self.header),paid_at\nA-1,meld-live,paid,1,EUR,1970-01-01T00:00:01Z,1970-01-01T00:00:02Z\n")
        #expect(try fixture.rows(feed) == ["meld-live|1000000|2000000|1"])
        let until = Timestamp(seconds: 5)
        _ = try load(
            "\(Self.header)\nA-2,meld-live,paid,1,EUR,1970-01-01T00:00:03Z\n", BookOptions(coversUntil: until), hours: 1
        )
        #expect(try fixture.rows(feed) == ["meld-live|1000000|5000000|2"])
        _ = try load("\(Self.header)\nA-3,meld-live,paid,1,EUR,2099-01-01T00:00:00Z\n", hours: 2)
        #expect(try fixture.rows(feed).first?.contains("|1786413600000000|3") == true)
    }

    @Test("a file of several sources covers each of them as far as its newest row; one that it does not hold stays")
    func severalSources() throws {
        let feed = "source_id, tieout.moment(watermark)) from tieout.feed_state order by source_id"
        _ = try load(
            "\(Self.header)\nA-1,meld-live,paid,1,EUR,1970-01-01T00:00:01Z\nB-1,meld-two,paid,1,EUR,1970-01-01T00:00:03Z\n"
        )
        #expect(try fixture.rows(feed) == ["meld-live|3000000", "meld-two|3000000"])
        _ = try load("\(Self.header)\nA-2,meld-live,paid,1,EUR,1970-01-01T00:00:07Z\n", hours: 1)
        #expect(try fixture.rows(feed) == ["meld-live|7000000", "meld-two|3000000"])
    }
}
