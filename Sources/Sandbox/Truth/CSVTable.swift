/// A CSV file (RFC 4180) by its header: enough to read a published report.
struct CSVTable {
    private(set) var header: [String] = []
    private(set) var rows: [[String]] = []

    init(_ bytes: [UInt8]) {
        var records: [[String]] = []
        var record: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var hasContent = false
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        func text(_ field: [UInt8]) -> String { String(decoding: field, as: UTF8.self) }
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if isQuoted {
                if byte != 34 {
                    field.append(byte)
                } else if position < bytes.count, bytes[position] == 34 {
                    field.append(34)
                    position += 1
                } else {
                    isQuoted = false
                }
                continue
            }
            switch byte {
            case 34:
                isQuoted = true
                hasContent = true
            case UInt8(ascii: ","):
                record.append(text(field))
                field = []
                hasContent = true
            case 13: continue
            case 10:
                if hasContent || !field.isEmpty { records.append(record + [text(field)]) }
                record = []
                field = []
                hasContent = false
            default: field.append(byte)
            }
        }
        if hasContent || !field.isEmpty { records.append(record + [text(field)]) }
        header = records.first ?? []
        rows = Array(records.dropFirst())
    }

    /// The field of `row` under `column`; nil where there is no such column.
    func value(_ column: String, in row: [String]) -> String? {
        guard let index = header.firstIndex(of: column), index < row.count else { return nil }
        return row[index]
    }
}
