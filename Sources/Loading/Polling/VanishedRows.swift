import Payments
package import Postgres

/// What is durably noted of records that their provider does not know any more. Each is asked for again by every poll,
/// until it is known again.
package struct VanishedRows {
    private let context: LoadContext
    private let connection: Connection
    private let source: String

    package init(_ context: LoadContext, _ connection: Connection, source: String) {
        self.context = context
        self.connection = connection
        self.source = source
    }

    /// What is gone, to be asked for again: a payment by its id, another record as `resource/id`. `resources`: those that
    /// can be read by id. Throws `PostgresError`.
    package func gone(of resources: [String]) throws -> [String] {
        if resources.isEmpty { return [] }
        return try connection.query(
            text("gone"), [.int(context.account), .text(source), .textArray(resources)]
        ).map { try $0.text("name") }
    }

    /// Notes what a poll came to that asked for `gone` too. Only a complete one proves anything: a key of another
    /// account knows none of our ids. Throws `PostgresError`, or what the fence throws.
    package func note(_ outcome: PollOutcome, asked gone: [String]) throws {
        guard outcome.isComplete else { return }
        // What an event pointed at and nobody knows may be a stored record just as well: the database knows which are.
        let missing = outcome.vanished + outcome.unknownIDs
        if missing.isEmpty, gone.isEmpty { return }
        let now = SQLValue.timestamp(context.clock.now())
        let place: [SQLValue] = [.int(context.account), .text(source)]
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try connection.execute(text("returned"), place + [.textArray(missing), now, .textArray(gone)])
            try connection.execute(text("note"), place + [.textArray(missing), now, .int(context.run)])
        }
    }

    private func text(_ name: String) throws -> String { try context.sql.text("SQL/loading/vanished/\(name).sql") }
}
