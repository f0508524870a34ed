package import Payments

/// Writes JSON, the same bytes for the same calls: members in the order they are given, as few escapes as the grammar
/// allows. Where `bytes` grow large the caller may take them away between two elements (`take`).
package struct JSONWriter: Sendable {
    package enum Layout: Sendable {
        case compact
        /// Two blanks a level, one member or element a line.
        case pretty
    }

    package private(set) var bytes: [UInt8] = []
    private let layout: Layout
    private var depth = 0
    /// A comma is due before the next element.
    private var follows = false
    private var afterKey = false

    package init(_ layout: Layout = .compact) { self.layout = layout }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What was written since the last call.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    package mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try container("{", "}", body)
    }

    package mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try container("[", "]", body)
    }

    private mutating func container<E: Error>(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        separate()
        bytes.append(UInt8(ascii: open))
        depth += 1
        follows = false
        try body(&self)
        depth -= 1
        if follows { breakLine() }
        bytes.append(UInt8(ascii: close))
        follows = true
    }

    /// The name of the value that is written next.
    package mutating func key(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        if layout == .pretty { bytes.append(UInt8(ascii: " ")) }
        afterKey = true
    }

    /// Nil is written as null.
    package mutating func string(_ text: String?) {
        guard let text else { return null() }
        separate()
        quote(text)
        follows = true
    }

    /// A number by its digits, as they are. Text that is no JSON number (`NaN` of a numeric column, say) is written as a
    /// string: the document must stay one. Nil is written as null.
    package mutating func number(_ text: String?) {
        guard let text else { return null() }
        if Self.isNumber(text) { raw(Array(text.utf8)) } else { string(text) }
    }

    package mutating func number(_ value: ExactDecimal?) { number(value?.description) }
    package mutating func integer(_ value: (some BinaryInteger)?) { number(value.map { String($0) }) }

    package mutating func bool(_ value: Bool?) {
        guard let value else { return null() }
        raw(Array((value ? "true" : "false").utf8))
    }

    package mutating func null() { raw(Array("null".utf8)) }

    /// One whole JSON value as it is; the caller vouches for it.
    package mutating func raw(_ value: some Sequence<UInt8>) {
        separate()
        bytes += value
        follows = true
    }

    private mutating func separate() {
        if afterKey {
            afterKey = false
            return
        }
        if follows { bytes.append(UInt8(ascii: ",")) }
        follows = false
        if depth > 0 { breakLine() }
    }

    private mutating func breakLine() {
        guard layout == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: depth * 2)
    }

    private mutating func quote(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            // Most texts are plain and go over in one piece.
            if utf8.allSatisfy({ $0 >= 32 && $0 != 0xE2 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                return bytes += utf8
            }
            var position = 0
            while position < utf8.count {
                let byte = utf8[position]
                // U+2028 and U+2029 end a line in JavaScript: E2 80 A8, E2 80 A9.
                if byte == 0xE2, position + 2 < utf8.count, utf8[position + 1] == 0x80,
                    utf8[position + 2] & 0xFE == 0xA8
                {
                    bytes += Array(utf8[position + 2] == 0xA8 ? "\\u2028".utf8 : "\\u2029".utf8)
                    position += 3
                    continue
                }
                append(escaping: byte)
                position += 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 8: bytes += Array("\\b".utf8)
        case 9: bytes += Array("\\t".utf8)
        case 10: bytes += Array("\\n".utf8)
        case 12: bytes += Array("\\f".utf8)
        case 13: bytes += Array("\\r".utf8)
        case 0..<32:
            let digits = Array("0123456789abcdef".utf8)
            bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        default: bytes.append(byte)
        }
    }

    private static func isNumber(_ text: String) -> Bool {
        guard let document = try? JSONDocument(text) else { return false }
        return document.root.kind == .number && document.root.sourceRange.count == text.utf8.count
    }
}
