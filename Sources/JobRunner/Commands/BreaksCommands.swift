import Foundation
import JSON
import Payments
import Postgres
import Reconciling

/// `tieout breaks list|show|ack|verify`: what does not tie out, and who owns it.
enum BreaksCommands {
    static let commands = [
        Command(
            "breaks list", "breaks list", "open and acknowledged breaks, worst first",
            options: ["source", "rule", "state", "format", "json"]
        ) { workspace, _ in try list(workspace) },
        Command(
            "breaks show", "breaks show ID", "one break with everything that happened to it", options: [], words: 1...1
        ) {
            workspace, words in try show(workspace, id: words[0])
        },
        Command(
            "breaks ack", "breaks ack ID --reason TEXT", "mark a break as known and owned by you", options: ["reason"],
            words: 1...1
        ) { workspace, words in try acknowledge(workspace, id: words[0]) },
        Command("breaks verify", "breaks verify", "prove that nobody edited or cut the audit trail") { workspace, _ in
            try verify(workspace)
        },
    ]

    private static func store(_ workspace: Workspace, _ account: AccountConfiguration) throws -> BreakStore {
        BreakStore(connection: try workspace.connection(), library: try workspace.sql(), account: account.id)
    }

    private static func list(_ workspace: Workspace) throws -> ExitStatus {
        var filter = BreakStore.Filter()
        filter.rule = try workspace.arguments.value("rule")
        filter.source = try workspace.arguments.value("source")
        switch try workspace.arguments.value("state") {
        case nil: break
        case "all"?: filter.states = Break.State.allCases
        case let word?:
            guard let state = Break.State(rawValue: word) else {
                let known = Break.State.allCases.map(\.rawValue) + ["all"]
                throw OperatorError.usage("--state must be one of \(known.joined(separator: ", "))")
            }
            filter.states = [state]
        }
        var table = TextTable(
            "break", "account", "rule", "severity", "state", "subject", "difference", "at_risk", "currency", "due",
            "primary")
        for account in try workspace.accounts() {
            for found in try store(workspace, account).list(filter) {
                table.add(
                    found.id, account.name, found.rule, found.severity.rawValue, found.state.rawValue, found.subject,
                    found.difference?.description, found.atRisk.description, found.currency, found.dueAt?.wholeSeconds,
                    found.primaryBreak)
            }
        }
        workspace.print(table.text(try workspace.listFormat(), empty: "breaks: none"))
        return .done
    }

    private static func show(_ workspace: Workspace, id: String) throws -> ExitStatus {
        for account in try workspace.accounts() {
            let found: (break: Break, trail: [BreakEvent])
            do {
                found = try store(workspace, account).show(id)
            } catch BreakStore.Fault.unknown {
                continue
            }
            workspace.print(describe(found.break, found.trail, account: account.name))
            return .done
        }
        throw OperatorError.usage(
            "there is no break \(Terminal.safe(id))", advice: "`tieout breaks list --state all` shows them")
    }

    private static func describe(_ found: Break, _ trail: [BreakEvent], account: String) -> String {
        var text = "\(found.id)  \(found.rule)  \(found.severity.rawValue)  \(found.state.rawValue)\n"
        func line(_ name: String, _ value: String?) {
            guard let value else { return }
            text += "  " + name + String(repeating: " ", count: max(1, 14 - name.count)) + Terminal.safe(value) + "\n"
        }
        line("account", account)
        line("source", found.source)
        line("subject", found.subject)
        line("order", found.order)
        line("transaction", found.transaction)
        line("difference", found.difference.map { "\($0) \(found.currency ?? "")" })
        line("at risk", "\(found.atRisk) \(found.currency ?? "")")
        line("due", found.dueAt?.wholeSeconds)
        line("opened", found.openedAt.wholeSeconds)
        line("incomplete", found.incompleteSince.map { "data incomplete since \($0.wholeSeconds)" })
        line("secondary to", found.primaryBreak)
        line("owner", found.owner)
        for fact in FactLines.read(found.facts) { line("fact", fact) }
        text += "  history\n"
        for event in trail {
            var entry = "    \(event.at.wholeSeconds)  \(event.event)  by \(Terminal.safe(event.actor))"
            if let run = event.run { entry += " in run \(run)" }
            if let reason = event.reason { entry += ": \(Terminal.safe(reason))" }
            text += entry + "\n"
        }
        return text
    }

    private static func acknowledge(_ workspace: Workspace, id: String) throws -> ExitStatus {
        guard let reason = try workspace.arguments.value("reason") else {
            throw OperatorError.usage("--reason is missing: say why this is known", advice: "")
        }
        let now = try workspace.ledgerClock(asOfMeansNow: false).now()
        for account in try workspace.accounts() {
            do {
                let changed = try store(workspace, account).ack(id, reason: reason, actor: actor(workspace), now: now)
                workspace.print("\(changed.id) \(changed.state.rawValue)\n")
                return .done
            } catch BreakStore.Fault.unknown {
                continue
            } catch let fault as BreakStore.Fault {
                throw OperatorError.usage(fault.description, advice: "")
            }
        }
        throw OperatorError.usage("there is no break \(Terminal.safe(id))", advice: "`tieout breaks list` shows them")
    }

    /// The operating-system user, never a typed name.
    private static func actor(_ workspace: Workspace) -> String { NSUserName() }

    private static func verify(_ workspace: Workspace) throws -> ExitStatus {
        var status = ExitStatus.done
        for account in try workspace.accounts() {
            switch try store(workspace, account).verify() {
            case .whole(let length, let head):
                let hex = head.map { byte in
                    let text = String(byte, radix: 16)
                    return text.count == 1 ? "0" + text : text
                }.joined()
                workspace.print("\(account.name): \(length) events, whole, head \(hex.isEmpty ? "none" : hex)\n")
            case .broken(let seq):
                workspace.print("\(account.name): BROKEN at event \(seq)\n")
                status = .internalFailure
            }
        }
        return status
    }
}

/// The differing fields of a break, a line each: `amount: 12000 (provider) against 120 (book)`.
enum FactLines {
    static func read(_ json: String) -> [String] {
        guard let root = try? JSONDocument(Array(json.utf8)).root else { return [json] }
        return root.elements.map { fact in
            func side(_ value: String, _ from: String) -> String {
                let text = fact[value]?.scalarText ?? "nothing"
                return fact[from]?.scalarText.map { "\(text) (\($0))" } ?? text
            }
            return "\(fact["field"]?.scalarText ?? "?"): \(side("a", "a_from")) against \(side("b", "b_from"))"
        }
    }
}
