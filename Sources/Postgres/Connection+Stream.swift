import CPostgres

extension Connection {
    /// Runs one statement and hands its rows to `body` one by one as they arrive: memory stays flat whatever the size.
    /// Needs no transaction. The connection takes no other statement meanwhile. A throw from `body` cancels the
    /// statement (an enclosing transaction is then only good for rolling back) and comes out of this call.
    package func stream(_ sql: String, _ values: [SQLValue] = [], _ body: (Row) throws -> Void) throws {
        try refuseIfOccupied()
        let parameters = try Parameters(values)
        let sent = parameters.withPointers { count, types, pointers, lengths, formats in
            PQsendQueryParams(handle.pointer, sql, count, types, pointers, lengths, formats, 1)
        }
        guard sent == 1, PQsetSingleRowMode(handle.pointer) == 1 else { throw lost() }
        occupation = "a streamed query"
        defer { occupation = nil }
        do {
            try handOver(body)
        } catch {
            if PQtransactionStatus(handle.pointer) == PQTRANS_ACTIVE { canceller.cancel() }
            drain()
            throw error
        }
    }

    private func handOver(_ body: (Row) throws -> Void) throws {
        var columns: Columns?
        while let pointer = PQgetResult(handle.pointer) {
            let result = try check(pointer)
            // The last result has no row and says that the statement has ended.
            guard result.rowCount > 0 else { continue }
            let known = columns ?? Columns(result)
            columns = known
            try body(Row(result: result, columns: known, index: 0))
        }
        if !handle.isAlive { throw lost() }
    }

    /// Throws away what is left of the current statement, so that the next one finds the wire clear.
    func drain() {
        while let pointer = PQgetResult(handle.pointer) { PQclear(pointer) }
    }
}
