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

    /// A file without a name on disk, called `name`, with what `write` sends.
    init(
        name: String, _ write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let spool = try Spool.empty(called: name)
        try write { bytes in try spool.append(bytes, name) }
        self.spool = spool
        self.path = spool.path
        self.name = name
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

/// A file without a name: its bytes are read twice, for its digest and for its records.
private final class Spool: Sendable {
    let descriptor: CInt
    var path: String { "/dev/fd/\(descriptor)" }

    private init(called name: String) throws(LoadFault) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/tieout-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw LoadFault(.unreadable, "\(name) cannot be kept in \(folder)") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
    }

    static func empty(called name: String) throws(LoadFault) -> Spool { try Spool(called: name) }

    /// Standard input, to its end.
    convenience init() throws(LoadFault) {
        let name = "standard input"
        try self.init(called: name)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
            if count == 0 { return }
            if count < 0 { throw LoadFault(.unreadable, "\(name) cannot be read (errno \(errno))") }
            try append(UnsafeRawBufferPointer(rebasing: buffer[..<count]), name)
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer, _ name: String) throws(LoadFault) {
        var rest = bytes
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            guard count > 0 else { throw LoadFault(.unreadable, "\(name) cannot be kept (errno \(errno))") }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    deinit { close(descriptor) }
}
