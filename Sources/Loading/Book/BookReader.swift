import Crypto
import Payments

/// One book file on its way to the server: the header is read, the records pass by, each behind its line number and
/// length; what PostgreSQL's reader would stumble over is kept back.
final class BookReader {
    let file: InputFile
    let options: BookOptions
    let header: BookHeader
    /// Records met so far, good and bad.
    private(set) var records = 0

    private let source: FileBytes
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    /// What of the buffer lies behind the header.
    private var pending: Range<Int>
    private let firstLine: Int

    init(file: InputFile, options: BookOptions) throws {
        self.file = file
        self.options = options
        guard options.encoding.utf8.allSatisfy({ $0 < 128 && $0 > 32 && $0 != UInt8(ascii: "'") }) else {
            throw LoadFault(.usage, "the encoding must be a name such as UTF8 or windows-1252")
        }
        source = try FileBytes(path: file.path, name: file.name)
        let count = try source.fill(buffer)
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw LoadFault(.format, "\(file.name): the file is UTF-16; export it as UTF-8")
        }
        // A byte-order mark is no part of the first column's name.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var scanner = CSVRecords(delimiter: nil)
        var first: [UInt8]?
        let read = try scanner.read(UnsafeRawBufferPointer(rebasing: bytes[start...]), file: file.name) { record in
            first = Array(record.bytes)
            return false
        }
        if first == nil, count < buffer.count {
            try scanner.finish(file: file.name) { record in
                first = Array(record.bytes)
                return false
            }
        }
        guard let first else { throw LoadFault(.format, "\(file.name): the file has no header row") }
        header = try BookHeader(first[...], file: file.name, hasSource: options.baseSource != nil)
        pending = start + read..<count
        firstLine = scanner.line
    }

    deinit { buffer.deallocate() }

    /// Hands every readable record to `send`, as the server is to read it. Returns the others.
    func pass(_ send: ([UInt8]) throws -> Void) throws -> [BadRecord] {
        var scanner = CSVRecords(delimiter: header.delimiter, line: firstLine)
        var bad: [BadRecord] = []
        var out: [UInt8] = []
        out.reserveCapacity(1 << 17)
        let take: (CSVRecords.Record) throws -> Bool = { [self] record in
            records += 1
            if let reason = fault(of: record) {
                bad.append(
                    BadRecord(
                        source: options.baseSource, reason: reason, line: record.line, length: record.bytes.count,
                        digest: Digest.sha256(record.bytes)))
                return true
            }
            out += String(record.line).utf8
            out.append(header.delimiter)
            out += String(record.bytes.count).utf8
            out.append(header.delimiter)
            out += record.bytes
            out.append(UInt8(ascii: "\n"))
            if out.count > 1 << 16 {
                try send(out)
                out.removeAll(keepingCapacity: true)
            }
            return true
        }
        repeat {
            try scanner.read(UnsafeRawBufferPointer(rebasing: buffer[pending]), file: file.name, take)
            pending = 0..<(try source.fill(buffer))
        } while !pending.isEmpty
        try scanner.finish(file: file.name, take)
        try send(out)
        if records == 0 { throw LoadFault(.format, "\(file.name): the file holds a header, but no record") }
        return bad
    }

    private func fault(of record: CSVRecords.Record) -> String? {
        if record.fields != header.columns.count {
            return "fields: \(record.fields) where the header has \(header.columns.count)"
        }
        if record.bytes.contains(0) { return "encoding: a zero byte" }
        if options.isUTF8, !Self.isUTF8(record.bytes) { return "encoding: not UTF-8" }
        return nil
    }

    private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.allSatisfy { $0 < 128 } || String(validating: bytes, as: UTF8.self) != nil
    }
}
