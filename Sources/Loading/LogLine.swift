/// One event for the operator's log. JobRunner formats it (text or JSON), adds time, run and account, and escapes it.
/// Fields hold no secret and no personal data.
package struct LogLine: Sendable, Hashable {
    package enum Level: String, Sendable, Hashable {
        case debug, info, warning, error
    }

    package let level: Level
    /// A fixed name, e.g. `walk finished`.
    package let event: String
    /// In the order in which they are printed.
    package let fields: [Field]

    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package init(_ level: Level, _ event: String, _ fields: [(String, String)] = []) {
        self.level = level
        self.event = event
        self.fields = fields.map { Field(name: $0.0, value: $0.1) }
    }
}
