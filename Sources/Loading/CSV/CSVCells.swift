/// The cells of one CSV record, as its bytes lie in the file. PostgreSQL's own reader parses their values; here they are
/// only told apart, and read as the names of columns.
enum CSVCells {
    /// The separator met most often outside quotes: comma, semicolon or tab; a comma where none is met.
    static func delimiter(of record: some Collection<UInt8>) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        var quoted = false
        for byte in record {
            if byte == UInt8(ascii: "\"") { quoted.toggle() }
            if !quoted { counts[byte, default: 0] += 1 }
        }
        var best = UInt8(ascii: ",")
        for other in [UInt8(ascii: ";"), UInt8(ascii: "\t")] where counts[other, default: 0] > counts[best, default: 0]
        {
            best = other
        }
        return best
    }

    /// Where each cell of a record lies, quotes included. A quote opens and closes wherever it stands.
    static func ranges(of record: UnsafeRawBufferPointer, delimiter: UInt8) -> [Range<Int>] {
        var cells: [Range<Int>] = []
        var start = 0
        var quoted = false
        for (index, byte) in record.enumerated() {
            if byte == UInt8(ascii: "\"") {
                quoted.toggle()
            } else if byte == delimiter, !quoted {
                cells.append(start..<index)
                start = index + 1
            }
        }
        cells.append(start..<record.count)
        return cells
    }

    /// RFC 4180: fields may be quoted, a doubled quote stands for one. Surrounding blanks are no part of a name.
    static func names(of record: some Collection<UInt8>, delimiter: UInt8) -> [String] {
        var fields: [[UInt8]] = [[]]
        var quoted = false
        var closed = false
        for byte in record {
            if byte == UInt8(ascii: "\"") {
                if closed { fields[fields.count - 1].append(byte) }
                closed = quoted
                quoted.toggle()
            } else if byte == delimiter, !quoted {
                fields.append([])
                closed = false
            } else {
                fields[fields.count - 1].append(byte)
                closed = false
            }
        }
        return fields.map { trimmed(text($0)) }
    }

    /// Names are UTF-8; in another encoding each byte stands for itself, which only names of extra columns can meet.
    private static func text(_ bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func trimmed(_ text: String) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\u{A0}" }
        let front = text.drop(while: isBlank)
        var end = front.endIndex
        while end > front.startIndex, isBlank(front[front.index(before: end)]) { end = front.index(before: end) }
        return String(front[..<end])
    }

    /// A name as a message may show it: short, and without control characters.
    static func shown(_ name: String) -> String {
        String(
            String.UnicodeScalarView(name.unicodeScalars.prefix(40).map { $0.value < 32 || $0.value == 127 ? "?" : $0 })
        )
    }
}
