/// Why bytes could not be read, and where they came from. Never what they say.
package struct CompressionFault: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The data ends inside a compressed stream: a copy that was cut off.
        case truncated
        /// The data is no such stream, or its checksum disagrees.
        case corrupt
        /// It would unpack to more than the caller allows.
        case beyondLimit
        /// The operating system refused (its error number).
        case system(Int32)
    }

    package let kind: Kind
    /// What was read: a path, `standard input`, or the kind of data.
    package let name: String
    private let detail: String

    init(_ kind: Kind, _ name: String, _ detail: String) {
        self.kind = kind
        self.name = name
        self.detail = detail
    }

    package var description: String { "\(name): \(detail)" }
}
