/// A piece of markup. What is interpolated into it is escaped, unless it is markup itself: forgetting to escape does not
/// compile into anything.
struct HTML: ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    static var empty: HTML { "" }

    static func += (left: inout HTML, right: HTML) { left.text += right.text }

    var isEmpty: Bool { text.isEmpty }

    struct StringInterpolation: StringInterpolationProtocol {
        var text: String

        init(literalCapacity: Int, interpolationCount: Int) {
            text = ""
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ piece: HTML) { text += piece.text }
        // A literal in an interpolation is markup, as everywhere else; only what is a `String` by type is text.
        @_disfavoredOverload
        mutating func appendInterpolation(_ value: String) { text += HTML.escaped(value) }
        mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
    }

    /// The pieces one after the other.
    static func joined(_ pieces: some Sequence<HTML>, separator: HTML = "") -> HTML {
        var result = HTML.empty
        var isFirst = true
        for piece in pieces {
            if !isFirst { result += separator }
            result += piece
            isFirst = false
        }
        return result
    }

    /// The text as content or quoted attribute: markup characters as entities; control, direction and invisible
    /// characters as what they are called, so that they neither act nor hide.
    static func escaped(_ value: String) -> String {
        if value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && !isMarkup($0) }) { return value }
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default:
                switch scalar.value {
                case 0..<0x20: result.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
                case 0x7F: result += "\u{2421}"
                case 0x80...0x9F, 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
                    0xFE00...0xFE0F,
                    0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
                    result += "\u{27E8}U+\(hex(scalar.value))\u{27E9}"
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func isMarkup(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
            || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }
}
