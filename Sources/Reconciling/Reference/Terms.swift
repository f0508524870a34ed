import Payments
package import Postgres

/// A list of terms, as the due-time statement takes it.
package struct Terms: Sendable, Hashable {
    package let terms: [Term]

    package init(_ terms: [Term]) { self.terms = terms }

    /// The terms of `SQL/reference/terms.csv`, for a configuration that names none. Reads them through a temporary table
    /// in a transaction of its own unless one is open.
    package static func defaults(on connection: Connection, library: SQLLibrary) throws -> Terms {
        if connection.isInTransaction { return try read(connection, library) }
        return try connection.transaction { try read($0, library) }
    }

    private static func read(_ connection: Connection, _ library: SQLLibrary) throws -> Terms {
        try connection.script(library.text("SQL/reconciling/prepare_terms.sql"))
        try CSVFile.copy("\(library.root)/SQL/reference/terms.csv", into: "incoming_term", on: connection)
        let rows = try connection.query("select * from incoming_term order by ordinal")
        let terms = try rows.map { row in
            Term(
                source: try row.optionalText("source_id"),
                provider: try row.optionalText("provider"),
                method: try row.optionalText("method"),
                direction: try row.optionalText("direction").flatMap(Direction.init(rawValue:)),
                currency: try row.optionalText("currency"),
                amount: Int(try row.int("amount")),
                unit: Term.Unit(rawValue: try row.text("unit")) ?? .hours,
                cutOff: try row.optionalText("cut_off"),
                zone: try row.text("zone"),
                calendars: try row.optionalText("calendars") ?? "")
        }
        try connection.execute("drop table incoming_term")
        return Terms(terms)
    }

    /// The parallel arrays of `SQL/reconciling/due.sql`, `$2` to `$12`.
    var values: [SQLValue] {
        [
            .intArray(terms.indices.map { Int64($0) }),
            .textArray(terms.map { $0.source ?? "" }),
            .textArray(terms.map { $0.method ?? "" }),
            .textArray(terms.map { $0.direction?.rawValue ?? "" }),
            .textArray(terms.map { $0.currency ?? "" }),
            .intArray(terms.map { Int64($0.amount) }),
            .textArray(terms.map { $0.unit.rawValue }),
            .textArray(terms.map { $0.cutOff ?? "" }),
            .textArray(terms.map { $0.zone }),
            .textArray(terms.map { $0.calendars }),
            .textArray(terms.map { $0.provider ?? "" }),
        ]
    }

    /// All terms as text, for the record of what a run used.
    var canonical: String { terms.map(\.canonical).joined(separator: "\n") }
}
