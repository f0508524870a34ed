/// Where a JSON5 text stops being JSON5. Foundation decodes the text but gives no position for a syntax error, so this
/// reader walks it once more, only after a refusal, to name the line for the operator.
struct JSON5Fault: Sendable, Hashable {
    let line: Int
    let column: Int
    let message: String

    /// The first fault of `text`, or nil where this walk finds none.
    static func first(in text: String) -> JSON5Fault? {
        var walk = Walk(bytes: Array(text.utf8))
        do throws(Stop) {
            try walk.value(depth: 0)
            try walk.skipBlank()
            if !walk.isAtEnd { throw Stop("text after the end of the document") }
            return nil
        } catch {
            return walk.fault(error.message)
        }
    }

    private struct Stop: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    private struct Walk {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position >= bytes.count }
        var current: UInt8? { isAtEnd ? nil : bytes[position] }

        func fault(_ message: String) -> JSON5Fault {
            let before = bytes[..<min(position, bytes.count)]
            let line = before.count { $0 == UInt8(ascii: "\n") } + 1
            let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            return JSON5Fault(line: line, column: before.count - lineStart + 1, message: message)
        }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard current == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        /// Blanks, `// …` and `/* … */`.
        mutating func skipBlank() throws(Stop) {
            while let byte = current {
                if byte <= 32 {
                    position += 1
                } else if byte == UInt8(ascii: "/"), position + 1 < bytes.count {
                    if bytes[position + 1] == UInt8(ascii: "/") {
                        while let next = current, next != UInt8(ascii: "\n") { position += 1 }
                    } else if bytes[position + 1] == UInt8(ascii: "*") {
                        let start = position
                        position += 2
                        while position + 1 < bytes.count,
                            !(bytes[position] == UInt8(ascii: "*") && bytes[position + 1] == UInt8(ascii: "/"))
                        {
                            position += 1
                        }
                        if position + 1 >= bytes.count {
                            position = start
                            throw Stop("a comment that never ends")
                        }
                        position += 2
                    } else {
                        throw Stop("unexpected '/'")
                    }
                } else {
                    return
                }
            }
        }

        mutating func value(depth: Int) throws(Stop) {
            if depth > 64 { throw Stop("nested more than 64 deep") }
            try skipBlank()
            switch current {
            case nil: throw Stop("the text ends where a value is expected")
            case UInt8(ascii: "{"): try members(depth: depth)
            case UInt8(ascii: "["): try elements(depth: depth)
            case UInt8(ascii: "\""), UInt8(ascii: "'"): try string()
            default: try word("a value")
            }
        }

        mutating func members(depth: Int) throws(Stop) {
            position += 1
            while true {
                try skipBlank()
                if take("}") { return }
                if current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") {
                    try string()
                } else {
                    try word("a key or '}'")
                }
                try skipBlank()
                if !take(":") { throw Stop("expected ':' after a key") }
                try value(depth: depth + 1)
                try skipBlank()
                if take(",") { continue }
                if take("}") { return }
                throw Stop(isAtEnd ? "an object that never ends" : "expected ',' or '}'")
            }
        }

        mutating func elements(depth: Int) throws(Stop) {
            position += 1
            while true {
                try skipBlank()
                if take("]") { return }
                try value(depth: depth + 1)
                try skipBlank()
                if take(",") { continue }
                if take("]") { return }
                throw Stop(isAtEnd ? "a list that never ends" : "expected ',' or ']'")
            }
        }

        mutating func string() throws(Stop) {
            let start = position
            let quote = bytes[position]
            position += 1
            while let byte = current {
                if byte == UInt8(ascii: "\\") {
                    position += 2
                } else if byte == UInt8(ascii: "\n") {
                    break
                } else {
                    position += 1
                    if byte == quote { return }
                }
            }
            position = start
            throw Stop("a text that never ends on its line")
        }

        /// A bare key, a number, `true`, `false`, `null`.
        mutating func word(_ expected: String) throws(Stop) {
            let start = position
            while let byte = current, isWord(byte) { position += 1 }
            if position == start { throw Stop("expected \(expected)") }
        }

        private func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."), UInt8(ascii: "+"),
                UInt8(ascii: "-"), 128...255:
                true
            default: false
            }
        }
    }
}
