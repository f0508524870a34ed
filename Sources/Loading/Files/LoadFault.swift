/// Why a file could not be loaded. The text names file, line and column, never what stands there.
package struct LoadFault: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// The file cannot be opened or read.
        case unreadable
        /// The database that holds the secrets of payments cannot be asked; nothing was judged without them.
        case noSecrets
        /// The file is no order book or webhook history; nothing of it was taken in.
        case format
        /// Options that contradict each other or the configuration.
        case usage
        /// What was counted is not what the database holds: everything was rolled back.
        case countsDiffer
    }

    package let kind: Kind
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }
}
