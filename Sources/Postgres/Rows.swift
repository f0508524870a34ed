/// A complete result in memory. Rows are views into it and keep it alive.
package struct Rows: Sequence {
    private let result: ServerResult
    private let columns: Columns

    init(_ result: ServerResult) {
        self.result = result
        columns = Columns(result)
    }

    package var count: Int { result.rowCount }
    package var isEmpty: Bool { count == 0 }
    package var columnNames: [String] { columns.names }
    /// PostgreSQL's names of the columns' types, `timestamptz`, `bytea`, …; `type 1234` for those that nobody named.
    package var columnTypeNames: [String] { columns.types.map(PostgresType.name(of:)) }

    /// The row at `index`, which must be in `0..<count`.
    package subscript(_ index: Int) -> Row {
        precondition(index >= 0 && index < count, "row \(index) of \(count)")
        return Row(result: result, columns: columns, index: index)
    }

    package var first: Row? { isEmpty ? nil : self[0] }

    /// The only row; anything else is a `.decoding` error.
    package func only() throws(PostgresError) -> Row {
        guard count == 1 else { throw .decoding("one row was expected, \(count) came") }
        return self[0]
    }

    package func makeIterator() -> Iterator { Iterator(rows: self) }

    package struct Iterator: IteratorProtocol {
        let rows: Rows
        var index = 0

        package mutating func next() -> Row? {
            guard index < rows.count else { return nil }
            defer { index += 1 }
            return rows[index]
        }
    }
}

/// Names and types of a result's columns.
final class Columns {
    let names: [String]
    let types: [UInt32]
    private let positions: [String: Int]

    init(_ result: ServerResult) {
        names = (0..<result.columnCount).map { result.columnName($0) }
        types = (0..<result.columnCount).map { result.columnType($0) }
        positions = Dictionary(zip(names, names.indices)) { first, _ in first }
    }

    func position(of name: String) -> Int? { positions[name] }
}

/// How a column is named: by its name, or by its position from 0.
package protocol ColumnKey {
    /// The position among `names`; nil where there is none.
    func position(where lookUp: (String) -> Int?, count: Int) -> Int?
}

extension String: ColumnKey {
    package func position(where lookUp: (String) -> Int?, count: Int) -> Int? { lookUp(self) }
}

extension Int: ColumnKey {
    package func position(where lookUp: (String) -> Int?, count: Int) -> Int? {
        self >= 0 && self < count ? self : nil
    }
}
