import Payments
import Postgres
import Reconciling
import Reporting

/// `tieout report [RUN]`: publishes a past run's reports again, as they were known then; with `--all` everything that was
/// known then, into a folder of its own.
enum ReportCommand {
    static func run(_ workspace: Workspace, run named: String?) throws -> ExitStatus {
        let connection = try workspace.connection()
        let root = try workspace.installation().root
        let output = try workspace.arguments.value("output") ?? workspace.configuration().reports
        for account in try workspace.accounts() {
            let run = try runNumber(
                named, account: account, asOf: try workspace.arguments.moment("as-of"), on: connection)
            let options = PublishOptions(
                account: account.id, run: run, output: output, raw: workspace.arguments.has("raw"),
                bom: workspace.arguments.has("bom"), isWhole: workspace.arguments.has("all"),
                versions: ["tieout": CommandLineTool.version],
                relink: { connection, asOf in
                    let linker = Linker(library: SQLLibrary(root: root), knowledge: .asOf)
                    _ = try linker.link(connection, account: account.id, asOf: asOf)
                })
            let report = try Publisher(connection: connection, options: options, root: root).publish()
            workspace.print(report.path + "/index.html\n")
        }
        return .done
    }

    private static func runNumber(
        _ named: String?, account: AccountConfiguration, asOf: Timestamp?, on connection: Connection
    ) throws -> Int64 {
        if let named {
            guard let number = Int64(named) else {
                throw OperatorError.usage("a run is a number, as reports and logs show it")
            }
            return number
        }
        let last = try connection.query(
            "select max(run_id) as run from tieout.run as r where account_id = $1 and ($2::timestamptz is null or as_of <= $2) and exists (select 1 from tieout.run_rule as u where u.account_id = r.account_id and u.run_id = r.run_id)",
            [.int(account.id), .timestamp(asOf)]
        ).only().optionalInt("run")
        guard let last else {
            throw OperatorError(
                "no_run", "no run of account '\(account.name)' has reconciled" + (asOf.map { " by \($0)" } ?? ""),
                advice: "run `tieout run nightly` first", status: .usage)
        }
        return last
    }
}
