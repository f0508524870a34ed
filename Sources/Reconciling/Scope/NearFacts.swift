import Postgres

/// The facts of what is in scope, copied into temporary tables that stand in for the stored ones: views, rules and totals
/// then read the same texts and see a small database that holds these payments alone.
enum NearFacts {
    /// The stored facts that have a stand-in.
    static let facts = [
        "transaction": "near_transaction", "transaction_history": "near_transaction_history",
        "book_order": "near_book_order", "book_order_history": "near_book_order_history",
        "settlement_line": "near_settlement_line", "webhook_event": "near_webhook_event",
    ]
    /// Facts and memberships.
    static let all = facts.merging(["payment_member": "near_payment_member"]) { first, _ in first }
}
