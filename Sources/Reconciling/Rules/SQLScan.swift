import Synchronization

/// Splits SQL text into what is code and what is a string, a quoted name or a comment, so that names and parameters are
/// replaced in code only.
struct SQLScan {
    enum Part: Hashable, Sendable {
        case code(Substring)
        /// A string, a quoted name or a comment, verbatim.
        case verbatim(Substring)
    }

    /// A run composes a few dozen texts hundreds of times: each is scanned once.
    private static let known = Mutex<[String: [Part]]>([:])
    private static func isOpener(_ byte: UInt8) -> Bool {
        byte == 45 || byte == 47 || byte == 39 || byte == 34 || byte == 36
    }

    static func parts(of text: String) -> [Part] {
        if let parts = known.withLock({ $0[text] }) { return parts }
        let parts = scan(text)
        known.withLock { $0[text] = parts }
        return parts
    }

    private static func scan(_ text: String) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        var codeStart = rest.startIndex
        // By bytes: only - / ' " $ begin something verbatim, and most of a statement is code.
        while let start = rest.utf8.firstIndex(where: isOpener) {
            rest = text[start...]
            guard let end = endOfVerbatim(rest) else {
                rest = text[text.utf8.index(after: start)...]
                continue
            }
            if codeStart < rest.startIndex { parts.append(.code(text[codeStart..<rest.startIndex])) }
            parts.append(.verbatim(text[rest.startIndex..<end]))
            rest = text[end...]
            codeStart = end
        }
        if codeStart < text.endIndex { parts.append(.code(text[codeStart...])) }
        return parts
    }

    /// Where a string, quoted name or comment that starts at the text's start ends; nil where none starts there.
    private static func endOfVerbatim(_ rest: Substring) -> Substring.Index? {
        if rest.hasPrefix("--") { return rest.firstIndex(where: \.isNewline) ?? rest.endIndex }
        if rest.hasPrefix("/*") { return endOfBlockComment(rest) }
        if let quote = rest.first, quote == "'" || quote == "\"" {
            var index = rest.index(after: rest.startIndex)
            while index < rest.endIndex {
                if rest[index] == quote {
                    let next = rest.index(after: index)
                    // A doubled quote is a quote inside.
                    if next < rest.endIndex, rest[next] == quote {
                        index = rest.index(after: next)
                        continue
                    }
                    return next
                }
                index = rest.index(after: index)
            }
            return rest.endIndex
        }
        if rest.first == "$" { return endOfDollarString(rest) }
        return nil
    }

    /// PostgreSQL's block comments nest.
    private static func endOfBlockComment(_ rest: Substring) -> Substring.Index {
        var depth = 0
        var tail = rest
        while !tail.isEmpty {
            if tail.hasPrefix("/*") {
                depth += 1
                tail = tail.dropFirst(2)
            } else if tail.hasPrefix("*/") {
                depth -= 1
                tail = tail.dropFirst(2)
                if depth == 0 { break }
            } else {
                tail.removeFirst()
            }
        }
        return tail.startIndex
    }

    /// `$tag$ … $tag$`; `$1` is no string.
    private static func endOfDollarString(_ rest: Substring) -> Substring.Index? {
        let tail = rest.dropFirst()
        guard let close = tail.firstIndex(of: "$") else { return nil }
        let tag = tail[..<close]
        if tag.first?.isNumber == true { return nil }
        guard tag.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
        let mark = String(rest[rest.startIndex...close])
        var search = rest[rest.index(after: close)...]
        while !search.isEmpty {
            if search.hasPrefix(mark) { return search.index(search.startIndex, offsetBy: mark.count) }
            search.removeFirst()
        }
        return rest.endIndex
    }
}
