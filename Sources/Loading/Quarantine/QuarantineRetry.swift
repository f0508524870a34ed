import Payments
package import Postgres

/// What trying quarantined records again came to.
package struct RetryOutcome: Sendable {
    /// Why a record could still not be taken in, by quarantine id. No reason: what it was refused for stands.
    package var reasons: [String: String] = [:]
    /// A signal ended it early; what was taken in is kept.
    package var isInterrupted = false
    /// The provider asked to come back later.
    package var isRateLimited = false
    /// Reading from the provider failed for good.
    package var failure: String?

    package init() {}

    package static func += (a: inout RetryOutcome, b: RetryOutcome) {
        a.reasons.merge(b.reasons) { $1 }
        a.isInterrupted = a.isInterrupted || b.isInterrupted
        a.isRateLimited = a.isRateLimited || b.isRateLimited
        a.failure = a.failure ?? b.failure
    }
}

/// The trail of a retry: which of the tried records left the quarantine, noted with who asked.
package struct RetryTrail {
    /// One tried record as it stands now.
    package struct Line: Sendable, Hashable {
        package let entry: QuarantineList.Entry
        package var isCleared: Bool { entry.state == "cleared" }
    }

    private let context: LoadContext
    private let connection: Connection

    package init(_ context: LoadContext, _ connection: Connection) {
        self.context = context
        self.connection = connection
    }

    /// Notes for each of `tried` what became of it and returns them as they stand. The database says what was cleared,
    /// `outcome` why the others were not.
    package func close(
        _ tried: [QuarantineList.Entry], _ outcome: RetryOutcome, actor: String
    ) throws -> [Line] {
        let ids = tried.map(\.id)
        let reasons = ids.map { outcome.reasons[$0] ?? "" }
        let statement = try context.sql.text("SQL/loading/quarantine/note_retry.sql")
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try connection.execute(
                statement,
                [
                    .int(context.account), .textArray(ids), .textArray(reasons), .int(context.run),
                    .timestamp(context.clock.now()), .text(actor),
                ])
        }
        var filter = QuarantineList.Filter()
        filter.state = nil
        filter.ids = ids
        filter.limit = ids.count
        return try QuarantineList(connection: connection, account: context.account, sql: context.sql)
            .entries(filter).map(Line.init)
    }
}
