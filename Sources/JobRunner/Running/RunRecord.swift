import Foundation
import Loading
import Payments
import Postgres

/// The row of `tieout.run` that every written row points to.
struct RunRecord {
    let account: Int64
    let run: Int64
    let sql: SQLLibrary

    /// Moves the account's ledger time to `moment` and opens a run; a moment that is not after the last one is refused,
    /// since what was known then could no longer be told apart.
    static func start(
        account: AccountConfiguration, job: String, moment: Timestamp, machine: Timestamp, fence: Int64,
        on connection: Connection, sql: SQLLibrary
    ) throws -> RunRecord {
        try connection.transaction { connection in
            try Fence(account: account.id, number: fence).check(on: connection)
            let moved = try connection.query(
                sql.text("SQL/jobs/advance_ledger.sql"), [.int(account.id), .timestamp(moment)])
            guard !moved.isEmpty else {
                let last = try connection.query(
                    "select last_ledger_time from tieout.account where account_id = $1", [.int(account.id)]
                ).only().timestamp("last_ledger_time")
                throw OperatorError(
                    "ledger_time",
                    "ledger time \(moment) is not after \(last), the last that account '\(account.name)' saw",
                    advice: "give a later --now, or none", status: .usage)
            }
            // A run that was killed is over: its successor says so.
            try connection.execute(
                "update tieout.run set state = 'interrupted' where account_id = $1 and state = 'running'",
                [.int(account.id)])
            let run = try connection.query(
                sql.text("SQL/jobs/start_run.sql"),
                [
                    .int(account.id), .text(job), .timestamp(moment), .timestamp(machine),
                    .text(ProcessInfo.processInfo.hostName),
                ]
            ).only().int("run_id")
            return RunRecord(account: account.id, run: run, sql: sql)
        }
    }

    /// Notes the knowledge cut and the period, before anything is judged.
    func set(asOf: Timestamp, period: Window, fence: Int64, on connection: Connection) throws {
        try connection.transaction { connection in
            try Fence(account: account, number: fence).check(on: connection)
            try connection.execute(
                "update tieout.run set as_of = $3, period_from = $4, period_to = $5 where account_id = $1 and run_id = $2",
                [.int(account), .int(run), .timestamp(asOf), .timestamp(period.start), .timestamp(period.end)])
            // The cut is ledger time too: the next run must lie after it.
            try connection.execute(
                "update tieout.account set last_ledger_time = greatest(last_ledger_time, $2) where account_id = $1",
                [.int(account), .timestamp(asOf)])
        }
    }

    /// Adds members to the run's summary.
    func note(_ summary: String, fence: Fence, on connection: Connection) throws {
        try connection.transaction { connection in
            try fence.check(on: connection)
            try connection.execute(
                "update tieout.run set summary = summary || $3::jsonb where account_id = $1 and run_id = $2",
                [.int(account), .int(run), .json(summary)])
        }
    }

    /// Closes the run with everything that applied.
    func finish(
        state: String, status: ExitStatus, conditions: [ExitStatus], summary: String, machine: Timestamp,
        on connection: Connection
    ) throws {
        try connection.execute(
            sql.text("SQL/jobs/finish_run.sql"),
            [
                .int(account), .int(run), .text(state), .int(Int64(status.rawValue)),
                .textArray(conditions.sorted(by: >).map(\.condition)), .timestamp(machine), .json(summary),
            ])
    }
}
