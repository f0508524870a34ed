import CPostgres

/// One connection to PostgreSQL: blocking, for one thread at a time. It works behind a transaction-mode pooler: it sets
/// nothing on the session, names no statement and takes no session lock. Results come in binary, so no session setting
/// changes what is read.
package final class Connection {
    let handle: ConnectionHandle
    /// A transaction opened by `transaction` is running.
    package internal(set) var isInTransaction = false
    /// A COPY or a stream holds the wire; any other statement would break the protocol.
    var occupation: String?
    /// Types of the columns that `copyIn` wrote to, by table and columns.
    var copyTypes: [String: [UInt32]] = [:]
    /// Cancels whatever this connection executes, from any thread.
    package let canceller: Canceller

    /// Connects. `conninfo` is a libpq connection string or URI; the usual `PG…` variables and password file apply.
    /// Unless it says otherwise a server that does not answer is given up after 15 s. Fails with `.connection`, or
    /// with `.usage` where `conninfo` cannot be read.
    package init(_ conninfo: String, applicationName: String) throws(PostgresError) {
        handle = try ConnectionHandle.open(conninfo, applicationName: applicationName)
        canceller = try Canceller(handle.pointer)
    }

    /// Runs one statement and keeps all its rows in memory; see `stream` for large results.
    package func query(_ sql: String, _ values: [SQLValue] = []) throws(PostgresError) -> Rows {
        Rows(try run(sql, values))
    }

    /// Runs one statement for its effect. Returns the rows affected.
    @discardableResult
    package func execute(_ sql: String, _ values: [SQLValue] = []) throws(PostgresError) -> Int {
        try run(sql, values).affected
    }

    /// Runs several statements without values, as a migration file holds them. Outside `transaction` they are one
    /// implicit transaction: all or nothing.
    package func script(_ sql: String) throws(PostgresError) {
        try refuseIfOccupied()
        try check(PQexec(handle.pointer, sql), sql)
    }

    /// The text as an SQL literal, for the statements that take no bound values (COPY, DDL).
    package func quote(_ text: String) throws(PostgresError) -> String {
        try escape(text, PQescapeLiteral)
    }

    /// The name as an SQL identifier.
    package func quoteIdentifier(_ name: String) throws(PostgresError) -> String {
        try escape(name, PQescapeIdentifier)
    }

    /// The server's version, 150020 for 15.20.
    package var serverVersion: Int { Int(PQserverVersion(handle.pointer)) }

    /// The process number that the other end claims: behind a pooler not that of the session that answers.
    package var claimedProcess: Int { Int(PQbackendPID(handle.pointer)) }

    /// False once the server or the network has ended the connection and a statement noticed.
    package var isAlive: Bool { handle.isAlive }

    func run(_ sql: String, _ values: [SQLValue]) throws(PostgresError) -> ServerResult {
        try refuseIfOccupied()
        let parameters = try Parameters(values)
        let answer = parameters.withPointers { count, types, pointers, lengths, formats in
            PQexecParams(handle.pointer, sql, count, types, pointers, lengths, formats, 1)
        }
        return try check(answer, sql)
    }

    /// Turns a failed answer into an error.
    @discardableResult
    func check(_ pointer: OpaquePointer?, _ sql: String? = nil) throws(PostgresError) -> ServerResult {
        guard let pointer else { throw lost() }
        let result = ServerResult(pointer)
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_COPY_IN, PGRES_COPY_OUT: return result
        case PGRES_EMPTY_QUERY: throw .usage("the statement is empty")
        default: throw result.fault(connectionLost: !handle.isAlive, sql: sql)
        }
    }

    /// What libpq says about the connection itself.
    func lost() -> PostgresError {
        let message = String(cString: PQerrorMessage(handle.pointer)).trimmedLine
        return PostgresError(
            .connection, message.isEmpty ? "the connection was lost" : message, mayPass: !handle.isAlive)
    }

    func refuseIfOccupied() throws(PostgresError) {
        if let occupation { throw .usage("the connection is busy with \(occupation); use a second connection") }
    }

    private func escape(
        _ text: String, _ function: (OpaquePointer?, UnsafePointer<CChar>?, Int) -> UnsafeMutablePointer<CChar>?
    ) throws(PostgresError) -> String {
        guard let escaped = function(handle.pointer, text, text.utf8.count) else { throw lost() }
        defer { PQfreemem(escaped) }
        return String(cString: escaped)
    }
}
