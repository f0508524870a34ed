/// Finds the records of a CSV file as its bytes pass by: where each begins (physical line), how many fields it has.
/// Values are not touched: PostgreSQL's own reader parses them. A quote opens and closes wherever it stands, as there.
package struct CSVRecords {
    /// One record without its line end. `bytes` is valid during the call that hands it out.
    package struct Record {
        package let bytes: UnsafeRawBufferPointer
        /// Physical line on which it begins, from 1.
        package let line: Int
        package let fields: Int
    }

    /// What keeps a missing closing quote from swallowing memory.
    package static let maximumLength = 1 << 20

    package let delimiter: UInt8?
    /// Physical line that the next byte stands on.
    package private(set) var line = 1
    private var start = 1
    private var fields = 1
    private var quoted = false
    private var previousWasReturn = false
    /// The beginning of a record whose end has not come yet.
    private var held: [UInt8] = []

    /// `delimiter` nil: fields are not counted (a header's delimiter is not known yet).
    package init(delimiter: UInt8?, line: Int = 1) {
        self.delimiter = delimiter
        self.line = line
        start = line
    }

    /// Reads on. `body` returns false to stop behind the record it was given. Returns the bytes read.
    @discardableResult
    package mutating func read(
        _ chunk: UnsafeRawBufferPointer, file: String, _ body: (Record) throws -> Bool
    ) throws -> Int {
        var begin = 0
        var index = 0
        while index < chunk.count {
            let byte = chunk[index]
            index += 1
            if previousWasReturn {
                previousWasReturn = false
                // The second half of a line end whose first half has done the work.
                if byte == UInt8(ascii: "\n") {
                    if !quoted { begin = index }
                    continue
                }
            }
            switch byte {
            case UInt8(ascii: "\""):
                quoted.toggle()
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                line += 1
                previousWasReturn = byte == UInt8(ascii: "\r")
                if quoted { continue }
                let goesOn = try end(UnsafeRawBufferPointer(rebasing: chunk[begin..<index - 1]), body)
                begin = index
                if !goesOn {
                    // Both halves of the line end belong to the record that was handed out.
                    if previousWasReturn, index < chunk.count, chunk[index] == UInt8(ascii: "\n") { index += 1 }
                    return index
                }
            default:
                if byte == delimiter, !quoted { fields += 1 }
            }
        }
        if begin < chunk.count { held += chunk[begin...] }
        if held.count > Self.maximumLength {
            throw LoadFault(.format, "\(file):\(start): the record does not end; a closing quote may be missing")
        }
        return index
    }

    /// The file has ended; a last record needs no line end.
    package mutating func finish(file: String, _ body: (Record) throws -> Bool) throws {
        if quoted { throw LoadFault(.format, "\(file):\(start): a quote is opened and never closed") }
        if !held.isEmpty { _ = try end(UnsafeRawBufferPointer(start: nil, count: 0), body) }
    }

    private mutating func end(_ rest: UnsafeRawBufferPointer, _ body: (Record) throws -> Bool) throws -> Bool {
        defer {
            start = line
            fields = 1
        }
        if held.isEmpty {
            // An empty line is no record.
            return rest.isEmpty ? true : try body(Record(bytes: rest, line: start, fields: fields))
        }
        held += rest
        defer { held.removeAll(keepingCapacity: true) }
        return try held.withUnsafeBytes { try body(Record(bytes: $0, line: start, fields: fields)) }
    }
}
