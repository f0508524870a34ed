import CPostgres

/// Owns one `PGconn`.
struct ConnectionHandle: ~Copyable {
    let pointer: OpaquePointer

    deinit { PQfinish(pointer) }

    var isAlive: Bool { PQstatus(pointer) == CONNECTION_OK }
}

/// Owns one `PGresult`.
struct ResultHandle: ~Copyable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }
}

/// One answer of the server, shared by the rows that point into it.
final class ServerResult {
    private let handle: ResultHandle

    init(_ pointer: OpaquePointer) { handle = ResultHandle(pointer) }

    var status: ExecStatusType { PQresultStatus(handle.pointer) }
    var rowCount: Int { Int(PQntuples(handle.pointer)) }
    var columnCount: Int { Int(PQnfields(handle.pointer)) }

    /// Rows inserted, updated, deleted, selected or copied; 0 for statements that touch none.
    var affected: Int { Int(String(cString: PQcmdTuples(handle.pointer))) ?? 0 }
    var command: String { String(cString: PQcmdStatus(handle.pointer)) }

    func columnName(_ column: Int) -> String {
        guard let name = PQfname(handle.pointer, Int32(column)) else { return "" }
        return String(cString: name)
    }

    func columnType(_ column: Int) -> UInt32 { PQftype(handle.pointer, Int32(column)) }

    /// The value's bytes, valid as long as this object; nil for null.
    func value(row: Int, column: Int) -> UnsafeRawBufferPointer? {
        if PQgetisnull(handle.pointer, Int32(row), Int32(column)) == 1 { return nil }
        let length = Int(PQgetlength(handle.pointer, Int32(row), Int32(column)))
        return UnsafeRawBufferPointer(start: PQgetvalue(handle.pointer, Int32(row), Int32(column)), count: length)
    }

    /// What the server refused, without data; `connectionLost` where the socket died under it. `sql` is only counted, to
    /// say in which of its lines the error lies.
    func fault(connectionLost: Bool, sql: String? = nil) -> PostgresError {
        let state = field("C")
        let raw = field("M") ?? String(cString: PQresultErrorMessage(handle.pointer)).trimmedLine
        var message = state.map { SQLState.withoutData(raw, state: $0) } ?? raw
        if let sql, let position = field("P").flatMap({ Int($0) }), sql.contains("\n") {
            message += " (line \(sql.unicodeScalars.prefix(position).count { $0 == "\n" } + 1))"
        }
        if let place = field("W").flatMap(SQLState.copyPlace(inContext:)) { message += " (\(place))" }
        let table = field("t").map { name in field("s").map { "\($0).\(name)" } ?? name }
        let kind: PostgresError.Kind =
            switch state {
            case "57014"?: .cancelled
            case let state? where state.hasPrefix("08"): .connection
            case nil: .connection
            default: connectionLost ? .connection : .server
            }
        return PostgresError(
            kind, message.isEmpty ? "the connection was lost" : message, sqlState: state, table: table,
            column: field("c"), constraint: field("n"), mayPass: state == nil)
    }

    /// One of libpq's error fields by its letter (the macros are character literals, which Swift does not import).
    private func field(_ letter: Unicode.Scalar) -> String? {
        PQresultErrorField(handle.pointer, Int32(letter.value)).map { String(cString: $0) }
    }
}

extension String {
    /// The first line without blanks around it: libpq ends its messages with a line feed.
    var trimmedLine: String {
        let line = self.split(separator: "\n", maxSplits: 1).first ?? ""
        let front = line.drop { $0 == " " }
        return String(front.reversed().drop { $0 == " " || $0 == "\r" }.reversed())
    }
}
