import FoundationEssentials
import Glibc

/// The server's processes as `/proc` shows them: each stands in its data directory. A number in a file proves nothing,
/// because numbers come again, after a restart of a container almost at once.
enum ProcessTable {
    /// All processes that stand in `directory`.
    static func standing(in directory: String) -> [pid_t] {
        guard let wanted = realPath(directory),
            let entries = try? FileManager.default.contentsOfDirectory(atPath: "/proc")
        else { return [] }
        return entries.compactMap { pid_t($0) }.filter { link("/proc/\($0)/cwd") == wanted }
    }

    /// Whether the process is a server of this data directory.
    static func stands(_ process: pid_t, in directory: String) -> Bool {
        guard let wanted = realPath(directory) else { return false }
        if let place = link("/proc/\(process)/cwd") { return place == wanted }
        // A container's root may not be allowed to look there; the postmaster names its directory.
        guard let data = try? Data(contentsOf: URL(filePath: "/proc/\(process)/cmdline")) else { return false }
        let arguments = data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        return arguments.first?.hasSuffix("postgres") == true
            && (arguments.contains(directory) || arguments.contains(wanted))
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, 4096)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }
}
