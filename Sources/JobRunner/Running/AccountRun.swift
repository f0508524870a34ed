import Foundation
import JSON
import Loading
import Payments
import Postgres
import Providers
import Reporting

/// One account's part of a job: lock, run record, steps, exit status.
final class AccountRun {
    let workspace: Workspace
    let job: JobDefinition
    private let session: JobSession
    let inputs: JobSession.Inputs?
    let account: AccountConfiguration
    let clock: LedgerClock
    let sql: SQLLibrary
    /// Every condition that applied so far.
    var conditions: Set<ExitStatus> = []
    /// Transactions to be read again from the provider, by source: their own bytes are gone.
    private(set) var bytesGone: [String: [String]] = [:]
    /// Options that rows have proven.
    private var learned = LearnedOptions()

    init(session: JobSession, account: AccountConfiguration, clock: LedgerClock) throws {
        workspace = session.workspace
        job = session.job
        self.session = session
        inputs = session.inputs
        self.account = account
        self.clock = clock
        sql = try session.workspace.sql()
    }

    func log(_ level: LogLine.Level, _ event: String, _ fields: [(String, String)] = []) {
        workspace.logger.log(LogLine(level, event, fields))
    }

    /// Runs the job's steps under the account's lock. Before it is held nothing is written.
    func run() async throws -> ExitStatus {
        let connection = try workspace.connection()
        learned = try LearnedOptions(account, on: connection, sql: sql)
        let sources = try SourceSet(account: account, root: try workspace.installation().root, learned: learned)
        let lock = try JobLock.take(account: account.id, on: connection, conninfo: try workspace.conninfo(), sql: sql)
        do {
            try register(sources, lock, on: connection)
            let status = try await run(sources, lock: lock, on: connection)
            try lock.release(on: connection)
            return status
        } catch {
            // The error that stopped the run matters more than a lease that runs out by itself.
            do { try lock.release(on: try workspace.connection()) } catch { lock.abandon() }
            throw OperatorError.duringRun(error)
        }
    }

    private func run(_ sources: SourceSet, lock: JobLock, on connection: Connection) async throws -> ExitStatus {
        let start = clock.now()
        let record = try RunRecord.start(
            account: account, job: job.name, moment: start, machine: workspace.machineClock(), fence: lock.fence,
            on: connection, sql: sql)
        workspace.logger.enter(account: account.name, run: record.run)
        log(.info, "run started", [("job", job.name), ("ledger_time", start.description)])
        do {
            let status = try await steps(record, sources, lock, on: connection, start: start)
            log(
                status == .done ? .info : .warning, "run finished",
                [
                    ("status", String(status.rawValue)),
                    ("conditions", conditions.sorted(by: >).map(\.condition).joined(separator: " ")),
                ])
            return status
        } catch {
            let known = OperatorError.duringRun(error)
            conditions.insert(known.status)
            close(record, as: known.status, lock)
            throw error
        }
    }

    /// Notes how a run ended that did not come to its end; on a new connection where the old one is gone. Where even that
    /// fails its successor notes it.
    private func close(_ record: RunRecord, as status: ExitStatus, _ lock: JobLock) {
        let fence = Fence(account: account.id, number: lock.fence)
        // A statement may be hit by a request to cancel the one before it.
        for _ in 0..<2 {
            do {
                try workspace.connection().transaction { connection in
                    try fence.check(on: connection)
                    try record.finish(
                        state: status == .tryLater ? "interrupted" : "failed", status: status,
                        conditions: Array(conditions), summary: "{}", machine: workspace.machineClock(),
                        on: connection)
                }
                return
            } catch let fault as PostgresError where fault.kind == .cancelled {
                continue
            } catch {
                return
            }
        }
    }

