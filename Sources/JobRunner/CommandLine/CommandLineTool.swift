import Foundation
package import Loading
package import Payments

/// The whole command line: parses, runs one command, and turns any error into text and exit status, in one place.
package enum CommandLineTool {
    package static let version = "0.1.0"

    /// Runs `arguments` (without the program's name) and returns the exit status. `output` and `errors` are standard
    /// output and standard error, `isTerminal` says whether the latter is a terminal; `machineClock` is the machine's time.
    package static func run(
        arguments: [String], executable: String, environment: [String: String], stop: StopFlag,
        isTerminal: Bool = false,
        machineClock: @escaping @Sendable () -> Timestamp, output: @escaping @Sendable (String) -> Void,
        errors: @escaping @Sendable (String) -> Void
    ) async -> ExitStatus {
        do {
            let parsed = try Arguments(arguments)
            if parsed.has("version") {
                output("tieout \(version)\n")
                return .done
            }
            if parsed.has("help") || parsed.words.isEmpty || parsed.words.first == "help" {
                output(HelpPage.text(for: parsed.words.filter { $0 != "help" }))
                return parsed.words.isEmpty && !parsed.has("help") ? .usage : .done
            }
            let logger = Logger(
                format: try parsed.word("log", Logger.Format.self) ?? .text, isQuiet: parsed.has("quiet"),
                isTerminal: isTerminal,
                clock: machineClock, write: errors)
            let workspace = Workspace(
                arguments: parsed, environment: environment, executable: executable, logger: logger, stop: stop,
                machineClock: machineClock, print: output)
            defer {
                workspace.close()
                logger.close()
            }
            return try await dispatch(workspace)
        } catch {
            let known = OperatorError(describing: error)
            errors("tieout: \(known.name): \(known.description)\n")
            return known.status
        }
    }

    private static func dispatch(_ workspace: Workspace) async throws -> ExitStatus {
        let words = workspace.arguments.words
        guard let command = Command.all.first(where: { words.starts(with: $0.words) }) else {
            let names = Command.all.map { $0.words.joined(separator: " ") }
            let typed = words.prefix(2).joined(separator: " ")
            let hint =
                Suggestion.nearest(to: typed, among: names)
                ?? words.first.flatMap { Suggestion.nearest(to: $0, among: names) }
            throw OperatorError.usage(
                "there is no command '\(Terminal.safe(words.joined(separator: " ")))'"
                    + (hint.map { "; did you mean '\($0)'?" } ?? ""))
        }
        try workspace.arguments.allow(command.options, for: command.words.joined(separator: " "))
        let rest = Array(words.dropFirst(command.words.count))
        if rest.count > command.maximumWords || rest.count < command.minimumWords {
            throw OperatorError.usage("usage: tieout \(command.usage)")
        }
        return try await command.run(workspace, rest)
    }
}

/// One command as data: how it is called, which options it knows, what it does.
struct Command: Sendable {
    let words: [String]
    /// `breaks ack ID --reason TEXT`
    let usage: String
    let help: String
    let options: [String]
    let minimumWords: Int
    let maximumWords: Int
    let run: @Sendable (Workspace, [String]) async throws -> ExitStatus

    init(
        _ words: String, _ usage: String, _ help: String, options: [String] = [], words range: ClosedRange<Int> = 0...0,
        run: @escaping @Sendable (Workspace, [String]) async throws -> ExitStatus
    ) {
        self.words = words.split(separator: " ").map(String.init)
        self.usage = usage
        self.help = help
        self.options = options
        minimumWords = range.lowerBound
        maximumWords = range.upperBound
        self.run = run
    }

    /// Longer names first, so that `db psql` is found before `db`.
    static let all: [Command] =
        RunCommand.commands + LoadCommands.commands + StepCommands.commands + BreaksCommands.commands
        + QuarantineCommands.commands + StandingCommands.commands + DatabaseCommands.commands
}
