import Payments
import Postgres

extension TransactionStore {
    /// Writes versions that come from another reading of bytes at hand, within the caller's transaction: a current one
    /// gives way whatever its place in the version order, since it says the same bytes. `unread` are ids whose bytes are
    /// gone.
    func rewrite(_ plan: WritePlan, unread: [String]) throws {
        try write(plan, now: context.clock.now())
        let quarantine = QuarantineWriter(context)
        try quarantine.write(plan.quarantined, on: connection)
        try quarantine.clear(plan.superseded.map(name).sorted(), source: source, feed: .provider, on: connection)
        if unread.isEmpty { return }
        try connection.execute(
            try context.sql.text("SQL/loading/decoding/mark_unread.sql"), key + [.textArray(unread)])
    }

    /// What was put into the history of these ids at this very moment of ledger time, as content hashes.
    func rewritten(_ ids: [String]) throws -> [(id: String, hash: [UInt8])] {
        try connection.query(
            try context.sql.text("SQL/loading/decoding/rewritten.sql"),
            key + [.textArray(ids), .timestamp(context.clock.now())]
        ).map { (try $0.text("transaction_id"), try $0.bytes("content_hash")) }
    }
}
