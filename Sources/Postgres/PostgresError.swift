/// What went wrong between Tieout and PostgreSQL. Neither `message` nor `description` ever holds a value of data: the
/// server's DETAIL, HINT and CONTEXT are dropped, and messages about bad values lose the value.
package struct PostgresError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        /// No connection, or it was lost.
        case connection
        /// The server refused a statement.
        case server
        /// This program asked for something that cannot be done; found before anything was sent.
        case usage
        /// A result does not have the type that was asked for.
        case decoding
        /// The statement was cancelled through a `Canceller` or by a time limit.
        case cancelled
    }

    package let kind: Kind
    /// Five characters, where the server gave them.
    package let sqlState: String?
    package let message: String
    /// Table, column, constraint: names, as far as the server says them.
    package let table: String?
    package let column: String?
    package let constraint: String?
    /// The connection could not be made or was lost for a reason that may pass.
    private let mayPass: Bool

    init(
        _ kind: Kind, _ message: String, sqlState: String? = nil, table: String? = nil, column: String? = nil,
        constraint: String? = nil, mayPass: Bool = false
    ) {
        self.kind = kind
        self.message = message
        self.sqlState = sqlState
        self.table = table
        self.column = column
        self.constraint = constraint
        self.mayPass = mayPass
    }

    /// Trying the whole transaction again later may help: a lost connection, a serialisation failure or deadlock, a
    /// server that starts, stops or is full, a lock that was not free in time.
    package var isTransient: Bool {
        guard let sqlState else { return mayPass }
        if sqlState.hasPrefix("08") { return true }
        switch sqlState {
        case "40001", "40P01", "53300", "55P03", "57P01", "57P02", "57P03", "57P05": return true
        default: return false
        }
    }

    /// `unique_violation (23505) on tieout.account, constraint account_pkey: duplicate key value violates …`.
    package var description: String {
        var place = ""
        if let table { place += " on \(table)" }
        if let column { place += ", column \(column)" }
        if let constraint { place += ", constraint \(constraint)" }
        switch (kind, sqlState) {
        case (.usage, _): return "database usage: \(message)"
        case (.decoding, _): return "database result: \(message)"
        case (_, let state?): return "\(SQLState.name(of: state)) (\(state))\(place): \(message)"
        case (_, nil): return "database connection: \(message)"
        }
    }

    static func usage(_ message: String) -> PostgresError { PostgresError(.usage, message) }
    static func decoding(_ message: String) -> PostgresError { PostgresError(.decoding, message) }
}
