import Glibc

/// The bytes of a file or of standard input, unpacked where they are gzip (told by the first two bytes, not by the name).
/// Not `Sendable`.
package final class ByteReader {
    private let input: FileInput
    private var gzip: GzipReader?
    private var front: ArraySlice<UInt8> = []

    /// What is read, for messages.
    package var name: String { input.name }

    /// Opens `path`; `-` is standard input.
    package convenience init(path: String) throws(CompressionFault) {
        if path == "-" {
            try self.init(descriptor: STDIN_FILENO, name: "standard input")
        } else {
            try self.init(FileInput(path: path))
        }
    }

    /// Reads an open descriptor, which stays the caller's.
    package convenience init(descriptor: Int32, name: String) throws(CompressionFault) {
        try self.init(FileInput(descriptor: descriptor, name: name))
    }

    package convenience init(bytes: [UInt8], name: String) throws(CompressionFault) {
        try self.init(FileInput(bytes: bytes, name: name))
    }

    private init(_ input: FileInput) throws(CompressionFault) {
        self.input = input
        // A pipe may hand out its first byte alone.
        var bytes: [UInt8] = []
        while bytes.count < 2 {
            var next: UInt8 = 0
            let count = try withUnsafeMutableBytes(of: &next) { byte throws(CompressionFault) in
                try input.read(into: byte)
            }
            if count == 0 { break }
            bytes.append(next)
        }
        if bytes == [0x1F, 0x8B] {
            gzip = GzipReader(input, front: bytes)
        } else {
            front = bytes[...]
        }
    }

    /// Fills the front of `output`; returns how many bytes, 0 at the end.
    package func read(into output: UnsafeMutableRawBufferPointer) throws(CompressionFault) -> Int {
        if let gzip { return try gzip.read(into: output) }
        if !front.isEmpty {
            let count = min(front.count, output.count)
            output.copyBytes(from: front.prefix(count))
            front = front.dropFirst(count)
            return count
        }
        return try input.read(into: output)
    }
}
