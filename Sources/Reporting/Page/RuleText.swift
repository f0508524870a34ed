/// What a rule says of itself in the comment header of its file.
struct RuleText: Sendable {
    let rule: String
    let title: String
    let why: String?
    let fix: String?

    /// Reads `-- key: text` lines; a comment line without a key of its own goes on with the text before it. Ends at
    /// the first line that is no comment.
    init(rule: String, body: String?) {
        let keys: Set<String> = ["rule", "title", "severity", "grain", "needs", "proves", "param", "why", "fix"]
        var texts: [String: String] = [:]
        var current: String?
        for line in (body ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("--") else { break }
            let text = line.dropFirst(2).drop { $0 == " " }
            let key = text.prefix { $0 != ":" }
            if keys.contains(String(key)) {
                current = String(key)
                texts[String(key)] = String(text.dropFirst(key.count + 1).drop { $0 == " " })
            } else if let current, !text.isEmpty {
                texts[current, default: ""] += " " + text
            }
        }
        self.rule = rule
        let words = rule.split(separator: "_").joined(separator: " ")
        title = texts["title"] ?? words.prefix(1).uppercased() + words.dropFirst()
        why = texts["why"]
        fix = texts["fix"]
    }
}
