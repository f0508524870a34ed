import Foundation
import Loading
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite("The lock under fire", .serialized, .timeLimit(.minutes(4)))
struct LockUnderFireTests {
    private func nights(_ trouble: String = "") throws -> SimulatedNights {
        let nights = try SimulatedNights(
            misbehaviour: trouble.isEmpty ? Misbehaviour() : Misbehaviour(trouble))
        try nights.arrive(1)
        return nights
    }

    @Test("case 65: of five copies started together one works, and four exit 75 and touch nothing")
    func fiveCopies() async throws {
        let nights = try nights()
        let blocker = try nights.database.connection()
        try blocker.execute("begin")
        try blocker.execute("lock table tieout.break_chain in access exclusive mode")
        let copies = try (0..<5).map { try TieoutProcess.night(nights, later: Int64($0)) }
        try TieoutProcess.wait("four refusals: \(copies.map(\.log))") {
            copies.count { $0.log.contains("another run holds") } == 4
        }
        #expect(try nights.count("run") == 1)
        try blocker.execute("rollback")
        let statuses = try copies.map { try $0.status() }.sorted()
        #expect(statuses.suffix(4) == [75, 75, 75, 75] && [3, 5].contains(statuses[0]), "\(statuses)")
        #expect(try nights.count("run") == 1)
        #expect(
            try nights.database.connection().query("select fence from tieout.job_lock").only().int("fence") == 1)
        #expect(try await nights.disagreement(1) == [])
    }

    @Test("case 65: an unreachable database, one that takes no writes, and a lock that cannot be written: no run")
    func noLock() async throws {
        let nights = try nights()
        let name = nights.database.name
        let server = try TestDatabase.serverConninfo()
        try nights.connect(by: "host=/nonexistent dbname=\(name)")
        let unreachable = await nights.night(1)
        #expect(unreachable.status == .internalFailure && unreachable.errors.contains("cannot be reached"))

        let reader = "tieout_test_reader_" + String(UInt32.random(in: .min ... .max))
        let owner = try nights.database.connection()
        try owner.execute("create role \(reader) login")
        defer {
            _ = try? owner.execute("drop owned by \(reader)")
            _ = try? owner.execute("drop role \(reader)")
        }
        try owner.execute("grant usage on schema tieout, scope to \(reader)")
        try owner.execute("grant select on all tables in schema tieout to \(reader)")
        let words = server.split(separator: " ").filter { !$0.hasPrefix("user=") && !$0.hasPrefix("dbname=") }
        try nights.connect(by: words.joined(separator: " ") + " user=\(reader) dbname=\(name)")
        let refused = await nights.night(1)
        #expect(refused.status == .internalFailure && refused.errors.contains("lock_not_writable"), "\(refused.errors)")
        #expect(refused.errors.contains("job_lock"))
        for table in ["run", "job_lock", "account", "source", "book_order"] {
            #expect(try nights.count(table) == 0, "\(table)")
        }
    }

    @Test("a run that was away while another took its account over stops before it writes: exit 75")
    func leaseLost() async throws {
        let nights = try nights("stall:seconds=4:times=1")
        let night = try TieoutProcess.night(nights)
        let thief = try nights.database.connection()
        try TieoutProcess.wait("the poller") {
            try thief.query(
                "select exists (select from pg_stat_activity where datname = current_database() and application_name = 'tieout meld-sandbox' and state = 'idle') as is_there"
            ).only().bool("is_there")
        }
        try thief.execute("update tieout.job_lock set fence = fence + 1, holder = '{\"host\": \"thief\"}'")
        #expect(try night.status() == 75, "\(night.log)")
        #expect(night.log.contains("lock_lost") || night.log.contains("took this account over"), "\(night.log)")
        #expect(try nights.count("transaction") == 0 && nights.count("break") == 0)
        // Its own record is left to the successor, and so is the lock.
        let left = try thief.query(
            "select r.state, l.holder ->> 'host' as host, l.expires_at > now() as is_held from tieout.run r, tieout.job_lock l"
        ).only()
        #expect(try left.text("state") == "running" && left.text("host") == "thief" && left.bool("is_held"))
        #expect(!FileManager.default.fileExists(atPath: nights.path("reports/demo/nightly/latest")))
    }

    @Test("of two accounts in one job each has its own lock: one is held elsewhere, the other's night is done")
    func twoAccounts() async throws {
        let nights = try nights()
        let file = nights.path("tieout.json5")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let start = try #require(text.range(of: "demo: {"))
        let end = try #require(text.range(of: "\n        },\n", range: start.upperBound..<text.endIndex))
        let block = String(text[start.upperBound..<end.upperBound])
        try text.replacingCharacters(
            in: start.lowerBound..<end.upperBound,
            with: "demo: { id: 1, \(block)        other: { id: 2, \(block)"
        ).write(toFile: file, atomically: true, encoding: .utf8)
        let connection = try nights.database.connection()
        try connection.execute(
            "insert into tieout.job_lock (account_id, fence, holder, expires_at) values (1, 7, '{\"host\": \"elsewhere\"}', now() + interval '1 hour')"
        )
        let first = await nights.night(1)
        #expect(first.status == .tryLater && first.errors.contains("elsewhere"), "\(first.errors)")
        #expect(try connection.query("select account_id from tieout.run").map { try $0.int(0) } == [2])
        try connection.execute("update tieout.job_lock set expires_at = now() where account_id = 1")
        let second = await nights.night(1, later: 60)
        #expect([.breaks, .quarantined].contains(second.status), "\(second.errors)")
        #expect(
            try connection.query("select account_id, fence from tieout.job_lock order by 1")
                .map { try [$0.int(0), $0.int(1)] } == [[1, 8], [2, 2]])
    }
}
