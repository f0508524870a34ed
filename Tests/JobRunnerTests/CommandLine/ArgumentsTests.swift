import Loading
import Payments
import Synchronization
import Testing

@testable import JobRunner

@Suite("Command line")
struct ArgumentsTests {
    @Test("options may stand anywhere, with = or a blank")
    func places() throws {
        let arguments = try Arguments([
            "--now=2026-08-11T02:30:00Z", "run", "nightly", "--account", "a", "--account", "b",
        ])
        #expect(arguments.words == ["run", "nightly"])
        #expect(try arguments.moment("now") == Timestamp("2026-08-11T02:30:00Z"))
        #expect(arguments.all("account") == ["a", "b"])
    }

    @Test("-- ends the options")
    func rest() throws {
        #expect(
            try Arguments(["db", "psql", "--", "-c", "select 1", "--now"]).words == [
                "db", "psql", "-c", "select 1", "--now",
            ])
    }

    @Test(
        "what cannot be understood is refused",
        arguments: [["--nwo", "x"], ["--now"], ["--quiet=yes"], ["-x"]])
    func refused(words: [String]) {
        #expect(throws: OperatorError.self) { try Arguments(words) }
    }

    @Test("a slip gets a suggestion")
    func suggestion() {
        #expect(throws: OperatorError.self) { try Arguments(["--nwo", "x"]) }
        do {
            _ = try Arguments(["--nwo", "x"])
        } catch {
            #expect(error.message.contains("did you mean --now?"))
        }
    }

    @Test("a single option given twice, and a moment that is none, are refused")
    func values() throws {
        let twice = try Arguments(["--config", "a", "--config", "b"])
        #expect(throws: OperatorError.self) { try twice.value("config") }
        let yesterday = try Arguments(["--now", "yesterday"])
        #expect(throws: OperatorError.self) { try yesterday.moment("now") }
    }

    @Test("every option that a command names exists, and every command has help")
    func catalogue() {
        let known = Set(OptionList.all.map(\.name))
        for command in Command.all {
            #expect(Set(command.options).isSubset(of: known), "\(command.usage)")
            #expect(!command.help.isEmpty)
            #expect(HelpPage.text(for: command.words).contains(command.usage))
        }
        #expect(Set(Command.all.map(\.words)).count == Command.all.count)
    }

    @Test("the worst exit status applies in the order 1, 2, 75, 4, 3, 5, 0")
    func worst() {
        let order: [Int32] = [1, 2, 75, 4, 3, 5, 0]
        let sorted = ExitStatus.allCases.sorted(by: >).map(\.rawValue)
        // Breaks and totals that do not tie out are both 3.
        #expect(sorted.filter { $0 == 3 }.count == 2)
        #expect(order == sorted.reduce(into: []) { if $0.last != $1 { $0.append($1) } })
        #expect(max(ExitStatus.quarantined, ExitStatus.breaks) == .breaks)
    }

    @Test("text from outside cannot command a terminal or start a log line")
    func terminal() {
        #expect(Terminal.safe("a\u{1B}[2Jb\nc\u{202E}d") == "a\\u{1b}[2Jb\\u{a}c\\u{202e}d")
        #expect(Terminal.quoted("two words") == "\"two words\"")
        #expect(Terminal.safe("Zoë – 120.10 €") == "Zoë – 120.10 €")
    }

    @Test("tables are aligned, and CSV guards formulas but not numbers")
    func table() {
        var table = TextTable("id", "value")
        table.add("=cmd", "-12.50")
        table.add("-12.50 off", nil)
        #expect(table.text(.csv, empty: "") == "id,value\r\n'=cmd,-12.50\r\n'-12.50 off,\r\n")
        #expect(table.text(.text, empty: "").hasPrefix("id          value\n"))
    }

    @Test("progress is one line that the next overwrites, on a terminal only, and never among log lines")
    func progress() {
        func written(isTerminal: Bool, isQuiet: Bool = false) -> String {
            let text = Mutex("")
            let logger = Logger(
                format: .text, isQuiet: isQuiet, isTerminal: isTerminal, clock: { Timestamp(seconds: 0) },
                write: { part in text.withLock { $0 += part } })
            logger.log(LogLine(.debug, "polling", [("rows", "100")]))
            logger.log(LogLine(.info, "done", [("name", "a b")]))
            logger.close()
            return text.withLock { $0 }
        }
        let clear = "\r\u{1B}[K"
        let line = "1970-01-01T00:00:00Z info done name=\"a b\"\n"
        #expect(written(isTerminal: true) == clear + "polling:  rows 100" + clear + line)
        #expect(written(isTerminal: false) == line)
        #expect(written(isTerminal: true, isQuiet: true) == "")
    }
}
