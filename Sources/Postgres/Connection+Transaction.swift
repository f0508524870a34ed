/// How much of what others commit meanwhile a transaction may see.
package enum Isolation: String, Sendable {
    case readCommitted = "read committed"
    case repeatableRead = "repeatable read"
    case serializable = "serializable"
}

extension Connection {
    /// Runs `body` in one transaction: commits when it returns, rolls back when it throws, and throws where the server
    /// rolled back instead of committing because `body` had swallowed an error. Transactions do not nest.
    @discardableResult
    package func transaction<T>(
        _ isolation: Isolation = .readCommitted, readOnly: Bool = false, _ body: (Connection) throws -> T
    ) throws -> T {
        if isInTransaction { throw PostgresError.usage("a transaction is already open on this connection") }
        try execute("begin isolation level \(isolation.rawValue) \(readOnly ? "read only" : "read write")")
        isInTransaction = true
        let value: T
        do {
            value = try body(self)
        } catch {
            isInTransaction = false
            // The body's error is the one to report; on a dead connection the server rolls back by itself.
            _ = try? execute("rollback")
            throw error
        }
        isInTransaction = false
        let result = try run("commit", [])
        if result.command != "COMMIT" {
            throw PostgresError(
                .server, "the transaction was rolled back because one of its statements had failed",
                sqlState: "25P02")
        }
        return value
    }
}
