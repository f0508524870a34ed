import Loading
import Payments
import Postgres
import Testing

@Suite("Settlement files that come again")
struct CorrectedFileTests {
    let fixture: SettlementFixture
    init() throws { fixture = try SettlementFixture() }

    private func file(_ ids: String..., gross: String = "10") -> String {
        ([CanonicalFileTests.header] + ids.map { "\($0),,\($0),charge,\(gross),,,,,EUR,,,,2026-08-07," })
            .joined(separator: "\n") + "\n"
    }

    private func current() throws -> [String] {
        try fixture.files.rows("line_id) from tieout.settlement_line order by line_id")
    }

    @Test("files of one base name in two folders are two files, and each is corrected by its own next version")
    func folders() throws {
        try fixture.load(file("S-1", "S-2"), as: .known("july/report.csv"))
        #expect(try fixture.load(file("S-3", "S-4"), as: .known("august/report.csv"), hours: 1).superseded == 0)
        #expect(try current() == ["S-1", "S-2", "S-3", "S-4"])
        #expect(try fixture.load(file("S-3"), as: .known("august/report.csv"), hours: 2).superseded == 1)
        #expect(try current() == ["S-1", "S-2", "S-3"])
    }

    @Test("what comes on standard input is no version of what came there before")
    func standardInput() throws {
        try fixture.load(file("S-1", "S-2"), as: .some(.none))
        #expect(try fixture.load(file("S-2", "S-3"), as: .some(.none), hours: 1).superseded == 0)
        #expect(try current() == ["S-1", "S-2", "S-3"])
        #expect(try fixture.files.count("settlement_listing") == 0)
    }

    @Test("a file named outright corrects what it shares a record with, and is no version of a stranger of its name")
    func assumed() throws {
        try fixture.load(file("S-1", "S-2"), as: .known("report.csv"))
        #expect(try fixture.load(file("S-7", "S-8"), as: .assumed("report.csv"), hours: 1).superseded == 0)
        #expect(try current() == ["S-1", "S-2", "S-7", "S-8"])
        #expect(try fixture.load(file("S-1"), as: .assumed("report.csv"), hours: 2).superseded == 1)
        #expect(try current() == ["S-1", "S-7", "S-8"])
    }

    @Test("a version with a row that cannot be read shows nothing to be gone; read whole, it does")
    func broken() throws {
        try fixture.load(file("S-1", "S-2", "S-3"))
        let damaged = file("S-1") + "S-2,,S-2,charge,ten,,,,,EUR,,,,2026-08-07,\n"
        let outcome = try fixture.load(damaged, hours: 1)
        #expect(outcome.quarantined == 1 && outcome.superseded == 0)
        #expect(try current() == ["S-1", "S-2", "S-3"])
        #expect(try fixture.load(file("S-1", "S-2"), hours: 2).superseded == 1)
        #expect(try current() == ["S-1", "S-2"])
    }

    @Test("what only an older version lists is not held by it when the file that brought it drops it")
    func older() throws {
        var newer = SettlementOptions(source: "dlocal-live")
        newer.exportedAt = Timestamp("2026-08-10T12:00:00Z")
        var older = newer
        older.exportedAt = Timestamp("2026-08-09T12:00:00Z")
        try fixture.load(file("S-1"), name: "monday.csv", newer)
        #expect(try fixture.load(file("S-1", "S-2"), name: "monday.csv", hours: 1, older).late == 1)
        try fixture.load(file("S-2", "S-3"), name: "tuesday.csv", hours: 2)
        #expect(try fixture.load(file("S-3"), name: "tuesday.csv", hours: 3).superseded == 1)
        #expect(try current() == ["S-1", "S-3"])
    }

    @Test("a file that two sources share is read again as of the moment at which each had it")
    func moments() throws {
        let text = file("S-1")
        try fixture.load(text)
        try fixture.load(text, hours: 5, SettlementOptions(source: "late"))
        try fixture.connection.script(
            "insert into tieout.source (account_id, source_id, provider, environment) values (1, 'late', 'dlocal', 'live')"
        )
        let path = try fixture.files.write(text, to: "report.csv")
        let context = fixture.files.context(hours: 9)
        let list = QuarantineList(connection: fixture.connection, account: 1, sql: context.sql)
        let outcome = try FileRetry(context, fixture.connection, feed: .settlement, source: "late")
            .run(try list.entries(), paths: [path], stop: StopFlag()) { path, moment in
                #expect(moment == FileFixture.start.adding(seconds: 5 * 3600))
                _ = try SettlementLoader(context, fixture.connection)
                    .load(path: path, options: SettlementOptions(source: "late", exportedAt: moment), again: true)
            }
        #expect(outcome.reasons.isEmpty)
        #expect(try list.entries().isEmpty)
    }
}
