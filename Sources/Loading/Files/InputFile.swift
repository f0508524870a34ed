import FoundationEssentials
import Glibc

/// One file to load: where it lies, what it is called in messages and rows, and its digest.
package struct InputFile: Sendable {
    package let path: String
    /// Base name; `standard input` for `-`.
    package let name: String
    /// SHA-256 of the bytes as they lie on disk.
    package let digest: [UInt8]
    /// Bytes on disk.
    package let size: Int
    /// Keeps the spooled standard input alive.
    private let spool: Spool?

    /// Reads the file once for its digest.
    package init(path: String) throws(LoadFault) {
        if path == "-" {
            let spool = try Spool()
            self.spool = spool
            self.path = spool.path
            name = "standard input"
        } else {
            spool = nil
            self.path = path
            name = path.split(separator: "/").last.map(String.init) ?? path
        }
        (digest, size) = try FileBytes.digest(path: self.path, name: name)
    }

    /// The files behind `paths`, in order: a directory stands for its files of the given endings and those of its
    /// folders, sorted by name, hidden ones left out; `-` stands for standard input. A path named outright is taken
    /// whatever it ends with.
    package static func expand(_ paths: [String], endings: [String]) throws(LoadFault) -> [String] {
        var found: [String] = []
        for path in paths {
            if path != "-", isDirectory(path) {
                found += try list(path, endings: endings, deeper: true)
            } else {
                found.append(path)
            }
        }
        return found
    }

    private static func list(_ folder: String, endings: [String], deeper: Bool) throws(LoadFault) -> [String] {
        guard let entries = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw LoadFault(.unreadable, "cannot list the folder \(folder)")
        }
        var files: [String] = []
        // By bytes: the order must not depend on a locale.
        for entry in entries.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) where !entry.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + entry : "\(folder)/\(entry)"
            if isDirectory(path) {
                if deeper { files += try list(path, endings: endings, deeper: false) }
            } else if endings.contains(where: { entry.hasSuffix($0) }) {
                files.append(path)
            }
        }
        return files
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// Standard input, copied to a file without a name: a file is read twice, for its digest and for its records.
private final class Spool: Sendable {
    let descriptor: CInt
    var path: String { "/dev/fd/\(descriptor)" }

    init() throws(LoadFault) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/tieout-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw LoadFault(.unreadable, "standard input cannot be kept in \(folder)")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
            if count == 0 { return }
            guard count > 0, write(descriptor, buffer.baseAddress, count) == count else {
                throw LoadFault(.unreadable, "standard input cannot be kept in \(folder) (errno \(errno))")
            }
        }
    }

    deinit { close(descriptor) }
}
