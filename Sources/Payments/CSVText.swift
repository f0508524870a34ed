/// The records of a small CSV text of our own (RFC 4180: commas, quotes, doubled quotes), header included. Files of
/// others are PostgreSQL's to parse.
package enum CSVText {
    /// Nil for a quote that never closes.
    package static func records(_ text: String) -> [[String]]? {
        var records: [[String]] = []
        var record: [String] = []
        var field = ""
        var isQuoted = false
        var isEmpty = true
        var rest = text.unicodeScalars[...]
        func endRecord() {
            if !isEmpty { records.append(record + [field]) }
            (record, field, isEmpty) = ([], "", true)
        }
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"" where isQuoted && rest.first == "\"":
                rest.removeFirst()
                field.unicodeScalars.append(scalar)
            case "\"":
                isQuoted.toggle()
                isEmpty = false
            case "," where !isQuoted:
                record.append(field)
                (field, isEmpty) = ("", false)
            case "\n" where !isQuoted: endRecord()
            case "\r" where !isQuoted && rest.first == "\n": continue
            default:
                field.unicodeScalars.append(scalar)
                isEmpty = false
            }
        }
        if isQuoted { return nil }
        endRecord()
        return records
    }
}
