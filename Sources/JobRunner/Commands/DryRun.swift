import Foundation
import JSON
import Loading
import Payments
import Postgres
import Providers

/// `--dry-run`: what a job would do now. Reads files and the database, in transactions that cannot write; takes no lock,
/// moves no ledger time, starts no cluster, asks no provider, writes no file. The exit status is the one the job would
/// begin with: 2 where it would refuse, 75 where another run holds the lock.
struct DryRun {
    let workspace: Workspace
    let job: JobDefinition
    let inputs: JobSession.Inputs?

    func run() throws -> ExitStatus {
        let accounts = try workspace.accounts(limitedTo: job.accounts)
        let clock = try workspace.ledgerClock(asOfMeansNow: true)
        var plan = JobPlan(job: job.name, steps: job.steps.map(\.rawValue), ledgerTime: clock.now())
        let configuration = try workspace.configuration()
        plan.configuration = configuration.file
        let connection = try database(configuration, &plan)
        for account in accounts {
            let sources = try SourceSet(
                account, root: try workspace.installation().root, on: plan.isReady ? connection : nil,
                sql: try workspace.sql())
            let draft = AccountPlan(
                workspace: workspace, job: job, account: account, sources: sources, inputs: inputs, clock: clock)
            plan.accounts.append(try draft.make(on: plan.isReady ? connection : nil))
        }
        workspace.print(workspace.arguments.has("json") ? plan.json : plan.text)
        return plan.status
    }

    /// Nil where a private cluster does not run: to look into it would be to start it.
    private func database(_ configuration: Configuration, _ plan: inout JobPlan) throws -> Connection? {
        let isPrivate = configuration.database == nil
        let connection: Connection
        if isPrivate {
            let cluster = try workspace.cluster()
            let status = cluster.status()
            guard status.process != nil else {
                plan.database = status.isMade ? "private, would be started" : "private, would be made"
                return nil
            }
            connection = try Connection(cluster.conninfo, applicationName: "tieout dry run")
        } else {
            connection = try workspace.connection()
        }
        plan.database = (isPrivate ? "private, " : "") + "PostgreSQL \(connection.serverVersion / 10_000)"
        let root = try workspace.installation().root
        plan.pending = try Migrator(directory: root + "/SQL/migrations").status(on: connection)
            .filter { !$0.isApplied }.map(\.name)
        plan.appliesMigrations = isPrivate
        return connection
    }
}

/// What a job would do, as data.
struct JobPlan {
    let job: String
    let steps: [String]
    let ledgerTime: Timestamp
    var configuration = ""
    var database = ""
    var pending: [String] = []
    /// The job itself applies what is missing: a private cluster.
    var appliesMigrations = false
    var accounts: [AccountPlan.Result] = []

    /// The tables that a plan asks are all there.
    var isReady: Bool { pending.isEmpty }

    var status: ExitStatus {
        let schema: ExitStatus = pending.isEmpty || appliesMigrations ? .done : .usage
        return accounts.reduce(schema) { max($0, $1.status) }
    }

    var text: String {
        var text = "\(job): \(steps.joined(separator: ", ")) at \(ledgerTime.wholeSeconds); nothing is done\n"
        func line(_ depth: Int, _ name: String, _ value: String) {
            let indent = String(repeating: "  ", count: depth)
            text += indent + name + String(repeating: " ", count: max(1, 15 - name.count)) + Terminal.safe(value) + "\n"
        }
        line(1, "configuration", configuration)
        line(1, "database", database)
        if !pending.isEmpty {
            line(
                1, "migrations",
                "\(pending.count) missing" + (appliesMigrations ? ", would be applied" : ": run `tieout db migrate`"))
        }
        for account in accounts {
            text += "  account \(account.name)\n"
            for refusal in account.refusals { line(2, "REFUSED", refusal) }
            line(2, "period", account.period)
            for file in account.files {
                line(
                    2, file.feed,
                    "\(file.path), \(file.size) bytes, \(file.isKnown ? "known, skipped" : "would be loaded")")
            }
            for source in account.sources {
                line(2, "source", "\(source.name) (\(source.provider), \(source.life))")
                for note in source.notes { line(3, "note", note) }
                for walk in source.walks { line(3, walk.name, walk.describe) }
                if let requests = source.describeRequests { line(3, "requests", requests) }
            }
            if let report = account.report { line(2, "report", report) }
        }
        return text + "  exit           \(status.rawValue)\n"
    }

    var json: String {
        var writer = JSONWriter(.pretty)
        writer.object { writer in
            writer.member("job", job)
            writer.member("steps", strings: steps)
            writer.member("ledger_time", ledgerTime.description)
            writer.member("configuration", configuration)
            writer.member("database", database)
            writer.member("pending_migrations", strings: pending)
            writer.member("exit", integer: status.rawValue)
            writer.key("accounts")
            writer.array { writer in for account in accounts { account.write(&writer) } }
        }
        return writer.text + "\n"
    }
}
