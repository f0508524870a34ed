import Payments
import Postgres

extension Rule {
    /// Reads a rule file. The header is its leading block of `-- key: value` lines; it ends at the first line that is no
    /// comment. Strict: an unknown key, a repeated one, a missing one or a value outside its list is a fault.
    package init(text: String, file: String) throws(RuleFault) {
        var header = HeaderReader(file: file)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.hasPrefix("--") else { break }
            try header.read(line.dropFirst(2), number: index + 1)
        }
        id = try header.required("rule")
        let stem = file.split(separator: "/").last.map(String.init) ?? file
        if stem != "\(id).sql" { throw header.fault("rule", "rule \(id) belongs in \(id).sql") }
        title = try header.required("title")
        severity = try header.word("severity")
        grain = try header.word("grain")
        proves = try header.word("proves")
        needs = try header.feeds("needs", header.required("needs", mayBeEmpty: true))
        needsWhereSettledByLines = try header.feeds(
            "needs_where_settled_by_lines", header.values["needs_where_settled_by_lines"]?.value ?? "")
        why = try header.required("why")
        fix = try header.required("fix")
        parameters = header.parameters
        shares = header.shares
        self.text = text
        if grain == .customer, shares.isEmpty {
            throw header.fault("grain", "a rule of grain customer says by `shares:` what ties payments together")
        }
        if grain != .customer, !shares.isEmpty {
            throw header.fault("grain", "only a rule of grain customer shares anything across payments")
        }
        let used = parameterNames(in: text)
        for name in used.sorted() where !parameters.contains(where: { $0.name == name }) {
            throw RuleFault(file: file, line: 1, message: "{\(name)} has no param line")
        }
        for parameter in parameters where parameter.name != "grace" && !used.contains(parameter.name) {
            throw RuleFault(file: file, line: 1, message: "param \(parameter.name) is not used")
        }
    }
}

/// The names in braces outside strings and comments.
func parameterNames(in text: String) -> Set<String> {
    var names: Set<String> = []
    for case .code(let code) in SQLScan.parts(of: text) {
        for piece in code.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
            guard let end = piece.firstIndex(of: "}") else { continue }
            names.insert(String(piece[..<end]))
        }
    }
    return names
}

/// Collects the header's lines.
private struct HeaderReader {
    static let keys: Set<String> = [
        "rule", "title", "severity", "grain", "shares", "needs", "needs_where_settled_by_lines", "proves", "param",
        "why",
        "fix",
    ]

    let file: String
    var values: [String: (value: String, line: Int)] = [:]
    var parameters: [Rule.Parameter] = []
    var shares: [Rule.Share] = []

    init(file: String) { self.file = file }

    mutating func read(_ line: Substring, number: Int) throws(RuleFault) {
        guard let colon = line.firstIndex(of: ":") else {
            throw RuleFault(file: file, line: number, message: "a header line is `-- key: value`")
        }
        let key = line[..<colon].trimmed
        let value = line[line.index(after: colon)...].trimmed
        if !Self.keys.contains(key) {
            let known = Self.keys.sorted().joined(separator: ", ")
            throw RuleFault(file: file, line: number, message: "unknown key \(key); known are \(known)")
        }
        if key == "param" {
            parameters.append(try parameter(value, number))
        } else if key == "shares" {
            shares.append(try share(value, number))
        } else if values[key] != nil {
            throw RuleFault(file: file, line: number, message: "\(key) stands twice")
        } else {
            values[key] = (value, number)
        }
    }

    /// `window interval = 24 hours`.
    private func parameter(_ text: String, _ number: Int) throws(RuleFault) -> Rule.Parameter {
        let sides = text.split(separator: "=", maxSplits: 1)
        let words = sides.first?.split(separator: " ") ?? []
        guard sides.count == 2, words.count == 2, let type = Rule.Parameter.Kind(rawValue: String(words[1])) else {
            let types = Rule.Parameter.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw RuleFault(
                file: file, line: number, message: "a param is `name type = value`, its type one of \(types)")
        }
        if parameters.contains(where: { $0.name == words[0] }) {
            throw RuleFault(file: file, line: number, message: "param \(words[0]) stands twice")
        }
        return Rule.Parameter(name: String(words[0]), type: type, value: sides[1].trimmed)
    }

    /// `transaction customer_id, charged`.
    private func share(_ text: String, _ number: Int) throws(RuleFault) -> Rule.Share {
        let words = text.split { $0 == " " || $0 == "," }.map(String.init)
        let columns = Array(words.dropFirst())
        // They become part of a statement.
        let areNames = columns.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") } }
        guard let relation = words.first.flatMap(Rule.Share.Relation.init), !columns.isEmpty, areNames else {
            let relations = Rule.Share.Relation.allCases.map(\.rawValue).joined(separator: " or ")
            throw RuleFault(
                file: file, line: number, message: "shares is `\(relations) column, column`: what is compared")
        }
        return Rule.Share(relation: relation, columns: columns.sorted())
    }

    /// `provider, book`.
    func feeds(_ key: String, _ text: String) throws(RuleFault) -> [Feed] {
        var feeds: [Feed] = []
        for name in text.split(separator: ",") {
            let name = name.trimmed
            guard let feed = Feed(rawValue: name) else { throw fault(key, "\(name) is no feed") }
            feeds.append(feed)
        }
        return feeds
    }

    func required(_ key: String, mayBeEmpty: Bool = false) throws(RuleFault) -> String {
        guard let value = values[key]?.value, mayBeEmpty || !value.isEmpty else {
            throw RuleFault(file: file, line: values[key]?.line ?? 1, message: "\(key) is missing")
        }
        return value
    }

    func word<Word: RawRepresentable & CaseIterable>(
        _ key: String
    ) throws(RuleFault) -> Word where Word.RawValue == String {
        let text = try required(key)
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault(key, "\(key) is one of \(words), not \(text)")
        }
        return word
    }

    func fault(_ key: String, _ message: String) -> RuleFault {
        RuleFault(file: file, line: values[key]?.line ?? 1, message: message)
    }
}

extension StringProtocol {
    /// Without blanks around it.
    var trimmed: String {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}
