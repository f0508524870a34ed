import Foundation
import JSON
package import Loading
package import Payments
import Synchronization

/// Writes one line per event to standard error, as text for people or as JSON for machines. Every line carries the run.
/// Values are escaped: no text from outside can start a new line or command a terminal.
package final class Logger: Sendable {
    package enum Format: String, Sendable, CaseIterable { case text, json }

    private let format: Format
    private let isQuiet: Bool
    private let clock: @Sendable () -> Timestamp
    private let write: @Sendable (String) -> Void
    private let showsProgress: Bool
    private let run = Mutex<(account: String, run: Int64)?>(nil)
    /// True while the terminal's last line is a progress line, which the next line overwrites.
    private let hasProgress = Mutex(false)

    /// `clock` is machine time, for people only. A quiet logger drops everything below a warning. Debug lines are
    /// progress: on a terminal each overwrites the one before it, elsewhere they are not written.
    package init(
        format: Format, isQuiet: Bool, isTerminal: Bool = false, clock: @escaping @Sendable () -> Timestamp,
        write: @escaping @Sendable (String) -> Void
    ) {
        showsProgress = isTerminal && format == .text
        self.format = format
        self.isQuiet = isQuiet
        self.clock = clock
        self.write = write
    }

    /// From now on every line names this run.
    package func enter(account: String, run number: Int64) { run.withLock { $0 = (account, number) } }
    package func leaveRun() { run.withLock { $0 = nil } }

    package func log(_ line: LogLine) {
        if isQuiet && (line.level == .debug || line.level == .info) { return }
        if line.level == .debug {
            if showsProgress { progress(line) }
            return
        }
        var fields: [(name: String, value: String)] = []
        if let current = run.withLock({ $0 }) {
            fields.append(("account", current.account))
            fields.append(("run", String(current.run)))
        }
        for field in line.fields { fields.append((field.name, field.value)) }
        let written =
            switch format {
            case .text: text(line, fields)
            case .json: json(line, fields)
            }
        hasProgress.withLock { flag in
            write(flag ? Self.clearLine + written : written)
            flag = false
        }
    }

    private static let clearLine = "\r\u{1B}[K"

    private func progress(_ line: LogLine) {
        let parts = line.fields.map { "\($0.name) \(Terminal.safe($0.value))" }
        hasProgress.withLock { flag in
            write(Self.clearLine + ([line.event + ":"] + parts).joined(separator: "  "))
            flag = true
        }
    }

    /// Takes a last progress line off the terminal.
    package func close() {
        hasProgress.withLock { flag in
            if flag { write(Self.clearLine) }
            flag = false
        }
    }

    private func text(_ line: LogLine, _ fields: [(name: String, value: String)]) -> String {
        let parts = fields.map { "\($0.name)=\(Terminal.quoted($0.value))" }
        let head = "\(clock().wholeSeconds) \(line.level.rawValue) \(line.event)"
        return ([head] + parts).joined(separator: " ") + "\n"
    }

    private func json(_ line: LogLine, _ fields: [(name: String, value: String)]) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("time", clock().description)
            writer.member("level", line.level.rawValue)
            writer.member("event", line.event)
            for field in fields { writer.member(field.name, field.value) }
        }
        return String(decoding: writer.take(), as: UTF8.self) + "\n"
    }
}

extension Timestamp {
    /// Without the fraction, for people.
    package var wholeSeconds: String {
        String(description.prefix(19)) + "Z"
    }
}

/// Text from outside on its way to a terminal or a log line.
package enum Terminal {
    /// Control characters (and the ones that turn the writing direction) as visible escapes.
    package static func safe(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<32, 127..<160, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0xFEFF:
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The same, and no two texts alike: what looks like an escape has its backslash escaped.
    package static func unique(_ text: String) -> String { safe(text.replacing("\\u{", with: "\\u{5c}u{")) }

    /// The same as `safe`, in quotes where blanks or quotes would make the end unclear.
    package static func quoted(_ text: String) -> String {
        let safe = safe(text)
        if safe.isEmpty || safe.contains(where: { $0 == " " || $0 == "\"" || $0 == "=" }) {
            return "\"" + safe.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        return safe
    }
}
