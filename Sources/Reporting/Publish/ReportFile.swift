import Crypto
import Glibc

/// A file being written: buffered, hashed and counted on the way, on disk for good once `close` returns. Not `Sendable`.
final class ReportFile {
    private static let capacity = 1 << 18

    let name: String
    private let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var hasher = SHA256Hasher()
    private(set) var bytes = 0
    private var isClosed = false

    init(_ name: String, in directory: String) throws(ReportingError) {
        self.name = name
        path = "\(directory)/\(name)"
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        if descriptor < 0 { throw .system(path, "create") }
        // The creator's umask must not decide who can read a report.
        if fchmod(descriptor, 0o640) != 0 { throw .system(path, "set the mode of") }
        buffer.reserveCapacity(Self.capacity)
    }

    deinit {
        if !isClosed { Glibc.close(descriptor) }
    }

    func write(_ chunk: UnsafeRawBufferPointer) throws(ReportingError) {
        hasher.update(chunk)
        bytes += chunk.count
        if buffer.count + chunk.count > Self.capacity { try flush() }
        if chunk.count >= Self.capacity {
            try writeOut(chunk)
        } else {
            buffer.append(contentsOf: chunk)
        }
    }

    func write(_ text: String) throws(ReportingError) { try write(Array(text.utf8)) }

    func write(_ chunk: [UInt8]) throws(ReportingError) {
        let fault: ReportingError? = chunk.withUnsafeBytes { chunk in
            do throws(ReportingError) {
                try write(chunk)
                return nil
            } catch {
                return error
            }
        }
        if let fault { throw fault }
    }

    /// Writes what is left, waits until the disk has it, and says what the file came to.
    func close(rows: Int? = nil) throws(ReportingError) -> PublishedFile {
        try flush()
        if fsync(descriptor) != 0 { throw .system(path, "sync") }
        isClosed = true
        if Glibc.close(descriptor) != 0 { throw .system(path, "close") }
        return PublishedFile(name: name, rows: rows, bytes: bytes, sha256: Hex.encode(hasher.finish()))
    }

    private func flush() throws(ReportingError) {
        let fault: ReportingError? = buffer.withUnsafeBytes { chunk in
            do throws(ReportingError) {
                try writeOut(chunk)
                return nil
            } catch {
                return error
            }
        }
        if let fault { throw fault }
        buffer.removeAll(keepingCapacity: true)
    }

    private func writeOut(_ chunk: UnsafeRawBufferPointer) throws(ReportingError) {
        var rest = chunk[...]
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0 {
                if errno == EINTR { continue }
                throw .system(path, "write")
            }
            rest = rest.dropFirst(written)
        }
    }
}

extension ReportingError {
    /// The error that the last system call left behind.
    static func system(_ path: String, _ operation: String) -> ReportingError {
        .file(path: path, operation: operation, reason: String(cString: strerror(errno)))
    }
}
