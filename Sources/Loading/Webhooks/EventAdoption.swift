import Payments
package import Postgres

/// Events of a provider whose notifications name no transaction, only an operation or the merchant's reference: what they
/// are about is known once a stored transaction holds one of these. Until then they belong to no transaction.
package enum EventAdoption {
    /// Tells the loose events of `source` which transaction they are about, by references of `kinds`, the first that tells
    /// wins. Returns how many were told. Nothing is read where there are no kinds.
    @discardableResult
    package static func run(
        on connection: Connection, _ context: LoadContext, source: String, kinds: [String]
    ) throws -> Int {
        if kinds.isEmpty { return 0 }
        let statement = try context.sql.text("SQL/loading/webhooks/adopt.sql")
        return try connection.transaction { connection in
            try context.fence.check(on: connection)
            return try connection.execute(
                statement,
                [
                    .int(context.account), .text(source), .textArray(kinds), .timestamp(context.clock.now()),
                ])
        }
    }
}
