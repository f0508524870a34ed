/// The first record of a book file: which column stands where.
package struct BookHeader: Sendable, Hashable {
    /// The columns that must be there.
    package static let required = ["order_id", "source", "status", "amount", "currency", "created_at"]
    /// The columns that may be there; any other is kept as it is.
    package static let optional = [
        "direction", "provider_order_id", "provider_session_id", "provider_transaction_id", "customer_id",
        "destination_amount", "destination_currency", "wallet_address", "wallet_tag", "payment_method", "country",
        "segment", "expires_at", "paid_at", "credited_at", "failed_at", "updated_at", "credited_amount",
        "refunded_amount", "idempotency_key",
    ]

    /// Comma, semicolon or tab.
    package let delimiter: UInt8
    /// The loader's column of each column of the file: a known name, or `extra_1`, `extra_2`, ….
    package let columns: [String]
    /// The file's own names of the extra columns, in order.
    package let extras: [String]

    /// Reads the header record's bytes (no line end, no byte-order mark). `hasSource`: a source is given from outside,
    /// so that the file need not name one. `file` is for the message.
    package init(_ record: ArraySlice<UInt8>, file: String, hasSource: Bool) throws(LoadFault) {
        delimiter = Self.delimiter(of: record)
        let names = Self.fields(of: record, delimiter: delimiter)
        var columns: [String] = []
        var extras: [String] = []
        var seen: Set<String> = []
        for (index, name) in names.enumerated() {
            if name.isEmpty { throw LoadFault(.format, "\(file): column \(index + 1) of the header has no name") }
            let known = name.lowercased()
            let isKnown = Self.required.contains(known) || Self.optional.contains(known)
            guard seen.insert(isKnown ? known : name).inserted else {
                throw LoadFault(.format, "\(file): the header names the column \(Self.shown(name)) twice")
            }
            if isKnown {
                columns.append(known)
            } else {
                extras.append(name)
                columns.append("extra_\(extras.count)")
            }
        }
        for name in Self.required where !columns.contains(name) && !(name == "source" && hasSource) {
            throw LoadFault(.format, "\(file): the header has no column \(name)")
        }
        self.columns = columns
        self.extras = extras
    }

    /// The separator met most often outside quotes; a comma where none is met.
    private static func delimiter(of record: ArraySlice<UInt8>) -> UInt8 {
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

    /// RFC 4180: fields may be quoted, a doubled quote stands for one. Surrounding blanks are no part of a name.
    private static func fields(of record: ArraySlice<UInt8>, delimiter: UInt8) -> [String] {
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
    private static func shown(_ name: String) -> String {
        String(
            String.UnicodeScalarView(name.unicodeScalars.prefix(40).map { $0.value < 32 || $0.value == 127 ? "?" : $0 })
        )
    }
}
