import CSimdJSON
package import Payments

/// A view of one value inside a document: a reference and an index, cheap to pass around.
package struct JSONValue: Sendable {
    package enum Kind: Sendable, Hashable {
        case object, array, string, number, bool, null
    }

    let tape: Tape
    let index: Int

    var node: csimdjson_node { tape.nodes[index] }
    func has(_ flag: Int) -> Bool { Int(node.flags) & flag != 0 }

    package var kind: Kind {
        switch Int(node.kind) {
        case CSIMDJSON_OBJECT: .object
        case CSIMDJSON_ARRAY: .array
        case CSIMDJSON_STRING: .string
        case CSIMDJSON_NUMBER: .number
        case CSIMDJSON_TRUE, CSIMDJSON_FALSE: .bool
        default: .null
        }
    }

    package var isNull: Bool { Int(node.kind) == CSIMDJSON_NULL }
    package var isObject: Bool { Int(node.kind) == CSIMDJSON_OBJECT }
    package var isArray: Bool { Int(node.kind) == CSIMDJSON_ARRAY }

    /// Members of an object or elements of an array; 0 for scalars.
    package var count: Int { Int(node.count) }

    /// True when an object here or below holds a key twice.
    package var hasDuplicateKeys: Bool { has(CSIMDJSON_DUPLICATE_KEYS) }

    /// False when a value here or below is valid JSON but no usable text or number (see `UnreadableValues`).
    package var isReadable: Bool { !has(CSIMDJSON_UNREADABLE) }

    /// The value's bytes in the document, brackets and quotes included.
    package var sourceRange: Range<Int> { Int(node.start)..<Int(node.end) }
    package var sourceBytes: ArraySlice<UInt8> { tape.bytes[sourceRange] }

    /// The text of a string, unescaped, as UTF-8; nil for other kinds and for a string that is no usable text. Costs no
    /// copy unless it holds escapes.
    package var textBytes: ArraySlice<UInt8>? {
        guard Int(node.kind) == CSIMDJSON_STRING, isReadable else { return nil }
        let inside = tape.bytes[Int(node.start) + 1..<Int(node.end) - 1]
        return has(CSIMDJSON_TEXT_ESCAPED) ? unescaped(inside)[...] : inside
    }

    /// The text of a string; nil for other kinds.
    package var string: String? { textBytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The digits of a number as they were written: `1.10` stays `1.10`. Nil for other kinds.
    package var numberBytes: ArraySlice<UInt8>? {
        Int(node.kind) == CSIMDJSON_NUMBER && isReadable ? sourceBytes : nil
    }

    package var numberText: String? { numberBytes.map { String(decoding: $0, as: UTF8.self) } }

    package var boolValue: Bool? {
        switch Int(node.kind) {
        case CSIMDJSON_TRUE: true
        case CSIMDJSON_FALSE: false
        default: nil
        }
    }

    /// A string, a number or a bool as text, for fields that providers write now as one and now as the other.
    package var scalarText: String? { scalarBytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The same as UTF-8.
    package var scalarBytes: ArraySlice<UInt8>? {
        switch kind {
        case .string: textBytes
        case .number: numberBytes
        case .bool: sourceBytes
        default: nil
        }
    }

    /// A number written without fraction and exponent that fits; nil for all else.
    package var integer: Int64? { numberText.flatMap { Int64($0) } }

    /// The exact number of a JSON number, or of a string that holds one (some amounts travel as text). Nil for null,
    /// the empty string and other kinds; a fault for text that is no supported number.
    package func decimal() throws(ExactDecimal.Fault) -> ExactDecimal? {
        switch kind {
        case .number, .string:
            guard let text = scalarBytes else { throw .beyondPrecision }
            if text.isEmpty { return nil }
            return try ExactDecimal(utf8: text)
        default: return nil
        }
    }
}

func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    text.withUnsafeBufferPointer { input in
        [UInt8](unsafeUninitializedCapacity: input.count) { output, count in
            count = csimdjson_unescape(input.baseAddress, input.count, output.baseAddress)
        }
    }
}
