import Foundation
import Loading
import Payments
import Postgres

/// `tieout quarantine list|show|retry|drop`: what could not be taken in, and what becomes of it.
enum QuarantineCommands {
    static let commands = [
        Command(
            "quarantine list", "quarantine list", "records that could not be taken in, with the reason",
            options: ["source", "feed", "state", "reason", "since", "format", "json"]
        ) { workspace, _ in try list(workspace) },
        Command(
            "quarantine show", "quarantine show ID", "one record with everything that was done about it",
            words: 1...1
        ) { workspace, words in try show(workspace, id: words[0]) },
        Command(
            "quarantine retry", "quarantine retry [ID…]",
            "read records again after a fix; exit 5 where some still cannot be taken in",
            options: ["source", "feed", "reason", "since", "file", "encoding", "decimal", "format", "json"],
            words: 0...10_000
        ) { workspace, words in try await QuarantineRetryCommand(workspace, ids: words).run() },
        Command(
            "quarantine drop", "quarantine drop ID… --reason TEXT", "give records up: they are counted no more",
            options: ["reason", "format", "json"], words: 1...10_000
        ) { workspace, words in try drop(workspace, ids: words) },
    ]

    static func entries(_ workspace: Workspace, _ account: AccountConfiguration) throws -> QuarantineList {
        QuarantineList(connection: try workspace.connection(), account: account.id, sql: try workspace.sql())
    }

    /// `--source`, `--feed`, `--reason` and `--since`.
    static func filter(_ workspace: Workspace) throws -> QuarantineList.Filter {
        var filter = QuarantineList.Filter()
        filter.source = try workspace.arguments.value("source")
        filter.feed = try workspace.arguments.word("feed", Feed.self)
        filter.reason = try workspace.arguments.value("reason")
        filter.since = try workspace.arguments.moment("since")
        filter.limit = 100_000
        return filter
    }

    private static func list(_ workspace: Workspace) throws -> ExitStatus {
        let state = try workspace.arguments.value("state") ?? "open"
        guard ["open", "cleared", "dropped", "all"].contains(state) else {
            throw OperatorError.usage("--state must be one of open, cleared, dropped, all")
        }
        var filter = try filter(workspace)
        filter.state = state == "all" ? nil : state
        var table = TextTable("id", "account", "source", "feed", "state", "record", "reason", "place", "since")
        for account in try workspace.accounts() {
            for entry in try entries(workspace, account).entries(filter) {
                table.add(
                    entry.id, account.name, entry.source, entry.feed, entry.state, entry.recordID, entry.reason,
                    entry.place, entry.observedAt.wholeSeconds)
            }
        }
        workspace.print(table.text(try workspace.listFormat(), empty: "quarantine: nothing is there"))
        return .done
    }

    private static func show(_ workspace: Workspace, id: String) throws -> ExitStatus {
        let (account, entry) = try find(id, workspace)
        var text = "\(entry.id)  \(entry.feed)  \(entry.state)\n"
        func line(_ name: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            text += "  " + name + String(repeating: " ", count: max(1, 14 - name.count)) + Terminal.safe(value) + "\n"
        }
        line("account", account.name)
        line("source", entry.source)
        line("record", entry.recordID)
        line("references", entry.references.joined(separator: ", "))
        line("reason", entry.reason)
        line("place", entry.place)
        line("bytes", "\(entry.length), " + (entry.isKept ? "kept" : "not kept"))
        line("known since", "\(entry.observedAt.wholeSeconds) in run \(entry.run), last met in run \(entry.lastRun)")
        if let at = entry.changedAt { line(entry.state, "\(at.wholeSeconds) by \(entry.changedBy ?? "system")") }
        text += "  history\n"
        for event in try entries(workspace, account).events(id) {
            var entry = "    \(event.at.wholeSeconds)  \(event.event)  by \(Terminal.safe(event.actor))"
            if let run = event.run { entry += " in run \(run)" }
            if let reason = event.reason { entry += ": \(Terminal.safe(reason))" }
            text += entry + "\n"
        }
        workspace.print(text)
        return .done
    }

