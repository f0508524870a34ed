import CSimdJSON

/// Why bytes are no document: what is wrong and where. Never what they say: they may hold personal data.
package struct JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    package let message: String
    /// Bytes from the start of the document.
    package let offset: Int

    package init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }

    package var description: String { "\(message) at byte \(offset)" }

    init(code: Int32, offset: Int) {
        self.init(Self.message(of: Int(code)), at: offset)
    }

    private static func message(of code: Int) -> String {
        switch code {
        case CSIMDJSON_EMPTY: "no JSON value"
        case CSIMDJSON_TOO_DEEP: "nested too deeply"
        case CSIMDJSON_BAD_UTF8: "invalid UTF-8"
        case CSIMDJSON_CONTROL_CHARACTER: "control character in a string"
        case CSIMDJSON_UNCLOSED_STRING: "string without an end"
        case CSIMDJSON_BAD_ESCAPE: "invalid escape in a string"
        case CSIMDJSON_BAD_NUMBER: "invalid number"
        case CSIMDJSON_BAD_LITERAL: "invalid literal"
        case CSIMDJSON_EXPECTED_VALUE: "expected a value"
        case CSIMDJSON_EXPECTED_KEY: "expected a key"
        case CSIMDJSON_EXPECTED_COLON: "expected a colon"
        case CSIMDJSON_EXPECTED_COMMA: "expected a comma or the end of an object or array"
        case CSIMDJSON_TRUNCATED: "ends too early"
        case CSIMDJSON_TRAILING: "something follows the value"
        case CSIMDJSON_NO_MEMORY: "too little memory"
        default: "cannot be parsed"
        }
    }
}
