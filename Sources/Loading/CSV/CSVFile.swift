import Crypto
import Payments

/// One CSV file as its records pass by, from its beginning. A byte-order mark is no part of the first of them.
final class CSVFile {
    let file: InputFile

    private let source: FileBytes
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    /// What of the buffer was not read yet.
    private var pending: Range<Int>
    private var line = 1

    /// Throws a `LoadFault` where the file cannot be read, or is UTF-16.
    init(_ file: InputFile) throws {
        self.file = file
        source = try FileBytes(path: file.path, name: file.name)
        let count = try source.fill(buffer)
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            buffer.deallocate()
            throw LoadFault(.format, "\(file.name): the file is UTF-16; export it as UTF-8")
        }
        pending = (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)..<count
    }

    deinit { buffer.deallocate() }

    /// Hands on one record after another, from where the last call stopped, until `body` returns false or the file ends.
    /// `delimiter` nil: fields are not counted.
    func read(delimiter: UInt8?, _ body: (CSVRecords.Record) throws -> Bool) throws {
        var scanner = CSVRecords(delimiter: delimiter, line: line)
        var goesOn = true
        repeat {
            let count = try scanner.read(UnsafeRawBufferPointer(rebasing: buffer[pending]), file: file.name) { record in
                goesOn = try body(record)
                return goesOn
            }
            if !goesOn {
                pending = (pending.lowerBound + count)..<pending.upperBound
                line = scanner.line
                return
            }
            pending = 0..<(try source.fill(buffer))
        } while !pending.isEmpty
        try scanner.finish(file: file.name, body)
        line = scanner.line
    }

    /// What PostgreSQL's reader would stumble over in these bytes; nil: nothing.
    static func fault(in bytes: UnsafeRawBufferPointer, isUTF8: Bool) -> String? {
        if bytes.contains(0) { return "encoding: a zero byte" }
        if isUTF8, !bytes.allSatisfy({ $0 < 128 }), String(validating: bytes, as: UTF8.self) == nil {
            return "encoding: not UTF-8"
        }
        return nil
    }

    /// Throws where the name of an encoding could be more than a name.
    static func check(encoding: String) throws(LoadFault) {
        guard encoding.utf8.allSatisfy({ $0 < 128 && $0 > 32 && $0 != UInt8(ascii: "'") }) else {
            throw LoadFault(.usage, "the encoding must be a name such as UTF8 or windows-1252")
        }
    }

    static func isUTF8(_ encoding: String) -> Bool { ["UTF8", "UTF-8"].contains(encoding.uppercased()) }
}

/// Records on their way to the server, collected into pieces of about 64 kB.
struct RecordBuffer {
    private var out: [UInt8] = []

    /// One record: its line and length, then what `fields` appends behind the delimiter.
    mutating func add(
        _ record: CSVRecords.Record, delimiter: UInt8, to send: ([UInt8]) throws -> Void,
        _ fields: (inout [UInt8]) -> Void
    ) throws {
        out += String(record.line).utf8
        out.append(delimiter)
        out += String(record.bytes.count).utf8
        out.append(delimiter)
        fields(&out)
        out.append(UInt8(ascii: "\n"))
        if out.count > 1 << 16 { try flush(to: send) }
    }

    mutating func flush(to send: ([UInt8]) throws -> Void) throws {
        try send(out)
        out.removeAll(keepingCapacity: true)
    }
}

extension BadRecord {
    /// A record that the server's reader would stumble over.
    init(_ record: CSVRecords.Record, source: String?, reason: String) {
        self.init(
            source: source, reason: reason, line: record.line, length: record.bytes.count,
            digest: Digest.sha256(record.bytes))
    }
}
