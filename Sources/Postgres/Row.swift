package import Payments

/// One row of a result. Each accessor checks the column's type and null; a mismatch is a `.decoding` error that names
/// the column. Columns are named by name or by position from 0.
package struct Row {
    let result: ServerResult
    let columns: Columns
    let index: Int

    package var columnNames: [String] { columns.names }

    /// The value as text. Text types, uuid, json and jsonb as they are; numbers, dates, moments and intervals in their
    /// plain notation (`120.10`, `2026-08-10`, `2026-08-10T12:00:03Z`, `P1DT2H`), booleans as `true` and `false`.
    package func text(_ column: some ColumnKey) throws(PostgresError) -> String {
        try require(column, optionalText(column))
    }

    package func optionalText(_ column: some ColumnKey) throws(PostgresError) -> String? {
        try decode(column, "text", BinaryDecoding.text)
    }

    /// smallint, integer or bigint.
    package func int(_ column: some ColumnKey) throws(PostgresError) -> Int64 {
        try require(column, optionalInt(column))
    }

    package func optionalInt(_ column: some ColumnKey) throws(PostgresError) -> Int64? {
        try decode(column, "an integer", BinaryDecoding.int)
    }

    package func bool(_ column: some ColumnKey) throws(PostgresError) -> Bool {
        try require(column, optionalBool(column))
    }

    package func optionalBool(_ column: some ColumnKey) throws(PostgresError) -> Bool? {
        try decode(column, "a boolean", BinaryDecoding.bool)
    }

    /// numeric or any integer type, exactly. NaN, the infinities and binary floating point are refused.
    package func decimal(_ column: some ColumnKey) throws(PostgresError) -> ExactDecimal {
        try require(column, optionalDecimal(column))
    }

    package func optionalDecimal(_ column: some ColumnKey) throws(PostgresError) -> ExactDecimal? {
        try decode(column, "an exact number", BinaryDecoding.decimal)
    }

    /// timestamptz, or timestamp read as UTC; the infinities are refused.
    package func timestamp(_ column: some ColumnKey) throws(PostgresError) -> Timestamp {
        try require(column, optionalTimestamp(column))
    }

    package func optionalTimestamp(_ column: some ColumnKey) throws(PostgresError) -> Timestamp? {
        try decode(column, "a moment", BinaryDecoding.timestamp)
    }

    /// `yyyy-MM-dd`.
    package func date(_ column: some ColumnKey) throws(PostgresError) -> String {
        try require(column, optionalDate(column))
    }

    package func optionalDate(_ column: some ColumnKey) throws(PostgresError) -> String? {
        try decode(column, "a date", BinaryDecoding.date)
    }

    package func bytes(_ column: some ColumnKey) throws(PostgresError) -> [UInt8] {
        try require(column, optionalBytes(column))
    }

    package func optionalBytes(_ column: some ColumnKey) throws(PostgresError) -> [UInt8]? {
        try decode(column, "bytes") { type, raw in type == PostgresType.bytea ? [UInt8](raw) : nil }
    }

    /// text[] or name[] without null elements.
    package func textArray(_ column: some ColumnKey) throws(PostgresError) -> [String] {
        try require(column, optionalTextArray(column))
    }

    package func optionalTextArray(_ column: some ColumnKey) throws(PostgresError) -> [String]? {
        try decode(column, "an array of texts", BinaryDecoding.textArray)
    }

    /// bigint[] or integer[] without null elements.
    package func intArray(_ column: some ColumnKey) throws(PostgresError) -> [Int64] {
        try require(column, decode(column, "an array of integers", BinaryDecoding.intArray))
    }

    package func isNull(_ column: some ColumnKey) throws(PostgresError) -> Bool {
        result.value(row: index, column: try position(of: column)) == nil
    }

    /// Lends the binary bytes of a text, json or bytea value without a copy; an empty buffer for null. For hot loops.
    package func withBytes<R>(_ column: some ColumnKey, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
        try body(
            result.value(row: index, column: try position(of: column)) ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private func position(of column: some ColumnKey) throws(PostgresError) -> Int {
        guard let position = column.position(where: columns.position(of:), count: columns.names.count) else {
            throw .decoding("the result has no column \(column)")
        }
        return position
    }

    private func decode<T>(
        _ column: some ColumnKey, _ wanted: String, _ read: (UInt32, UnsafeRawBufferPointer) -> T?
    ) throws(PostgresError) -> T? {
        let position = try position(of: column)
        guard let raw = result.value(row: index, column: position) else { return nil }
        if let value = read(columns.types[position], raw) { return value }
        let type = PostgresType.name(of: columns.types[position])
        throw .decoding("column \(columns.names[position]) (\(type)) is not \(wanted)")
    }

    private func require<T>(_ column: some ColumnKey, _ value: T?) throws(PostgresError) -> T {
        guard let value else { throw .decoding("column \(column) is null") }
        return value
    }
}
