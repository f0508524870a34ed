import Glibc

/// Where raw bytes come from: a file descriptor, or memory.
final class FileInput {
    private let descriptor: Int32?
    private let isOwned: Bool
    private var rest: ArraySlice<UInt8>
    let name: String

    /// Opens a file for reading.
    init(path: String) throws(CompressionFault) {
        let opened = open(path, O_RDONLY | O_CLOEXEC)
        if opened < 0 {
            let number = errno
            throw CompressionFault(.system(number), path, "cannot be opened: \(Self.text(of: number))")
        }
        descriptor = opened
        isOwned = true
        rest = []
        name = path
    }

    /// Reads an open descriptor, which stays the caller's.
    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        isOwned = false
        rest = []
        self.name = name
    }

    init(bytes: [UInt8], name: String) {
        descriptor = nil
        isOwned = false
        rest = bytes[...]
        self.name = name
    }

    deinit { if isOwned, let descriptor { close(descriptor) } }

    /// How many bytes came; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CompressionFault) -> Int {
        guard let descriptor else {
            let count = min(rest.count, buffer.count)
            buffer.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            return count
        }
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            let number = errno
            if number == EINTR { continue }
            throw CompressionFault(.system(number), name, "cannot be read: \(Self.text(of: number))")
        }
    }

    private static func text(of number: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, strerror_r(number, base, 256) == 0 else { return "error \(number)" }
            return String(cString: base)
        }
    }
}
