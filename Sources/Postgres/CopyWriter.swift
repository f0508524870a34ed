package import Payments

/// Writes rows of a binary `COPY … FROM STDIN`. Call `row()` and then one `write` per column, in order. The columns'
/// types are known from the table, so a value that does not fit its column is a `.usage` error before it is sent,
/// never other digits. Memory is one buffer of 256 KB.
package struct CopyWriter: ~Copyable {
    private var sink: CopySink
    private let table: String
    private let columns: [String]
    private let types: [UInt32]
    /// Values written of the current row.
    private var position: Int
    /// Rows begun so far.
    package private(set) var rows = 0
    private var numeric: [UInt8] = []

    init(_ connection: Connection, table: String, columns: [String], types: [UInt32]) {
        sink = CopySink(connection)
        self.table = table
        self.columns = columns
        self.types = types
        position = columns.count
    }

    /// Begins a row; the one before must be complete.
    package mutating func row() throws(PostgresError) {
        if position != columns.count {
            throw .usage("row \(rows) for \(table) has \(position) of \(columns.count) values")
        }
        position = 0
        rows += 1
        try sink.write(integer: Int16(columns.count))
    }

    package mutating func writeNull() throws(PostgresError) {
        _ = try nextType()
        try sink.write(integer: Int32(-1))
    }

    package mutating func write(_ value: Bool?) throws(PostgresError) {
        guard let value else { return try writeNull() }
        try expect(PostgresType.bool)
        try sink.write(integer: Int32(1))
        try sink.write(integer: value ? UInt8(1) : 0)
    }

    /// Into smallint, integer, bigint or numeric; a number that the column cannot hold is a `.usage` error.
    package mutating func write(_ value: Int64?) throws(PostgresError) {
        guard let value else { return try writeNull() }
        switch try nextType() {
        case PostgresType.int8: try writeInteger(value)
        case PostgresType.int4: try writeInteger(Int32(exactly: value))
        case PostgresType.int2: try writeInteger(Int16(exactly: value))
        case PostgresType.numeric:
            guard let exact = try? ExactDecimal(String(value)) else { throw misfit("bigint") }
            try writeNumeric(exact)
        default: throw misfit("an integer")
        }
    }

    package mutating func write(_ value: Int?) throws(PostgresError) { try write(value.map { Int64($0) }) }

    /// Into any text type, json or jsonb (the server checks that it is JSON).
    package mutating func write(_ value: String?) throws(PostgresError) {
        guard var value else { return try writeNull() }
        try writeText { write in value.withUTF8 { write(UnsafeRawBufferPointer($0)) } }
    }

    /// The same from UTF-8 bytes, checked by the server.
    package mutating func write(utf8 value: some Collection<UInt8>) throws(PostgresError) {
        let array = ContiguousArray(value)
        try writeText { write in array.withUnsafeBytes { write($0) } }
    }

    package mutating func write(_ value: ExactDecimal?) throws(PostgresError) {
        guard let value else { return try writeNull() }
        try expect(PostgresType.numeric)
        try writeNumeric(value)
    }

    package mutating func write(_ value: Timestamp?) throws(PostgresError) {
        guard let value else { return try writeNull() }
        try expect(PostgresType.timestamptz)
        try sink.write(integer: Int32(8))
        try sink.write(integer: try BinaryTime.encode(value))
    }

    /// `yyyy-MM-dd`.
    package mutating func write(date value: String?) throws(PostgresError) {
        guard let value else { return try writeNull() }
        try expect(PostgresType.date)
        try sink.write(integer: Int32(4))
        try sink.write(integer: try BinaryTime.encode(date: value))
    }

    /// Into bytea.
    package mutating func write(bytes value: [UInt8]?) throws(PostgresError) {
        guard let value else { return try writeNull() }
        try write(bytes: value[...])
    }

    package mutating func write(bytes value: ArraySlice<UInt8>) throws(PostgresError) {
        try expect(PostgresType.bytea)
        try sink.write(length: value.count)
        try sink.write(value)
    }

    /// Into text[].
    package mutating func write(textArray value: [String]?) throws(PostgresError) {
        guard let value else { return try writeNull() }
        try expect(PostgresType.textArray)
        var bytes: [UInt8] = []
        BinaryArray.encode(value, type: PostgresType.text, into: &bytes) { $1.append(contentsOf: $0.utf8) }
        try sink.write(length: bytes.count)
        try sink.write(bytes[...])
    }

    /// Into timestamptz[].
    package mutating func write(timestampArray value: [Timestamp]?) throws(PostgresError) {
        guard let value else { return try writeNull() }
        try expect(PostgresType.timestamptzArray)
        var moments: [Int64] = []
        for moment in value { moments.append(try BinaryTime.encode(moment)) }
        var bytes: [UInt8] = []
        BinaryArray.encode(moments, type: PostgresType.timestamptz, into: &bytes) { $1.appendBigEndian($0) }
        try sink.write(length: bytes.count)
        try sink.write(bytes[...])
    }

    /// Sends what is buffered and the end mark.
    mutating func finish() throws(PostgresError) {
        if position != columns.count {
            throw .usage("row \(rows) for \(table) has \(position) of \(columns.count) values")
        }
        try sink.write(integer: Int16(-1))
        try sink.flush()
    }

    private mutating func writeNumeric(_ value: ExactDecimal) throws(PostgresError) {
        numeric.removeAll(keepingCapacity: true)
        NumericCoding.encode(value, into: &numeric)
        try sink.write(length: numeric.count)
        try sink.write(numeric[...])
    }

    private mutating func writeInteger<T: FixedWidthInteger>(_ value: T?) throws(PostgresError) {
        guard let value else { throw misfit("out of range") }
        try sink.write(integer: Int32(T.bitWidth / 8))
        try sink.write(integer: value)
    }

    private mutating func writeText(
        _ lend: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) throws(PostgresError) {
        let type = try nextType()
        let isJSONB = type == PostgresType.jsonb
        guard isJSONB || type == PostgresType.json || PostgresType.isText(type) else { throw misfit("text") }
        var fault: PostgresError?
        lend { bytes in
            do throws(PostgresError) {
                if bytes.contains(0) { throw .usage("a text for \(table).\(columns[position - 1]) holds a NUL") }
                try sink.write(length: bytes.count + (isJSONB ? 1 : 0))
                if isJSONB { try sink.write(integer: UInt8(1)) }
                try sink.write(bytes)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
    }

    private mutating func expect(_ type: UInt32) throws(PostgresError) {
        if try nextType() != type { throw misfit(PostgresType.name(of: type)) }
    }

    private mutating func nextType() throws(PostgresError) -> UInt32 {
        guard position < columns.count else { throw .usage("a value for \(table) lies outside its row; call row()") }
        defer { position += 1 }
        return types[position]
    }

    /// About the column just passed by `nextType`.
    private func misfit(_ wanted: String) -> PostgresError {
        .usage(
            "\(table).\(columns[position - 1]) is \(PostgresType.name(of: types[position - 1])), the value is \(wanted)"
        )
    }
}
