import HTTP
import Loading
import Payments
import Postgres
import Providers

extension CheckCommand {
    /// Seconds between the provider's clock and this machine's that nobody need look after.
    private static let clockTolerance: Int64 = 120
    /// Seconds after the end of a job's last run from which on its timer is doubted: a night and two hours.
    private static let patience: Int64 = 26 * 3600
    /// Unknown fields that are named; the others are counted.
    private static let named = 5

    /// Behind a pooler the process that answers is not the one that the connection was promised.
    mutating func checkPooler(_ connection: Connection) throws {
        let answering = try connection.query("select pg_backend_pid() as process").only().int("process")
        if Int(answering) != connection.claimedProcess {
            lineUp(true, "pooler: there is one before the database; nothing here needs a session of its own")
        }
    }

    /// Signatures, windows and due times rest on clocks that agree.
    mutating func checkClock(_ answer: HTTPResponse, _ source: PreparedSource) {
        let now = workspace.machineClock()
        guard let theirs = answer.date(near: now) else { return }
        let ahead = (theirs.microseconds - now.microseconds) / 1_000_000
        if abs(ahead) <= Self.clockTolerance { return }
        lineUp(
            false,
            "source \(source.name): its clock is \(abs(ahead)) s \(ahead > 0 ? "ahead of" : "behind") this machine's",
            "set this machine's clock (NTP); if it is right, tell the provider")
    }

    /// Records of an older reading, and fields that nobody modelled.
    mutating func checkStanding(of source: PreparedSource, _ account: AccountConfiguration) throws {
        let connection = try workspace.connection()
        let sql = try workspace.sql()
        if try source.isBehind(on: connection, account: account.id, sql: sql) {
            lineUp(
                true,
                "source \(source.name): its status map or mapping has changed; the next run reads the kept bytes again")
        }
        let unread = try source.provider.resources.reduce(0) { sum, resource in
            let state = try DecodingState(
                on: connection, account: account.id, sql: sql, source: source.name, kind: .resource(resource.name))
            return sum + state.unread
        }
        if unread > 0 {
            lineUp(
                true,
                "source \(source.name): \(unread) records keep an older reading, since their bytes are gone; runs read them again by id"
            )
        }
        var fields: [String] = []
        for row in try connection.query(sql.text("SQL/jobs/unknown_fields.sql"), [.int(account.id)])
        where try row.text("source_id") == source.name {
            fields.append("\(try row.text("path")) (\(try row.int("rows_seen")) rows)")
        }
        if !fields.isEmpty {
            let more = fields.count > Self.named ? ", and \(fields.count - Self.named) more" : ""
            lineUp(
                true,
                "source \(source.name): \(fields.count) fields that nobody modelled: "
                    + fields.prefix(Self.named).joined(separator: ", ") + more)
        }
    }

    /// When each job came to its end last, and what waits in quarantine.
    mutating func checkStanding(of account: AccountConfiguration) throws {
        let connection = try workspace.connection()
        let now = workspace.machineClock()
        for row in try connection.query(
            try workspace.sql().text("SQL/jobs/last_runs.sql"), [.int(account.id)])
        {
            let job = try row.text("job")
            guard let finished = try row.optionalTimestamp("finished_at") else {
                lineUp(true, "job \(job) of \(account.name): has not come to its end yet")
                continue
            }
            let hours = (now.microseconds - finished.microseconds) / 3_600_000_000
            let text = "job \(job) of \(account.name): last came to its end at \(finished.wholeSeconds)"
            if now.microseconds - finished.microseconds <= Self.patience * 1_000_000 {
                lineUp(true, text)
            } else {
                lineUp(
                    false, text + ", \(hours) hours ago",
                    "is its timer on? `systemctl list-timers 'tieout@*'`, or look into the crontab")
            }
        }
        var filter = QuarantineList.Filter()
        filter.limit = 100_000
        let waiting = try QuarantineCommands.entries(workspace, account).entries(filter).count
        if waiting > 0 {
            lineUp(true, "quarantine of \(account.name): \(waiting) records wait; `tieout quarantine list` shows them")
        }
    }
}
