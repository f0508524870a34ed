import Foundation
import Payments
import Sandbox
import Synchronization
import TestSupport

@testable import JobRunner

/// The real program in a process of its own, for what only a process can show: signals, closed streams, a sudden death.
final class TieoutProcess: Sendable {
    /// Why a wait ended without what was waited for.
    struct Timeout: Error, CustomStringConvertible {
        let description: String
    }

    private let process: ProcessBox
    private let errors = NightOutput()
    private let output = NightOutput()
    private let closed = DispatchGroup()

    /// `Process` is used from one test at a time.
    private final class ProcessBox: @unchecked Sendable {
        let process = Process()
    }

    /// The program that was built with the tests.
    static var program: String {
        let me = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: me).deletingLastPathComponent().appendingPathComponent("tieout").path
    }

    /// Starts it with the nights' configuration; `shell` is a line for sh in which `"$@"` stands for the command.
    init(_ nights: SimulatedNights, _ arguments: [String], shell: String = "exec \"$@\"") throws {
        process = ProcessBox()
        let command =
            [Self.program, "--config", nights.path("tieout.json5"), "--root", nights.root] + arguments
        process.process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.process.arguments = ["-c", shell, "sh"] + command
        for (sink, stream) in [(errors, true), (output, false)] {
            let pipe = Pipe()
            if stream { process.process.standardError = pipe } else { process.process.standardOutput = pipe }
            closed.enter()
            let closed = closed
            pipe.fileHandleForReading.readabilityHandler = { handle in
                let data = handle.availableData
                if data.isEmpty {
                    handle.readabilityHandler = nil
                    closed.leave()
                } else {
                    sink.add(String(decoding: data, as: UTF8.self))
                }
            }
        }
        try process.process.run()
    }

    /// The nightly job of night 1, `later` seconds after its moment.
    static func night(_ nights: SimulatedNights, later: Int64 = 0, shell: String = "exec \"$@\"") throws
        -> TieoutProcess
    {
        try TieoutProcess(
            nights, ["run", "nightly", "--now", nights.moment(later)], shell: shell)
    }

    var log: String { errors.all }
    var printed: String { output.all }
    var identifier: Int32 { process.process.processIdentifier }

    func signal(_ number: Int32) { kill(identifier, number) }

    /// Waits until `condition` holds, for a minute at most.
    static func wait(_ what: @autoclosure () -> String, _ condition: () throws -> Bool) throws {
        for _ in 0..<3000 {
            if try condition() { return }
            usleep(20_000)
        }
        throw Timeout(description: "waited for a minute: \(what())")
    }

    func wait(for text: String) throws {
        try Self.wait("\(text) in \(log)") { log.contains(text) || !process.process.isRunning && log.contains(text) }
    }

    /// Waits for its end, for a minute at most; 128 and the signal's number where a signal ended it.
    func status() throws -> Int32 {
        let process = process
        try Self.wait("its end: \(log)") { !process.process.isRunning }
        _ = closed.wait(timeout: .now() + 5)
        let status = process.process.terminationStatus
        return process.process.terminationReason == .uncaughtSignal ? 128 + status : status
    }
}

/// What a command wrote, in pieces.
final class NightOutput: Sendable {
    private let text = Mutex("")
    func add(_ part: String) { text.withLock { $0 += part } }
    var all: String { text.withLock { $0 } }
}

extension SimulatedNights {
    /// Night 1's moment, `later` seconds after it.
    func moment(_ later: Int64 = 0) -> String { shape.night(1).adding(seconds: later).description }
}
