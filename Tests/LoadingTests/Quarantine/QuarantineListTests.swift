import Loading
import Payments
import Postgres
import TestSupport
import Testing

@Suite("Quarantine of files")
struct QuarantineListTests {
    let fixture: FileFixture
    static let header = "order_id,source,status,amount,currency,created_at"

    init() throws { fixture = try FileFixture() }

    static func filter(_ change: (inout QuarantineList.Filter) -> Void) -> QuarantineList.Filter {
        var filter = QuarantineList.Filter()
        change(&filter)
        return filter
    }

    @Test("open rows are listed by feed and source; a dropped one stays dropped when it is met again")
    func drop() throws {
        let text = "\(Self.header)\nA-1,meld-live,paid,x,EUR,2026-08-10T12:00:00Z\n"
        let loader = BookLoader(fixture.context(), fixture.connection)
        _ = try loader.load(path: try fixture.write(text))
        let list = QuarantineList(
            connection: fixture.connection, account: 1, sql: SQLLibrary(root: Checkout.root))
        let entries = try list.entries(
            Self.filter {
                $0.feed = .book; $0.source = "meld-live"
            })
        #expect(entries.map(\.recordID) == ["A-1"])
        #expect(entries.map(\.references) == [["book:order=A-1"]])
        #expect(try list.entries(Self.filter { $0.feed = .webhook }).isEmpty)
        let id = try #require(entries.first?.id)
        #expect(id.count == 13)
        #expect(try list.drop(id, reason: "a test order", actor: "anna", at: FileFixture.start))
        #expect(try !list.drop(id, reason: "a test order", actor: "anna", at: FileFixture.start))
        #expect(try list.events(id).map(\.reason) == ["a test order"])
        _ = try loader.load(path: try fixture.write(text + "\n"))
        #expect(try list.entries().isEmpty)
        #expect(try list.entries(Self.filter { $0.state = "dropped" }).map(\.id) == [id])
    }
}
