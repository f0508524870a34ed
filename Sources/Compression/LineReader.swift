import Glibc

/// One line of a text, without its end.
package enum Line: Hashable, Sendable {
    /// `number` counts from 1.
    case text(number: Int, bytes: [UInt8])
    /// A line over the cap: only its first bytes were kept. The next line is read as usual.
    case tooLong(number: Int, length: Int, head: [UInt8])

    package var number: Int {
        switch self {
        case .text(let number, _), .tooLong(let number, _, _): number
        }
    }
}

/// Streams the lines of a plain or gzip file, or of standard input (`-`). Lines end in LF or CRLF; the last one needs no
/// end. Empty lines come as they are, so that numbers agree with an editor's. A byte order mark in front is dropped.
/// Memory is bounded by the cap. Not `Sendable`.
package final class LineReader {
    /// Bytes; far above any webhook body.
    package static let standardCap = 16 << 20
    private static let headSize = 4096

    private let reader: ByteReader
    private let cap: Int
    private let buffer: UnsafeMutableRawBufferPointer
    private var unread: Range<Int> = 0..<0
    private var number = 0

    package convenience init(path: String, cap: Int = standardCap) throws(CompressionFault) {
        self.init(try ByteReader(path: path), cap: cap)
    }

    package init(_ reader: ByteReader, cap: Int = standardCap) {
        self.reader = reader
        self.cap = cap
        buffer = .allocate(byteCount: 256 * 1024, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// What is read, for messages.
    package var name: String { reader.name }

    /// The next line, nil behind the last. Throws for what the file itself has wrong; a line too long is no such thing.
    package func next() throws(CompressionFault) -> Line? {
        var line: [UInt8] = []
        var length = 0
        while true {
            if unread.isEmpty {
                unread = 0..<(try reader.read(into: buffer))
                if unread.isEmpty { return length == 0 ? nil : finish(&line, length) }
            }
            let rest = UnsafeRawBufferPointer(rebasing: buffer[unread])
            let end = Self.lineFeed(in: rest)
            let part = UnsafeRawBufferPointer(rebasing: rest[..<(end ?? rest.count)])
            // One byte above the cap: it may be the CR of the line's end.
            let kept = min(part.count, max(0, cap + 1 - line.count))
            line += UnsafeRawBufferPointer(rebasing: part[..<kept])
            length += part.count
            unread = unread.lowerBound + part.count + (end == nil ? 0 : 1)..<unread.upperBound
            if end != nil { return finish(&line, length) }
        }
    }

    private static func lineFeed(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, let found = memchr(base, 10, bytes.count) else { return nil }
        return found - UnsafeMutableRawPointer(mutating: base)
    }

    private func finish(_ line: inout [UInt8], _ whole: Int) -> Line {
        number += 1
        var length = whole
        if line.count == whole, line.last == 13 {
            line.removeLast()
            length -= 1
        }
        if length > cap {
            return .tooLong(number: number, length: length, head: Array(line.prefix(min(cap, Self.headSize))))
        }
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        return .text(number: number, bytes: line)
    }
}
