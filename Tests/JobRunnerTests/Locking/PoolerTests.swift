import Foundation
import Loading
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite(
    "Behind a pooler in transaction mode", .serialized, .timeLimit(.minutes(4)),
    .enabled(if: Pooler.program != nil, "pgbouncer is not installed: `make setup` installs it"))
struct PoolerTests {
    @Test("a whole night, its lock and a retry leave the truth, and nothing of a session")
    func night() async throws {
        let pooler = try Pooler()
        let nights = try SimulatedNights()
        try nights.connect(by: pooler.conninfo(nights.database.name))
        try nights.arrive(1)
        let first = await nights.night(1)
        #expect([.breaks, .quarantined].contains(first.status), "\(first.errors)")
        #expect(try await nights.disagreement(1) == [])
        try nights.arrive(2)
        let second = await nights.night(2)
        #expect(second.status == .breaks, "\(second.errors)")
        #expect(try await nights.disagreement(2) == [])
        let verified = await nights.tieout(["breaks", "verify"])
        #expect(verified.status == .done)
        let retried = await nights.tieout(
            ["quarantine", "retry", "--now", nights.shape.night(2).adding(seconds: 60).description])
        #expect(retried.status == .quarantined, "\(retried.errors)")
        let migrated = await nights.tieout(["db", "migrate"])
        #expect(migrated.status == .done, "\(migrated.errors)")
    }

    @Test("the lock has one holder, is beaten for on a connection of its own, and is fenced")
    func lock() throws {
        let pooler = try Pooler()
        let database = try TestDatabase.make()
        let conninfo = pooler.conninfo(database.name)
        func connect() throws -> Connection { try Connection(conninfo, applicationName: "tieout") }
        let connections = [try connect(), try connect()]
        func take(_ connection: Connection) throws -> JobLock {
            try JobLock.take(
                account: 1, on: connection, conninfo: Secret(conninfo), sql: SQLLibrary(root: Checkout.root))
        }
        let lock = try take(connections[0])
        #expect(throws: JobLock.Refusal.self) { try take(connections[1]) }
        let fence = Fence(account: 1, number: lock.fence)
        try connections[0].transaction { try fence.check(on: $0) }
        try database.connection().execute("update tieout.job_lock set fence = fence + 1")
        #expect(throws: Fence.Lost.self) { try connections[0].transaction { try fence.check(on: $0) } }
        lock.abandon()
        // Four more than there are sessions: nobody keeps one between two transactions.
        let more = try (0..<7).map { _ in try connect() }
        for connection in more { #expect(try connection.query("select 1 as one").only().int("one") == 1) }
    }
}

extension SimulatedNights {
    /// From now on the program reaches its database by `conninfo`.
    func connect(by conninfo: String) throws {
        try conninfo.write(toFile: path("secrets/database"), atomically: false, encoding: .utf8)
    }
}
