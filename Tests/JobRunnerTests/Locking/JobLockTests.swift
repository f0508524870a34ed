import Loading
import Payments
import Postgres
import TestSupport
import Testing

@testable import JobRunner

@Suite("Lock")
struct JobLockTests {
    private func fixture() throws -> (TestDatabase, Connection) {
        let database = try TestDatabase.make()
        let connection = try database.connection()
        try connection.execute("insert into tieout.account (account_id, name) values (1, 'acme')")
        return (database, connection)
    }

    private func take(_ database: TestDatabase, _ connection: Connection) throws -> JobLock {
        try JobLock.take(
            account: 1, on: connection, conninfo: Secret(database.conninfo), sql: SQLLibrary(root: Checkout.root))
    }

    @Test("one holder at a time; who comes second touches nothing")
    func exclusive() throws {
        let (database, connection) = try fixture()
        let first = try take(database, connection)
        let other = try database.connection()
        #expect(throws: JobLock.Refusal.self) { try take(database, other) }
        let fence = try connection.query("select fence from tieout.job_lock").only().int("fence")
        #expect(fence == first.fence)
        try first.release(on: connection)
        let second = try take(database, other)
        #expect(second.fence == first.fence + 1)
        try second.release(on: other)
    }

    @Test("a holder that died on this host is taken over at once")
    func deadHolder() throws {
        let (database, connection) = try fixture()
        let me = LockHolder.current()
        let dead = LockHolder(
            bootID: me.bootID, processNamespace: me.processNamespace, process: me.process, startTicks: "1",
            host: me.host)
        try plant(dead, on: connection)
        let lock = try take(database, connection)
        #expect(lock.fence == 6)
        try lock.release(on: connection)
    }

    @Test("a holder on another host, or alive, keeps it until its lease runs out")
    func livingHolder() throws {
        let (database, connection) = try fixture()
        let me = LockHolder.current()
        try plant(
            LockHolder(
                bootID: "elsewhere", processNamespace: me.processNamespace, process: 1, startTicks: "1", host: "b"),
            on: connection)
        #expect(throws: JobLock.Refusal.self) { try take(database, connection) }
        try connection.execute("update tieout.job_lock set expires_at = now() - interval '1 second'")
        let lock = try take(database, connection)
        #expect(lock.fence == 6)
        try lock.release(on: connection)
    }

    @Test("whoever lost the lock cannot write any more")
    func fenced() throws {
        let (database, connection) = try fixture()
        let lock = try take(database, connection)
        let fence = Fence(account: 1, number: lock.fence)
        try connection.transaction { try fence.check(on: $0) }
        try connection.execute("update tieout.job_lock set fence = fence + 1")
        #expect(throws: Fence.Lost.self) { try connection.transaction { try fence.check(on: $0) } }
        lock.abandon()
    }

    @Test("a holder is read back as it was written, and nothing else is")
    func holderText() {
        let me = LockHolder.current()
        #expect(LockHolder(json: me.json) == me)
        #expect(!me.isDead(seenFrom: me))
        #expect(LockHolder(json: "{}") == nil)
    }

    private func plant(_ holder: LockHolder, on connection: Connection) throws {
        try connection.execute(
            "insert into tieout.job_lock (account_id, fence, holder, expires_at) values (1, 5, $1, now() + interval '1 hour')",
            [.json(holder.json)])
    }
}
