import Foundation
import HTTP
import Loading
import Payments
import Postgres
import Providers

/// `tieout check`: tries everything a night needs, changes nothing, and says what to do about what is wrong.
struct CheckCommand {
    let workspace: Workspace
    /// Every table that is asked about stands there.
    private var isMigrated = false
    private var lines: [(isGood: Bool, what: String, advice: String)] = []

    init(_ workspace: Workspace) { self.workspace = workspace }

    mutating func lineUp(_ isGood: Bool, _ what: String, _ advice: String = "") { lines.append((isGood, what, advice)) }

    func run() async throws -> ExitStatus {
        var copy = self
        return try await copy.perform()
    }

    private mutating func perform() async throws -> ExitStatus {
        let configuration = try workspace.configuration()
        lineUp(true, "configuration \(configuration.file): \(configuration.accounts.count) account(s)")
        try checkDatabase()
        for account in try workspace.accounts() {
            let sources = try SourceSet(
                account, root: try workspace.installation().root,
                on: isMigrated ? try workspace.connection() : nil, sql: try workspace.sql())
            for source in sources.all {
                checkWebhookKeys(source)
                await checkSource(source)
                if isMigrated { try checkStanding(of: source, account) }
            }
            if isMigrated { try checkStanding(of: account) }
            for path in account.orders + account.webhooks + account.settlements.flatMap(\.paths) { checkInput(path) }
            for query in account.orderInputs.queries + account.webhookInputs.queries { checkQuery(query) }
        }
        checkReports(configuration.reports)
        for line in lines {
            workspace.print("\(line.isGood ? "ok   " : "WRONG") \(Terminal.safe(line.what))\n")
            if !line.advice.isEmpty { workspace.print("      \(Terminal.safe(line.advice))\n") }
        }
        return lines.allSatisfy(\.isGood) ? .done : .usage
    }

    private mutating func checkDatabase() throws {
        do {
            let connection = try workspace.connection()
            let version = connection.serverVersion
            lineUp(
                version >= 150_000, "database: PostgreSQL \(version / 10_000)",
                version >= 150_000 ? "" : "PostgreSQL 15 or newer is needed")
            let root = try workspace.installation().root
            let pending = try Migrator(directory: root + "/SQL/migrations").status(on: connection).filter {
                !$0.isApplied
            }
            isMigrated = pending.isEmpty
            try checkPooler(connection)
            let isPrivate = try workspace.configuration().database == nil
            if pending.isEmpty {
                lineUp(true, "schema: up to date")
            } else if isPrivate {
                lineUp(true, "schema: \(pending.count) migration(s) will be applied by the next run")
            } else {
                lineUp(false, "schema: \(pending.count) migration(s) missing", "run `tieout db migrate`")
            }
        } catch {
            let known = OperatorError(describing: error)
            lineUp(false, "database: \(known.message)", known.advice)
        }
    }

    /// One small request with the source's credentials.
    private mutating func checkSource(_ source: PreparedSource) async {
        guard let request = source.provider.probe else {
            lineUp(
                true, "source \(source.name): credentials not tried",
                "nothing can be asked of this API but single payments: the first run that reads one will tell")
            return
        }
        var settings = HTTPConfiguration()
        settings.caFile = source.configuration.caFile
        do {
            let client = try HTTPClient(settings)
            defer { client.close() }
            let answer = try await client.send(source.preparer(.system())(request))
            let verdict = ProbeVerdict(answer, of: source)
            lineUp(verdict.isGood, "source \(source.name): \(verdict.what)", verdict.advice)
            if verdict.isGood { checkClock(answer, source) }
        } catch {
            lineUp(false, "source \(source.name): \(error)", "check `api_base`, `ca_file` and the network")
        }
    }

    private mutating func checkWebhookKeys(_ source: PreparedSource) {
        let configuration = source.configuration
        guard let scheme = source.provider.webhooks, !configuration.unsignedCounts else { return }
        do {
            let lookUp = try configuration.webhookSecretTable?.lookUp()
            // Some providers sign with the key that signs requests.
            if lookUp != nil || !scheme.keyFingerprints.isEmpty { return }
            lineUp(
                false, "source \(source.name): no webhook secret",
                "without `webhook_secrets` or `webhook_secret_table` every delivery stays unverified (no_key)")
        } catch {
            lineUp(false, "source \(source.name): \(error)", "check `webhook_secret_table`")
        }
    }

    private mutating func checkQuery(_ query: MerchantQuery) {
        do {
            let columns = try query.check()
            lineUp(true, "\(query.name): answers with \(columns.count) column(s)")
        } catch {
            lineUp(false, "\(error)", "check `query` and `connection`, and that the login may read there")
        }
    }

    private mutating func checkInput(_ path: String) {
        let isThere = FileManager.default.isReadableFile(atPath: path)
        lineUp(isThere, "input \(path)", isThere ? "" : "make it, or take it out of the configuration")
    }

    private mutating func checkReports(_ path: String) {
        let parent =
            FileManager.default.fileExists(atPath: path)
            ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
        let isGood = FileManager.default.isWritableFile(atPath: parent)
        lineUp(isGood, "reports \(path)", isGood ? "" : "make the folder and let this user write there")
    }
}
