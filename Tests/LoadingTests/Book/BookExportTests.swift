import Loading
import Payments
import Testing

@Suite("Exports of one book after another")
struct BookExportTests {
    let fixture: FileFixture
    static let header = "order_id,source,status,amount,currency,created_at"
    static let absent = "order_id) from tieout.book_absence where returned_at is null order by order_id"

    init() throws { fixture = try FileFixture() }

    private func load(
        _ rows: [String], exported: String, isComplete: Bool = false, hours: Int64, name: String = "orders.csv"
    ) throws -> LoadOutcome {
        let lines = rows.map { "\($0),1,EUR,2026-08-01T12:00:00Z" }
        let path = try fixture.write(([Self.header] + lines).joined(separator: "\n"), to: name)
        let options = BookOptions(exportedAt: Timestamp(exported), isComplete: isComplete)
        return try BookLoader(fixture.context(hours: hours), fixture.connection).load(path: path, options: options)
    }

    @Test("books X, Y and X again, each exported later: the bytes are known, the statement is new")
    func backAndForth() throws {
        let days = ["2026-08-08T00:00:00Z", "2026-08-09T00:00:00Z", "2026-08-10T00:00:00Z"]
        for (hour, status) in ["open", "paid", "open"].enumerated() {
            _ = try load(["A-1,meld-live,\(status)"], exported: days[hour], hours: Int64(hour))
        }
        #expect(try fixture.rows("status) from tieout.book_order") == ["open"])
        #expect(
            try fixture.rows("status) from tieout.book_order_history order by superseded_at") == ["open", "paid"])
        // Twin: the same export again is no news.
        let again = try load(["A-1,meld-live,open"], exported: days[2], hours: 5)
        #expect(again.skippedFiles == 1)
        #expect(try load(["A-1,meld-live,paid"], exported: days[0], hours: 6).skippedFiles == 1)
        #expect(try fixture.rows("status) from tieout.book_order") == ["open"])
    }

    @Test("an older complete export that comes late makes nothing absent; nor does an order made after it")
    func lateExport() throws {
        _ = try load(["A-1,meld-live,paid", "A-2,meld-live,paid"], exported: "2026-08-05T00:00:00Z", hours: 0)
        _ = try load(
            ["A-1,meld-live,paid", "A-2,meld-live,paid", "A-3,meld-live,paid"], exported: "2026-08-09T00:00:00Z",
            isComplete: true, hours: 1)
        let late = try load(["A-1,meld-live,paid"], exported: "2026-08-07T00:00:00Z", isComplete: true, hours: 2)
        #expect(late.missing == 0)
        #expect(try fixture.rows(Self.absent).isEmpty)
        // Twin: the next export lacks it for good.
        let next = try load(["A-1,meld-live,paid"], exported: "2026-08-10T00:00:00Z", isComplete: true, hours: 3)
        #expect(next.missing == 2)
        #expect(try fixture.rows(Self.absent) == ["A-2", "A-3"])
        // A book of before that shows it proves nothing, a later one does.
        _ = try load(["A-2,meld-live,open"], exported: "2026-08-06T00:00:00Z", hours: 4)
        #expect(try fixture.rows(Self.absent) == ["A-2", "A-3"])
        _ = try load(["A-2,meld-live,paid"], exported: "2026-08-11T00:00:00Z", hours: 5)
        #expect(try fixture.rows(Self.absent) == ["A-3"])
    }

    @Test("a row that cannot be read lists its order; orders of other sources are not looked for")
    func listedButBad() throws {
        _ = try load(
            ["A-1,meld-live,paid", "A-2,meld-live,paid", "B-1,meld-two,paid"], exported: "2026-08-05T00:00:00Z",
            hours: 0)
        let path = try fixture.write(
            "\(Self.header)\nA-1,meld-live,paid,1,EUR,2026-08-01T12:00:00Z\nA-2,meld-live,paid,x,EUR,2026-08-01T12:00:00Z\n",
            to: "bad.csv")
        let outcome = try BookLoader(fixture.context(hours: 1), fixture.connection).load(
            path: path, options: BookOptions(isComplete: true))
        #expect(outcome.quarantined == 1 && outcome.missing == 0)
    }
}
