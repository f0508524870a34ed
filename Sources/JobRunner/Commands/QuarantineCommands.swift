import Foundation
import Loading
import Payments
import Postgres

/// `tieout quarantine list|drop`: what could not be taken in, and what becomes of it.
enum QuarantineCommands {
    static let commands = [
        Command(
            "quarantine list", "quarantine list", "records that could not be taken in, with the reason",
            options: ["source", "state", "format", "json"]
        ) { workspace, _ in try list(workspace) },
        Command(
            "quarantine drop", "quarantine drop ID", "give a record up: it is counted no more", words: 1...1
        ) { workspace, words in try drop(workspace, id: words[0]) },
    ]

    private static func entries(_ workspace: Workspace, _ account: AccountConfiguration) throws -> QuarantineList {
        QuarantineList(connection: try workspace.connection(), account: account.id, sql: try workspace.sql())
    }

    private static func list(_ workspace: Workspace) throws -> ExitStatus {
        let state = try workspace.arguments.value("state") ?? "open"
        guard ["open", "cleared", "dropped", "all"].contains(state) else {
            throw OperatorError.usage("--state must be one of open, cleared, dropped, all")
        }
        var table = TextTable("id", "account", "source", "feed", "state", "record", "reason", "place", "since")
        for account in try workspace.accounts() {
            let found = try entries(workspace, account).entries(
                source: try workspace.arguments.value("source"), state: state == "all" ? nil : state, limit: 100_000)
            for entry in found {
                table.add(
                    entry.id, account.name, entry.source, entry.feed, entry.state, entry.recordID, entry.reason,
                    entry.place, entry.observedAt.wholeSeconds)
            }
        }
        workspace.print(table.text(try workspace.listFormat(), empty: "quarantine: nothing is there"))
        return .done
    }

    private static func drop(_ workspace: Workspace, id: String) throws -> ExitStatus {
        let now = try workspace.ledgerClock(asOfMeansNow: false).now()
        for account in try workspace.accounts()
        where try entries(workspace, account).drop(id, actor: NSUserName(), at: now) {
            workspace.print("\(id) dropped\n")
            return .done
        }
        throw OperatorError.usage(
            "there is no open record \(Terminal.safe(id))", advice: "`tieout quarantine list` shows them")
    }
}

extension Workspace {
    /// `--format`, or `--json`.
    func listFormat() throws(OperatorError) -> TextTable.Format {
        if arguments.has("json") { return .json }
        return try arguments.word("format", TextTable.Format.self) ?? .text
    }
}
