/// Compact JSON, written member by member into bytes: rows are rendered anew for every page, so nothing is built between.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func object(_ key: String? = nil, _ body: (inout JSONText) -> Void) {
        start(key)
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func array(_ key: String? = nil, _ body: (inout JSONText) -> Void) {
        start(key)
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// A string, or null.
    mutating func text(_ key: String? = nil, _ value: String?) {
        start(key)
        guard let value else {
            bytes += Array("null".utf8)
            return
        }
        quote(value)
    }

    /// A number in the digits given, or null.
    mutating func number(_ key: String? = nil, _ value: String?) { raw(key, value ?? "null") }

    mutating func flag(_ key: String? = nil, _ value: Bool) { raw(key, value ? "true" : "false") }

    /// A value that is JSON already.
    mutating func raw(_ key: String? = nil, _ json: String) {
        start(key)
        bytes.append(contentsOf: json.utf8)
    }

    /// The same, as bytes.
    mutating func raw(_ key: String? = nil, bytes json: [UInt8]) {
        start(key)
        bytes += json
    }

    /// A line end between documents of a JSON Lines file.
    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    private mutating func start(_ key: String?) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        guard let key else { return }
        quote(key)
        bytes.append(UInt8(ascii: ":"))
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    private mutating func quote(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            // Nearly everything needs no escape and goes in one piece.
            if utf8.allSatisfy({ $0 >= 32 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                bytes.append(contentsOf: utf8)
            } else {
                for byte in utf8 { append(escaping: byte) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
        case ..<32:
            bytes += Array("\\u00".utf8)
            bytes += [Self.hexDigits[Int(byte >> 4)], Self.hexDigits[Int(byte & 15)]]
        default: bytes.append(byte)
        }
    }
}