    /// The account and record of an id, in any state.
    static func find(_ id: String, _ workspace: Workspace) throws -> (AccountConfiguration, QuarantineList.Entry) {
        for account in try workspace.accounts() {
            if let entry = try entries(workspace, account).entry(id) { return (account, entry) }
        }
        throw OperatorError.usage(
            "there is no record \(Terminal.safe(id)) in quarantine", advice: "`tieout quarantine list` shows them")
    }

    /// Every id is looked up before the first is dropped: a slip of the keyboard drops nothing.
    private static func drop(_ workspace: Workspace, ids: [String]) throws -> ExitStatus {
        guard let reason = try workspace.arguments.value("reason"), reason.contains(where: { !$0.isWhitespace }) else {
            throw OperatorError.usage("--reason is missing: say why the record is given up", advice: "")
        }
        let now = try workspace.ledgerClock(asOfMeansNow: false).now()
        let found = try ids.map { try find($0, workspace) }
        for (_, entry) in found where entry.state == "cleared" {
            throw OperatorError.usage(
                "\(entry.id) is cleared: its record was taken in, there is nothing to drop", advice: "")
        }
        var table = TextTable("id", "account", "outcome", "reason")
        for (account, entry) in found {
            let list = try entries(workspace, account)
            if try list.drop(entry.id, reason: reason, actor: NSUserName(), at: now) {
                table.add(entry.id, account.name, "dropped", reason)
                continue
            }
            // A job may have taken it in between our look and our deed.
            let stands = try list.entry(entry.id)
            let last = try list.events(entry.id).last
            table.add(entry.id, account.name, "\(stands?.state ?? entry.state) already", last?.reason)
        }
        workspace.print(table.text(try workspace.listFormat(), empty: ""))
        return .done
    }
}

/// `tieout quarantine retry`: a run of its own for each account that has such records, under the account's lock.
struct QuarantineRetryCommand {
    private let workspace: Workspace
    private let ids: [String]

    init(_ workspace: Workspace, ids: [String]) {
        self.workspace = workspace
        self.ids = ids
    }

    func run() async throws -> ExitStatus {
        let asked = try QuarantineCommands.filter(workspace)
        var lines: [(account: String, entry: QuarantineList.Entry)] = []
        var wanted: [String: [QuarantineList.Entry]] = [:]
        for id in ids {
            let (account, entry) = try QuarantineCommands.find(id, workspace)
            if entry.state == "dropped" {
                throw OperatorError.usage(
                    "\(id) was dropped: it stays so", advice: "`tieout quarantine show \(id)` says by whom and why")
            }
            // Cleared before: there is nothing left to do, which is no mistake.
            if entry.state == "open" { wanted[account.name, default: []].append(entry) }
            if entry.state == "cleared" { lines.append((account.name, entry)) }
        }
        if ids.isEmpty {
            for account in try workspace.accounts() {
                let found = try QuarantineCommands.entries(workspace, account).entries(asked)
                if !found.isEmpty { wanted[account.name] = found }
            }
        }
        var status = ExitStatus.done
        if !wanted.isEmpty {
            let job = JobDefinition(
                name: "quarantine-retry", steps: [], accounts: wanted.keys.sorted(), periodDays: 1)
            let session = JobSession(workspace, job: job)
            session.retries = wanted
            status = try await session.runAll()
            for (account, entries) in session.retried.sorted(by: { $0.key < $1.key }) {
                lines += entries.map { (account, $0) }
            }
        }
        var table = TextTable("id", "account", "source", "feed", "record", "outcome", "reason")
        for (account, entry) in lines {
            table.add(
                entry.id, account, entry.source, entry.feed, entry.recordID,
                entry.state == "cleared" ? "taken in" : "kept", entry.state == "cleared" ? nil : entry.reason)
        }
        if !lines.isEmpty || wanted.isEmpty {
            workspace.print(table.text(try workspace.listFormat(), empty: "quarantine: nothing to try again"))
        }
        return status
    }
}

extension Workspace {
    /// `--format`, or `--json`.
    func listFormat() throws(OperatorError) -> TextTable.Format {
        if arguments.has("json") { return .json }
        return try arguments.word("format", TextTable.Format.self) ?? .text
    }
}
