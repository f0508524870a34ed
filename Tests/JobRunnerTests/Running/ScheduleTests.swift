import Foundation
import TestSupport
import Testing

@testable import JobRunner

@Suite("Schedules")
struct ScheduleTests {
    static let analyzer = "/usr/bin/systemd-analyze"
    static let hasAnalyzer = FileManager.default.isExecutableFile(atPath: analyzer)

    private func run(_ program: String, _ arguments: [String], in folder: String = Checkout.root) throws -> (
        Int32, String
    ) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(Checkout.root)/Jobs/\(name)", encoding: .utf8)
    }

    @Test(
        "the installed units are what systemd understands, and run the installed program",
        .enabled(if: hasAnalyzer, "systemd-analyze is not installed: `make setup` installs it"))
    func units() throws {
        let prefix = NSTemporaryDirectory() + "tieout-units-" + String(UInt32.random(in: .min ... .max))
        defer { try? FileManager.default.removeItem(atPath: prefix) }
        #expect(try run("\(Checkout.root)/Scripts/install-units", [prefix]).0 == 0)
        let folder = prefix + "/lib/systemd/system"
        // An instance, so that %i is filled in; and a program, since a unit without one is refused.
        try FileManager.default.createDirectory(atPath: prefix + "/bin", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "/bin/true", toPath: prefix + "/bin/tieout")
        try FileManager.default.copyItem(
            atPath: folder + "/tieout@.service", toPath: folder + "/tieout@nightly.service")
        let (status, said) = try run(
            Self.analyzer, ["verify", "./tieout@nightly.service", "./tieout@.timer"], in: folder)
        #expect(status == 0 && !said.contains("tieout@"), "\(said)")
        let unit = try String(contentsOfFile: folder + "/tieout@.service", encoding: .utf8)
        #expect(unit.contains("ExecStart=\(prefix)/bin/tieout run %i --quiet"))
        #expect(FileManager.default.fileExists(atPath: prefix + "/lib/sysusers.d/tieout.conf"))
    }

    @Test(
        "the timer comes once a day, also on the days when clocks change",
        .enabled(if: hasAnalyzer, "systemd-analyze is not installed: `make setup` installs it"))
    func timer() throws {
        let line = try #require(
            try text("tieout@.timer").split(separator: "\n").first { $0.hasPrefix("OnCalendar=") })
        let calendar = String(line.dropFirst("OnCalendar=".count))
        for eve in ["2026-03-28", "2026-10-24", "2026-03-07", "2026-10-31"] {
            let (status, said) = try run(
                Self.analyzer, ["calendar", "--iterations=3", "--base-time=\(eve) 12:00:00 UTC", calendar])
            let days = said.split(separator: "\n").compactMap { line -> String? in
                let words = line.split(separator: " ").map(String.init)
                guard let place = words.firstIndex(of: "UTC"), place >= 2, line.contains(":30:00"),
                    words[place - 2].count == 10
                else { return nil }
                return words[place - 2]
            }
            #expect(status == 0 && Set(days).count == 3, "\(said)")
        }
        #expect(try text("tieout@.timer").contains("\nPersistent=true\n"))
    }

    @Test("a unit takes results for results, tries again what asks for it, and leaves to people what is theirs")
    func statuses() throws {
        let unit = try text("tieout@.service")
        func values(_ name: String) -> Set<Int32> {
            let line = unit.split(separator: "\n").first { $0.hasPrefix(name + "=") } ?? ""
            return Set(line.dropFirst(name.count + 1).split(separator: " ").compactMap { Int32($0) })
        }
        let results = values("SuccessExitStatus")
        let final = values("RestartPreventExitStatus")
        #expect(results == [ExitStatus.breaks.rawValue, ExitStatus.quarantined.rawValue])
        #expect(final == [1, 2, ExitStatus.incomplete.rawValue])
        // Every status has its place, and only one is tried again.
        let known = Set(ExitStatus.allCases.map(\.rawValue))
        #expect(known.subtracting(results).subtracting(final) == [0, ExitStatus.tryLater.rawValue])
    }

    @Test("the crontab calls the job quietly, by a user of its own")
    func crontab() throws {
        let lines = try text("crontab").split(separator: "\n").filter { !$0.hasPrefix("#") && $0.contains("* * *") }
        #expect(lines.count == 1)
        let words = try #require(lines.first).split(separator: " ").map(String.init)
        #expect(Array(words.prefix(6)) == ["30", "2", "*", "*", "*", "tieout"])
        #expect(Array(words.suffix(3)) == ["run", "nightly", "--quiet"])
    }
}
