import Synchronization

/// Splits SQL text into what is code and what is a string, a quoted name or a comment, so that names and parameters are
/// replaced in code only. Works on bytes: a run composes some hundred statements.
package struct SQLScan {
    package enum Part: Hashable, Sendable {
        case code(Substring)
        /// A string, a quoted name or a comment, verbatim.
        case verbatim(Substring)
    }

    /// A run composes a few dozen texts hundreds of times: each is scanned once.
    private static let known = Mutex<[String: [Part]]>([:])

    /// The parts of `text`, in order; joined again they are the text.
    package static func parts(of text: String) -> [Part] {
        if let parts = known.withLock({ $0[text] }) { return parts }
        let parts = scan(text)
        known.withLock { $0[text] = parts }
        return parts
    }

    private static func scan(_ text: String) -> [Part] {
        let bytes = Array(text.utf8)
        func piece(_ from: Int, _ to: Int) -> Substring { Substring(String(decoding: bytes[from..<to], as: UTF8.self)) }
        var parts: [Part] = []
        var index = 0
        var codeStart = 0
        while index < bytes.count {
            guard let end = endOfVerbatim(bytes, index) else {
                index += 1
                continue
            }
            if codeStart < index { parts.append(.code(piece(codeStart, index))) }
            parts.append(.verbatim(piece(index, end)))
            index = end
            codeStart = end
        }
        if codeStart < bytes.count { parts.append(.code(piece(codeStart, bytes.count))) }
        return parts
    }

    /// The text with each `{name}` outside strings and comments replaced by its fragment.
    package static func filled(_ text: String, _ fragments: [String: String]) -> String {
        parts(of: text).map { part in
            switch part {
            case .verbatim(let piece): return String(piece)
            case .code(let piece):
                return fragments.reduce(String(piece)) { $0.replacing("{\($1.key)}", with: $1.value) }
            }
        }.joined()
    }

    /// Where a string, quoted name or comment that starts at `start` ends; nil where none starts there.
    private static func endOfVerbatim(_ bytes: [UInt8], _ start: Int) -> Int? {
        let next = start + 1 < bytes.count ? bytes[start + 1] : 0
        switch bytes[start] {
        case UInt8(ascii: "-") where next == UInt8(ascii: "-"):
            return bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        case UInt8(ascii: "/") where next == UInt8(ascii: "*"): return endOfBlockComment(bytes, start)
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return endOfQuoted(bytes, start)
        case UInt8(ascii: "$"): return endOfDollarString(bytes, start)
        default: return nil
        }
    }

    /// A doubled quote is a quote inside.
    private static func endOfQuoted(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start + 1
        while index < bytes.count {
            if bytes[index] == bytes[start] {
                guard index + 1 < bytes.count, bytes[index + 1] == bytes[start] else { return index + 1 }
                index += 1
            }
            index += 1
        }
        return bytes.count
    }

    /// PostgreSQL's block comments nest.
    private static func endOfBlockComment(_ bytes: [UInt8], _ start: Int) -> Int {
        var depth = 0
        var index = start
        while index + 1 < bytes.count {
            if bytes[index] == UInt8(ascii: "/"), bytes[index + 1] == UInt8(ascii: "*") {
                depth += 1
                index += 2
            } else if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") {
                depth -= 1
                index += 2
                if depth == 0 { return index }
            } else {
                index += 1
            }
        }
        return bytes.count
    }

    /// `$tag$ … $tag$`; `$1` is no string.
    private static func endOfDollarString(_ bytes: [UInt8], _ start: Int) -> Int? {
        var close = start + 1
        while close < bytes.count, isWord(bytes[close]) { close += 1 }
        guard close < bytes.count, bytes[close] == UInt8(ascii: "$") else { return nil }
        if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[start + 1]) { return nil }
        let mark = bytes[start...close]
        var index = close + 1
        while index + mark.count <= bytes.count {
            if bytes[index..<index + mark.count] == mark { return index + mark.count }
            index += 1
        }
        return bytes.count
    }

    /// A byte of a name: a letter, a digit, an underscore, or part of a letter outside ASCII.
    package static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            return true
        default: return false
        }
    }
}
