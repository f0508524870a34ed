import Foundation
import JSON
import Payments

/// Who holds an account's lock: enough for a starter on the same host to find out that the holder is dead.
struct LockHolder: Sendable, Hashable {
    /// Changes at every boot.
    let bootID: String
    /// Process numbers mean something only within one namespace.
    let processNamespace: String
    let process: Int32
    /// Clock ticks from boot to the process's start: process numbers are used again, this pair is not.
    let startTicks: String
    let host: String

    /// The process that asks.
    static func current() -> LockHolder {
        LockHolder(
            bootID: SystemFiles.text("/proc/sys/kernel/random/boot_id"),
            processNamespace: SystemFiles.link("/proc/self/ns/pid"),
            process: ProcessInfo.processInfo.processIdentifier,
            startTicks: SystemFiles.startTicks(process: ProcessInfo.processInfo.processIdentifier),
            host: ProcessInfo.processInfo.hostName)
    }

    /// True where this holder ran on the same boot and in the same namespace as `witness` and its process is gone.
    func isDead(seenFrom witness: LockHolder) -> Bool {
        guard bootID == witness.bootID, !bootID.isEmpty, processNamespace == witness.processNamespace,
            !processNamespace.isEmpty
        else { return false }
        switch SystemFiles.process(process) {
        case .gone: return true
        case .running(let ticks): return ticks != startTicks
        // Another user's process that may not be looked at (`hidepid`, `ProtectProc=`) is alive for all we know.
        case .hidden: return false
        }
    }

    var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("boot_id", bootID)
            writer.member("pid_namespace", processNamespace)
            writer.member("pid", integer: process)
            writer.member("start_ticks", startTicks)
            writer.member("host", host)
        }
        return String(decoding: writer.take(), as: UTF8.self)
    }

    /// Reads what `json` wrote; nil for anything else.
    init?(json text: String) {
        guard let root = try? JSONDocument(Array(text.utf8)).root, let boot = root["boot_id"]?.string,
            let namespace = root["pid_namespace"]?.string, let pid = root["pid"]?.numberText.flatMap({ Int32($0) }),
            let ticks = root["start_ticks"]?.string, let host = root["host"]?.string
        else { return nil }
        self.init(bootID: boot, processNamespace: namespace, process: pid, startTicks: ticks, host: host)
    }

    init(bootID: String, processNamespace: String, process: Int32, startTicks: String, host: String) {
        self.bootID = bootID
        self.processNamespace = processNamespace
        self.process = process
        self.startTicks = startTicks
        self.host = host
    }
}

/// The kernel's small text files.
enum SystemFiles {
    static func text(_ path: String) -> String {
        let data = FileManager.default.contents(atPath: path) ?? Data()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func link(_ path: String) -> String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? ""
    }

    /// What can be seen of a process.
    enum Sight: Equatable {
        case gone
        /// With the clock ticks from boot to its start.
        case running(String)
        case hidden
    }

    /// Field 22 of /proc/PID/stat; a zombie is gone.
    static func process(_ number: Int32) -> Sight {
        let stat = text("/proc/\(number)/stat")
        // The name may hold blanks and brackets: fields are counted behind the last bracket.
        if let bracket = stat.lastIndex(of: ")") {
            let fields = stat[stat.index(after: bracket)...].split(separator: " ")
            if fields.count > 19 { return fields[0] == "Z" ? .gone : .running(String(fields[19])) }
        }
        return kill(number, 0) != 0 && errno == ESRCH ? .gone : .hidden
    }

    /// Empty where there is no such process or it cannot be seen.
    static func startTicks(process number: Int32) -> String {
        if case .running(let ticks) = process(number) { return ticks }
        return ""
    }
}
