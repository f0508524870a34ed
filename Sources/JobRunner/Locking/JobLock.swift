package import Payments
package import Postgres
import Synchronization

/// The right to load and reconcile for one account: a lease with a fencing number. Every writing transaction checks the
/// number, so a holder that was thought dead cannot write after its successor has begun.
package final class JobLock: Sendable {
    /// Seconds for which a lease holds without a heartbeat.
    package static let leaseSeconds: Int64 = 60
    /// Seconds between heartbeats.
    package static let heartbeatSeconds = 10

    package let account: Int64
    package let fence: Int64
    private let heartbeat: Heartbeat

    /// Why no lock was got.
    package enum Refusal: Error, Hashable, Sendable {
        /// Another run holds it; `holder` says where, as far as is known.
        case held(holder: String)
    }

    private init(account: Int64, fence: Int64, heartbeat: Heartbeat) {
        self.account = account
        self.fence = fence
        self.heartbeat = heartbeat
    }

    /// Takes the lock or says who has it. Waits no longer than half a second for another starter. Where the lock cannot be
    /// written there is no run.
    package static func take(account: Int64, on connection: Connection, conninfo: Secret, sql: SQLLibrary) throws
        -> JobLock
    {
        let me = LockHolder.current()
        var dead: String?
        let held = try connection.query(
            "select holder::text as holder from tieout.job_lock where account_id = $1", [.int(account)])
        if let row = held.first {
            let text = try row.text("holder")
            if let holder = LockHolder(json: text), holder.isDead(seenFrom: me) { dead = text }
        }
        let statement = try sql.text("SQL/jobs/take_lock.sql")
        let fence: Int64? = try {
            do {
                return try connection.transaction { connection in
                    try connection.execute("set local lock_timeout = '500ms'")
                    let rows = try connection.query(
                        statement, [.int(account), .json(me.json), .int(leaseSeconds), dead.map { .json($0) } ?? .null])
                    return try rows.first?.int("fence")
                }
            } catch let error as PostgresError where error.sqlState == "55P03" {
                return nil
            } catch let error as PostgresError where ["42501", "25006"].contains(error.sqlState) {
                throw OperatorError(
                    "lock_not_writable", "the lock cannot be taken: \(error); nothing was touched",
                    advice: error.sqlState == "25006"
                        ? "`database` names a server that takes no writes: name the primary"
                        : "this login needs to write `tieout.job_lock` and the other tables of schema tieout",
                    status: .internalFailure)
            }
        }()
        guard let fence else {
            let holder = try connection.query(
                "select concat_ws(', process ', holder->>'host', holder->>'pid') as place from tieout.job_lock where account_id = $1",
                [.int(account)]
            ).first?.optionalText("place")
            throw Refusal.held(holder: holder ?? "unknown")
        }
        return JobLock(
            account: account, fence: fence, heartbeat: Heartbeat(account: account, fence: fence, conninfo: conninfo))
    }

    /// Gives the lock back, so that the next starter need not wait for the lease to run out.
    package func release(on connection: Connection) throws {
        heartbeat.stop()
        try connection.execute(
            "update tieout.job_lock set expires_at = now() where account_id = $1 and fence = $2",
            [.int(account), .int(fence)])
    }

    /// Stops the heartbeat without giving the lock back.
    package func abandon() { heartbeat.stop() }
}
