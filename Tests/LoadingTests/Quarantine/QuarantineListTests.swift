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

    @Test("open rows are listed by feed and source; a dropped one stays dropped when it is met again")
    func drop() throws {
        let text = "\(Self.header)\nA-1,meld-live,paid,x,EUR,2026-08-10T12:00:00Z\n"
        let loader = BookLoader(fixture.context(), fixture.connection)
        _ = try loader.load(path: try fixture.write(text))
        let list = QuarantineList(
            connection: fixture.connection, account: 1, sql: SQLLibrary(root: Checkout.root))
        let entries = try list.entries(feed: .book, source: "meld-live")
        #expect(entries.map(\.recordID) == ["A-1"])
        #expect(entries.map(\.references) == [["book:order=A-1"]])
        #expect(try list.entries(feed: .webhook).isEmpty)
        let id = try #require(entries.first?.id)
        #expect(id.count == 13)
        #expect(try list.drop(id, actor: "anna", at: FileFixture.start))
        #expect(try !list.drop(id, actor: "anna", at: FileFixture.start))
        _ = try loader.load(path: try fixture.write(text + "\n"))
        #expect(try list.entries().isEmpty)
        #expect(try list.entries(state: "dropped").map(\.id) == [id])
    }
}
