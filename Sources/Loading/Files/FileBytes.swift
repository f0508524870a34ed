import Compression
import Crypto
import Glibc

/// The bytes of one input file as they are meant: plain, or unpacked where the file begins with gzip's mark.
final class FileBytes {
    private enum Origin {
        case plain(CInt)
        case packed(GzipReader)
    }

    private let origin: Origin
    private let name: String

    /// `name` is what messages call the file.
    init(path: String, name: String) throws(LoadFault) {
        self.name = name
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LoadFault(.unreadable, "cannot open \(name)") }
        var mark: [UInt8] = [0, 0]
        if pread(descriptor, &mark, 2, 0) == 2, mark == [0x1F, 0x8B] {
            close(descriptor)
            do {
                origin = .packed(try GzipReader(path: path))
            } catch {
                throw LoadFault(.unreadable, "cannot open \(name)")
            }
        } else {
            origin = .plain(descriptor)
        }
    }

    deinit { if case .plain(let descriptor) = origin { close(descriptor) } }

    /// Fills `buffer` as far as the file goes; fewer bytes than asked for mean its end.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(LoadFault) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = try readSome(rest)
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    private func readSome(_ buffer: UnsafeMutableRawBufferPointer) throws(LoadFault) -> Int {
        switch origin {
        case .plain(let descriptor):
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 { throw LoadFault(.unreadable, "reading \(name) failed (errno \(errno))") }
            return count
        case .packed(let reader):
            do {
                return try reader.read(into: buffer)
            } catch {
                throw LoadFault(.unreadable, "\(name) is damaged or cut off: \(error)")
            }
        }
    }

    /// SHA-256 of a file's bytes as they lie on disk, and how many they are.
    static func digest(path: String, name: String) throws(LoadFault) -> (digest: [UInt8], size: Int) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LoadFault(.unreadable, "cannot open \(name)") }
        defer { close(descriptor) }
        var hasher = SHA256Hasher()
        var size = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 { throw LoadFault(.unreadable, "reading \(name) failed (errno \(errno))") }
            if count == 0 { return (hasher.finish(), size) }
            hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            size += count
        }
    }
}
