import Payments
package import Postgres

/// What is durably noted of payments that their provider does not know any more. Each is asked for again by every poll,
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

    /// Ids of the payments that are gone, to be asked for again. Throws `PostgresError`.
    package func gone() throws -> [String] {
        try connection.query(text("gone"), [.int(context.account), .text(source)]).map {
            try $0.text("transaction_id")
        }
    }

    /// Notes what a poll came to that asked for the ids `gone` too. Only a complete one proves anything: a key of another
    /// account knows none of our ids. Throws `PostgresError`, or what the fence throws.
    package func note(_ outcome: PollOutcome, asked gone: [String]) throws {
        guard outcome.isComplete else { return }
        let missing = outcome.vanished + outcome.unknownIDs.filter(Set(gone).contains)
        if missing.isEmpty, gone.isEmpty { return }
        let now = SQLValue.timestamp(context.clock.now())
        let place: [SQLValue] = [.int(context.account), .text(source)]
        let names: [SQLValue] = [.textArray(missing.map { _ in "transaction" }), .textArray(missing)]
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try connection.execute(text("returned"), place + names + [now, .textArray(gone)])
            try connection.execute(text("note"), place + names + [now, .int(context.run)])
        }
    }

    private func text(_ name: String) throws -> String { try context.sql.text("SQL/loading/vanished/\(name).sql") }
}