    private func steps(
        _ record: RunRecord, _ sources: SourceSet, _ lock: JobLock, on connection: Connection, start: Timestamp
    ) async throws -> ExitStatus {
        let logger = workspace.logger
        let context = LoadContext(
            account: account.id, run: record.run, clock: clock, fence: Fence(account: account.id, number: lock.fence),
            sql: sql, stop: workspace.stop, log: { logger.log($0) })
        let histories = ["transaction", "book_order", "settlement_line", "payout", "control_total"].map {
            $0 + "_history"
        }
        for table in histories {
            // A run that lasts over a month's end needs the next month too.
            try HistoryPartitions.ensure(
                on: connection, table: table, covering: start...start.adding(seconds: 2 * 86_400))
        }
        if let entries = session.retries[account.name] {
            let step = RetryStep(run: self, context: context, sources: sources, connection: connection)
            session.retried[account.name] = try await step.perform(entries)
        }
        if job.steps.contains(.poll) || job.steps.contains(.reconcile) {
            let step = RedecodeStep(
                run: self, context: context, sources: sources, connection: connection, record: record)
            bytesGone = try interruptible(connection) { try step.perform() }
        }
        if job.steps.contains(.load) {
            let step = LoadStep(run: self, context: context, sources: sources, connection: connection)
            try interruptible(connection) { try step.perform() }
        }
        try checkStop()
        if job.steps.contains(.poll) {
            // It asks which events are ahead of what is stored, and what is stored of each page: perhaps by a run that was
            // killed a moment ago.
            try refreshStatistics(context, on: connection)
            try await PollStep(run: self, context: context, sources: sources, connection: connection).perform()
            try interruptible(connection) { try readAsLearnt(record, context, on: connection) }
        }
        try checkStop()
        let asOf = clock.now()
        let calendar = try BusinessCalendar(zone: account.zone, cutOffSeconds: Int(account.cutOffSeconds))
        let period = try RunPeriod.of(
            start, days: job.periodDays, calendar: calendar,
            previousStart: try RunPeriod.previousStart(
                account: account.id, job: job.name, before: record.run, on: connection),
            settleLag: account.settleLag)
        try record.set(asOf: asOf, period: period, fence: lock.fence, on: connection)
        var summary = "{}"
        if job.steps.contains(.reconcile) {
            // Whoever has loaded: this run, or those before it.
            try refreshStatistics(context, on: connection)
            let step = ReconcileStep(run: self, context: context, connection: connection, asOf: asOf)
            summary = try interruptible(connection) { try step.perform() }
            try refreshStatistics(context, on: connection)
        }
        try countQuarantine(context, on: connection)
        let status = conditions.max() ?? .done
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try record.finish(
                state: status == .incomplete ? "incomplete" : "done", status: status, conditions: Array(conditions),
                summary: summary, machine: workspace.machineClock(), on: connection)
        }
        if job.steps.contains(.report) {
            // Whoever lost the lock must not point `latest` away from its successor's report.
            try connection.transaction { try context.fence.check(on: $0) }
            try interruptible(connection) { try publish(record.run, on: connection) }
        }
        return status
    }

    /// What the poll has shown may prove how all rows of a source are to be read.
    private func readAsLearnt(_ record: RunRecord, _ context: LoadContext, on connection: Connection) throws {
        let now = try LearnedOptions(account, on: connection, sql: sql)
        if now == learned { return }
        learned = now
        for (source, options) in now.bySource.sorted(by: { $0.key < $1.key }) {
            for (name, value) in options.sorted(by: { $0.key < $1.key }) {
                log(.info, "rows prove", [("source", source), ("option", name), ("value", value)])
            }
        }
        let sources = try SourceSet(account: account, root: try workspace.installation().root, learned: now)
        let step = RedecodeStep(run: self, context: context, sources: sources, connection: connection, record: record)
        _ = try step.perform()
    }

    /// What follows reads what was just written, before the server's own housekeeping has looked at it.
    private func refreshStatistics(_ context: LoadContext, on connection: Connection) throws {
        let statistics = TableStatistics(library: sql)
        let tables = try interruptible(connection) {
            try statistics.count(on: connection)
            return try connection.transaction { connection in
                try context.fence.check(on: connection)
                return try statistics.refresh(for: context.account, on: connection)
            }
        }
        if !tables.isEmpty { log(.debug, "statistics gathered", [("tables", tables.joined(separator: " "))]) }
    }

    /// What a run set aside that was killed later has been told to nobody: it is new until a run has come to its end.
    private func countQuarantine(_ context: LoadContext, on connection: Connection) throws {
        let fresh = try connection.query(
            sql.text("SQL/loading/quarantine/new_since_last_run.sql"), [.int(account.id), .int(context.run)]
        ).only().int("fresh")
        if fresh == 0 { return }
        log(.warning, "newly quarantined", [("records", String(fresh)), ("see", "tieout quarantine list")])
        conditions.insert(.quarantined)
    }

    private func interruptible<T>(_ connection: Connection, _ body: () throws -> T) throws -> T {
        try Interruptible.run(on: connection, stop: workspace.stop, body)
    }

    private func checkStop() throws { try workspace.stop.check() }

    private func publish(_ run: Int64, on connection: Connection) throws {
        let output = try workspace.arguments.value("output") ?? workspace.configuration().reports
        let options = PublishOptions(
            account: account.id, run: run, output: output, raw: workspace.arguments.has("raw"),
            bom: workspace.arguments.has("bom"), versions: ["tieout": CommandLineTool.version])
        let root = try workspace.installation().root
        let report = try Publisher(connection: connection, options: options, root: root).publish()
        log(.info, "report published", [("path", report.path), ("files", String(report.files.count))])
        if !workspace.arguments.has("quiet") { workspace.print(report.path + "/index.html\n") }
    }

    /// Account and sources as the configuration describes them now.
    private func register(_ sources: SourceSet, _ lock: JobLock, on connection: Connection) throws {
        try connection.transaction { connection in
            try Fence(account: account.id, number: lock.fence).check(on: connection)
            let named = try connection.query(
                "select name from tieout.account where account_id = $1", [.int(account.id)]
            ).first?.text("name")
            if let named, named != account.name {
                throw OperatorError(
                    "account_renamed",
                    "account id \(account.id) is '\(named)' in the database, but '\(account.name)' in the configuration",
                    advice: "give '\(account.name)' an id of its own", status: .usage)
            }
            try connection.execute(
                sql.text("SQL/jobs/set_account.sql"),
                [.int(account.id), .text(account.name), .text(account.zone), .int(account.cutOffSeconds)])
            for source in sources.all {
                try connection.execute(
                    sql.text("SQL/jobs/set_source.sql"),
                    [
                        .int(account.id), .text(source.name), .text(source.configuration.provider),
                        .text(source.configuration.environment.rawValue), .text(source.configuration.life.rawValue),
                        .text(source.configuration.succeeds), .text(source.configuration.beneath),
                        .text(source.provider.declaration.settlesTo.rawValue), .json(source.declarationJSON),
                        .timestamp(clock.now()),
                    ])
            }
        }
    }
}
