package import Payments

/// One option of the command line, as data: the parser and the help are made from the same list.
struct OptionDescription: Sendable {
    let name: String
    /// Nil for a switch; else the word that stands for its value in the help.
    let value: String?
    let help: String
}

/// Every option that any command knows, in the order of the help.
enum OptionList {
    static let all: [OptionDescription] = [
        OptionDescription(name: "account", value: "A", help: "only this account (may be repeated)"),
        OptionDescription(
            name: "config", value: "FILE",
            help: "configuration (default: $TIEOUT_CONFIG, ./tieout.json5, /etc/tieout/tieout.json5)"),
        OptionDescription(
            name: "root", value: "DIR",
            help: "folder that holds SQL, Reports and Jobs (default: $TIEOUT_ROOT, beside the program)"),
        OptionDescription(
            name: "now", value: "T", help: "ledger time instead of the machine's, e.g. 2026-08-11T02:30:00Z"),
        OptionDescription(
            name: "as-of", value: "T", help: "on run, poll, load: the same as --now; on report: what was known then"),
        OptionDescription(
            name: "since", value: "T",
            help: "poll: walk from here instead of from the watermark; quarantine: known from then on"),
        OptionDescription(name: "source", value: "S", help: "only this source"),
        OptionDescription(
            name: "output", value: "DIR", help: "where reports are published (default: `reports` of the configuration)"),
        OptionDescription(name: "format", value: "F", help: "output of lists: text, json or csv"),
        OptionDescription(name: "json", value: nil, help: "the same as --format json"),
        OptionDescription(
            name: "dry-run", value: nil, help: "say what would be done, with windows and requests; do nothing"),
        OptionDescription(
            name: "fail-on", value: "SEVERITY", help: "exit 3 from this severity up (default critical; none: never)"),
        OptionDescription(
            name: "fail-on-new", value: nil, help: "only this run's new and reopened breaks count for --fail-on"),
        OptionDescription(
            name: "strict", value: nil, help: "a source that answers but has gone silent is incomplete, too (exit 4)"),
        OptionDescription(name: "full", value: nil, help: "evaluate everything, not only what news can touch"),
        OptionDescription(
            name: "exported-at", value: "T", help: "load orders, settlements: when the file was exported"),
        OptionDescription(name: "covers-until", value: "T", help: "load: the feed is complete up to here"),
        OptionDescription(
            name: "encoding", value: "E", help: "load orders, settlements: the file's encoding (default UTF8)"),
        OptionDescription(
            name: "decimal", value: "M",
            help: "load settlements: the mark before decimals, . or , (default: plain numbers)"),
        OptionDescription(name: "complete", value: nil, help: "load orders: the file lists every order of its sources"),
        OptionDescription(name: "rule", value: "R", help: "breaks list: only this rule"),
        OptionDescription(
            name: "state", value: "S", help: "lists: only this state (open, acknowledged, resolved; all)"),
        OptionDescription(
            name: "reason", value: "TEXT",
            help: "breaks ack, quarantine drop: why; quarantine list, retry: only where the reason holds these words"),
        OptionDescription(
            name: "feed", value: "F", help: "quarantine: only of this feed (provider, webhook, book, settlement)"),
        OptionDescription(
            name: "file", value: "PATH",
            help: "quarantine retry: a file to look in, instead of the configured ones (may be repeated)"),
        OptionDescription(
            name: "all", value: nil,
            help: "report: everything known, not the run's period alone; into the folder JOB-all"),
        OptionDescription(
            name: "raw", value: nil, help: "report: CSV for machines, without guarding spreadsheet formulas"),
        OptionDescription(name: "bom", value: nil, help: "report: CSV with a byte-order mark, for Excel"),
        OptionDescription(name: "log", value: "FORMAT", help: "log lines as text or json"),
        OptionDescription(name: "quiet", value: nil, help: "say nothing that is not a warning"),
        OptionDescription(name: "help", value: nil, help: "this page"),
        OptionDescription(name: "version", value: nil, help: "the version"),
    ]
}

/// A parsed command line: words first, then options in any place.
package struct Arguments: Sendable {
    package var words: [String]
    private var values: [String: [String]]

    /// Reads `arguments` without the program's name. `--` ends the options.
    package init(_ arguments: [String]) throws(OperatorError) {
        words = []
        values = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                break
            }
            if argument == "-h" {
                values["help"] = [""]
                continue
            }
            guard argument.hasPrefix("--") else {
                if argument.hasPrefix("-"), argument.count > 1 {
                    throw .usage("'\(Terminal.safe(argument))' is no option; options have two dashes")
                }
                words.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let known = OptionList.all.first(where: { $0.name == name }) else {
                let hint = Suggestion.nearest(to: name, among: OptionList.all.map(\.name))
                throw .usage(
                    "there is no option --\(Terminal.safe(name))" + (hint.map { "; did you mean --\($0)?" } ?? ""))
            }
            if known.value == nil {
                if parts.count > 1 { throw .usage("--\(name) takes no value") }
                values[name] = [""]
            } else if parts.count > 1 {
                values[name, default: []].append(String(parts[1]))
            } else if let value = rest.popFirst() {
                values[name, default: []].append(value)
            } else {
                throw .usage("--\(name) needs a value")
            }
        }
    }

    package func has(_ name: String) -> Bool { values[name] != nil }
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of an option that may be given once.
    package func value(_ name: String) throws(OperatorError) -> String? {
        let given = all(name)
        if given.count > 1 { throw .usage("--\(name) was given \(given.count) times") }
        return given.first
    }

    package func moment(_ name: String) throws(OperatorError) -> Timestamp? {
        guard let text = try value(name) else { return nil }
        guard let moment = Timestamp(text) else {
            throw .usage("--\(name) needs a moment such as 2026-08-11T02:30:00Z, not '\(Terminal.safe(text))'")
        }
        return moment
    }

    package func word<T: RawRepresentable & CaseIterable>(_ name: String, _ type: T.Type) throws(OperatorError) -> T?
    where T.RawValue == String {
        guard let text = try value(name) else { return nil }
        guard let word = T(rawValue: text) else {
            let known = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--\(name) must be one of \(known), not '\(Terminal.safe(text))'")
        }
        return word
    }

    /// An error for every given option that is not among `allowed` or the ones that every command knows.
    package func allow(_ allowed: [String], for command: String) throws(OperatorError) {
        let common = ["account", "config", "root", "now", "as-of", "log", "quiet", "help"]
        for name in values.keys.sorted() where !common.contains(name) && !allowed.contains(name) {
            throw .usage("`tieout \(command)` has no option --\(name)")
        }
    }
}
