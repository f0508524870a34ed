import Crypto
import Glibc

/// The folder of one account's job. A run is written into a hidden folder in it and appears under
/// `<business day>/<run>` by one rename, so that nobody ever sees half a report. While this object lives it holds an
/// exclusive lock on the folder: whatever hidden folder it finds was left by a publish that died.
final class PublishDirectory {
    private static let prefix = ".publish-"

    /// `<output>/<account>/<job>`.
    let job: String
    private let descriptor: Int32
    private var temporary: String?

    init(output: String, account: String, job: String) throws(ReportingError) {
        try Self.makeFolder(output)
        try Self.makeFolder("\(output)/\(account)")
        self.job = "\(output)/\(account)/\(job)"
        try Self.makeFolder(self.job)
        descriptor = open(self.job, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { throw .system(self.job, "open") }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { throw .busy(path: self.job) }
        for leftover in try Self.entries(self.job) where leftover.hasPrefix(Self.prefix) {
            try Self.remove("\(self.job)/\(leftover)")
        }
    }

    deinit {
        if let temporary { try? Self.remove(temporary) }
        close(descriptor)
    }

    /// Makes the hidden folder that the run's files are written into.
    func begin(run: Int64) throws(ReportingError) -> String {
        let path = "\(job)/\(Self.prefix)\(run)"
        try Self.makeFolder(path)
        temporary = path
        return path
    }

    /// Puts the hidden folder in its place, and lets `latest` point to it unless a newer run stands there. Where the
    /// run is published already the bytes must be the same. Returns the place, and whether it was there.
    func publish(day: String, run: Int64) throws(ReportingError) -> (path: String, wasPublished: Bool) {
        guard let temporary else { throw .file(path: job, operation: "publish", reason: "nothing was begun") }
        let dayFolder = "\(job)/\(day)"
        let place = "\(dayFolder)/\(run)"
        try Self.makeFolder(dayFolder)
        if access(place, F_OK) == 0 {
            try Self.requireSame(temporary, place)
            try Self.remove(temporary)
            self.temporary = nil
            try link(day: day, run: run)
            return (place, true)
        }
        try Self.sync(temporary)
        if rename(temporary, place) != 0 { throw .system(place, "publish") }
        self.temporary = nil
        try Self.sync(dayFolder)
        try link(day: day, run: run)
        return (place, false)
    }

    private func link(day: String, run: Int64) throws(ReportingError) {
        let latest = "\(job)/latest"
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink(latest, &buffer, buffer.count)
        if length > 0 {
            let target = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if let newest = target.split(separator: "/").last.flatMap({ Int64($0) }), newest > run { return }
        }
        let next = "\(job)/\(Self.prefix)latest"
        unlink(next)
        if symlink("\(day)/\(run)", next) != 0 { throw .system(next, "link") }
        if rename(next, latest) != 0 { throw .system(latest, "link") }
        try Self.sync(job)
    }

    private static func requireSame(_ new: String, _ old: String) throws(ReportingError) {
        let names = try Set(entries(new)).union(entries(old)).sorted()
        for name in names {
            let a = try digest("\(new)/\(name)")
            let b = try digest("\(old)/\(name)")
            if a != b || a == nil { throw .differs(path: old, file: name) }
        }
    }

    /// Nil where there is no such file.
    private static func digest(_ path: String) throws(ReportingError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        if file < 0 {
            if errno == ENOENT { return nil }
            throw .system(path, "open")
        }
        defer { close(file) }
        var hasher = SHA256Hasher()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            if count < 0 { throw .system(path, "read") }
            if count == 0 { return hasher.finish() }
            hasher.update(buffer[..<count])
        }
    }

    private static func makeFolder(_ path: String) throws(ReportingError) {
        if mkdir(path, 0o750) == 0 {
            if chmod(path, 0o750) != 0 { throw .system(path, "set the mode of") }
            return
        }
        if errno == EEXIST { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeFolder(String(path[..<slash]))
            return try makeFolder(path)
        }
        throw .system(path, "make")
    }

    private static func sync(_ path: String) throws(ReportingError) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder < 0 { throw .system(path, "open") }
        defer { close(folder) }
        if fsync(folder) != 0 { throw .system(path, "sync") }
    }

    private static func entries(_ path: String) throws(ReportingError) -> [String] {
        guard let stream = opendir(path) else { throw .system(path, "list") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a folder of files, or one file or link. Never follows a link.
    private static func remove(_ path: String) throws(ReportingError) {
        if unlink(path) == 0 || errno == ENOENT { return }
        for name in try entries(path) { try remove("\(path)/\(name)") }
        if rmdir(path) != 0 { throw .system(path, "remove") }
    }
}

/// A name from configuration or database as one folder name: letters, digits, `.`, `_` and `-`; what has to be changed
/// for that gets the account's number behind it, so that two names never share a folder.
func folderName(_ name: String, id: Int64) -> String {
    var safe = ""
    for scalar in name.unicodeScalars {
        let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        safe.unicodeScalars.append(isPlain || scalar == "." || scalar == "_" || scalar == "-" ? scalar : "-")
    }
    if safe.isEmpty || safe.hasPrefix(".") { safe = "_" + safe }
    return safe == name && safe.utf8.count <= 100 ? safe : "\(safe.prefix(100))-\(id)"
}
