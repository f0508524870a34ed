import CPostgres

extension Connection {
    /// Streams rows into a table by binary COPY: `table` may carry a schema (`tieout.transaction`). Returns the rows
    /// stored. A throw from `body` takes all of them back and comes out of this call.
    @discardableResult
    package func copyIn(
        _ table: String, columns: [String], _ body: (inout CopyWriter) throws -> Void
    ) throws -> Int {
        var names: [String] = []
        for column in columns { names.append(try quoteIdentifier(column)) }
        let list = names.joined(separator: ", ")
        var parts: [String] = []
        for part in table.split(separator: ".") { parts.append(try quoteIdentifier(String(part))) }
        let target = parts.joined(separator: ".")
        let types = try columnTypes(target, list)
        return try copy("copy \(target) (\(list)) from stdin (format binary)", "a COPY into \(table)") {
            var writer = CopyWriter(self, table: table, columns: columns, types: types)
            try sendHeader()
            try body(&writer)
            try writer.finish()
        }
    }

    /// Runs a `COPY … FROM STDIN` in any text format with the bytes that `body` writes, as they are. Returns the rows
    /// stored. Values cannot be bound in it, see `quote`.
    @discardableResult
    package func copyText(_ sql: String, _ body: (inout CopyBytes) throws -> Void) throws -> Int {
        try copy(sql, "a COPY from bytes") {
            var bytes = CopyBytes(self)
            try body(&bytes)
            try bytes.finish()
        }
    }

    /// Runs a `COPY … TO STDOUT` and hands each row's bytes, line end included, to `sink` as they arrive; they are valid
    /// during the call only. Returns the rows sent. A throw from `sink` cancels the statement and comes out of this
    /// call.
    @discardableResult
    package func copyOut(_ sql: String, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws -> Int {
        try refuseIfOccupied()
        let start = try check(PQexec(handle.pointer, sql))
        guard start.status == PGRES_COPY_OUT else { throw PostgresError.usage("the statement is no COPY … TO STDOUT") }
        occupation = "a COPY to the client"
        defer { occupation = nil }
        do {
            while true {
                var buffer: UnsafeMutablePointer<CChar>?
                let length = PQgetCopyData(handle.pointer, &buffer, 0)
                guard length > 0 else { break }
                defer { PQfreemem(buffer) }
                try sink(UnsafeRawBufferPointer(start: buffer, count: Int(length)))
            }
        } catch {
            canceller.cancel()
            drainCopyOut()
            throw error
        }
        return try finishCopy()
    }

    /// Starts a COPY in, lets `body` send, and ends it; where `body` throws, the server is told to forget it.
    private func copy(_ sql: String, _ name: String, _ body: () throws -> Void) throws -> Int {
        try refuseIfOccupied()
        let start = try check(PQexec(handle.pointer, sql))
        guard start.status == PGRES_COPY_IN else {
            throw PostgresError.usage("the statement is no COPY … FROM STDIN")
        }
        occupation = name
        defer { occupation = nil }
        do {
            try body()
        } catch {
            // On a lost connection the server's own last word says more than the failed send.
            PQputCopyEnd(handle.pointer, "given up by the client")
            if !handle.isAlive, let lost = firstFault() { throw lost }
            drain()
            throw error
        }
        guard PQputCopyEnd(handle.pointer, nil) == 1 else { throw firstFault() ?? lost() }
        return try finishCopy()
    }

    private func finishCopy() throws(PostgresError) -> Int {
        defer { drain() }
        return try check(PQgetResult(handle.pointer)).affected
    }

    private func firstFault() -> PostgresError? {
        defer { drain() }
        do throws(PostgresError) {
            try check(PQgetResult(handle.pointer))
            return nil
        } catch {
            return error
        }
    }

    private func drainCopyOut() {
        var buffer: UnsafeMutablePointer<CChar>?
        while PQgetCopyData(handle.pointer, &buffer, 0) > 0 { PQfreemem(buffer) }
        drain()
    }

    /// Signature, flags, and the length of an empty header extension.
    private func sendHeader() throws(PostgresError) {
        let header: [UInt8] =
            [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0] + Array(repeating: 0, count: 8)
        var bytes = CopyBytes(self)
        try bytes.write(header)
        try bytes.finish()
    }

    private func columnTypes(_ target: String, _ list: String) throws(PostgresError) -> [UInt32] {
        let key = "\(target) (\(list))"
        if let known = copyTypes[key] { return known }
        let types = Columns(try run("select \(list) from \(target) limit 0", [])).types
        copyTypes[key] = types
        return types
    }
}
