import Loading
import Payments
import Postgres

/// One execution of a job over its accounts, one after another, each with its own lock, run record and report.
final class JobSession {
    /// Files given on the command line instead of those of the configuration.
    struct Inputs {
        var orders: [String] = []
        var webhooks: [String] = []
        var settlements: [String] = []
    }

    let workspace: Workspace
    let job: JobDefinition
    let inputs: Inputs?
    /// Instead of steps: quarantined records to try again, by account, and how they stand afterwards.
    var retries: [String: [QuarantineList.Entry]] = [:]
    var retried: [String: [QuarantineList.Entry]] = [:]

    init(_ workspace: Workspace, job: JobDefinition, inputs: Inputs? = nil) {
        self.workspace = workspace
        self.job = job
        self.inputs = inputs
    }

    /// Runs every account. A failure of one does not stop the next; the worst status applies.
    func runAll() async throws -> ExitStatus {
        if workspace.arguments.has("dry-run") {
            return try DryRun(workspace: workspace, job: job, inputs: inputs).run()
        }
        let accounts = try workspace.accounts(limitedTo: job.accounts)
        let clock = try workspace.ledgerClock(asOfMeansNow: true)
        try prepareDatabase()
        let logger = workspace.logger
        let watch = workspace.stop.watch {
            logger.log(
                LogLine(
                    .warning, "asked to end",
                    [("what", "finishing what is in hand; a second signal ends at once")]))
        }
        defer { workspace.stop.unwatch(watch) }
        var worst = ExitStatus.done
        for account in accounts {
            if workspace.stop.isRequested { return max(worst, .tryLater) }
            do {
                worst = max(worst, try await AccountRun(session: self, account: account, clock: clock).run())
            } catch {
                let known = OperatorError(describing: error)
                workspace.logger.log(
                    LogLine(
                        known.status == .tryLater ? .warning : .error, "run failed",
                        [("name", known.name), ("message", known.message), ("advice", known.advice)]))
                worst = max(worst, known.status)
            }
            workspace.logger.leaveRun()
        }
        return worst
    }

    /// The private cluster is kept up to date by whoever runs a job; a database of one's own is migrated by its owner.
    private func prepareDatabase() throws {
        if try workspace.configuration().database == nil {
            try workspace.migrate()
            return
        }
        let root = try workspace.installation().root
        let pending = try Migrator(directory: root + "/SQL/migrations").status(on: try workspace.connection())
            .filter { !$0.isApplied }
        if !pending.isEmpty {
            throw OperatorError(
                "not_migrated",
                "\(pending.count) migrations are not applied (\(pending.map(\.name).joined(separator: ", ")))",
                advice: "run `tieout db migrate`", status: .usage)
        }
    }
}
