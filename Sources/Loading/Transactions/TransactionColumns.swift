import Payments
import Postgres
import Providers

/// The columns of `tieout.transaction`, in the order in which rows are copied.
enum TransactionColumns {
    static let names = [
        "account_id", "source_id", "resource", "transaction_id", "run_id", "observed_at", "request_started_at",
        "version_time", "state_rank", "created_at", "updated_at", "direction", "kind", "raw_status", "state", "money",
        "after_held", "after_taken", "after_delivered", "is_final", "taken_at", "provider", "payment_method",
        "country", "charged", "charged_currency", "delivered", "delivered_currency", "returned", "disputed",
        "fee_network", "fee_provider", "fee_partner", "fee_other", "fee_total", "fee_currency", "customer_id",
        "wallet_address", "wallet_tag", "segment", "is_test", "refs", "flags", "unmapped", "evidence_pack",
        "evidence_offset", "evidence_length", "raw_hash", "content_hash", "parent_id",
    ]

    /// The same in a statement.
    static let list = names.joined(separator: ", ")

    /// What a version gets from the commit that writes it.
    struct Stamp {
        let account: Int64
        let source: String
        let run: Int64
        let observedAt: Timestamp
        let packNo: Int
        /// Only for versions that go straight into the history.
        var supersededAt: Timestamp?
    }

    static func write(
        _ version: Version, _ stamp: Stamp, evidence: (offset: Int, length: Int), into copy: inout CopyWriter
    ) throws {
        let m = version.mapped
        try copy.row()
        try copy.write(stamp.account)
        try copy.write(stamp.source)
        try copy.write(m.resource)
        try copy.write(m.transactionID)
        try copy.write(stamp.run)
        try copy.write(stamp.observedAt)
        try copy.write(version.order.requestStartedAt)
        try copy.write(version.order.versionTime)
        try copy.write(version.order.stateRank)
        try copy.write(m.createdAt)
        try copy.write(m.updatedAt)
        try copy.write(m.direction.rawValue)
        try copy.write(m.kind)
        try copy.write(m.rawStatus)
        try copy.write(m.reading.state.rawValue)
        try copy.write(m.money.rawValue)
        try copy.write(m.reading.afterHeld?.rawValue)
        try copy.write(m.reading.afterTaken?.rawValue)
        try copy.write(m.reading.afterDelivered?.rawValue)
        try copy.write(m.reading.isFinal)
        try copy.write(m.takenAt)
        try copy.write(m.provider)
        try copy.write(m.paymentMethod)
        try copy.write(m.country)
        try copy.write(m.charged)
        try copy.write(m.chargedCurrency)
        try copy.write(m.delivered)
        try copy.write(m.deliveredCurrency)
        try copy.write(m.returned)
        try copy.write(m.disputed)
        try copy.write(m.feeNetwork)
        try copy.write(m.feeProvider)
        try copy.write(m.feePartner)
        try copy.write(m.feeOther)
        try copy.write(m.feeTotal)
        try copy.write(m.feeCurrency)
        try copy.write(m.customerID)
        try copy.write(m.walletAddress)
        try copy.write(m.walletTag)
        try copy.write(m.segment)
        try copy.write(m.isTest)
        try copy.write(textArray: version.references)
        try copy.write(textArray: version.flags)
        try copy.write(bytes: m.unmapped)
        try copy.write(stamp.packNo)
        try copy.write(evidence.offset)
        try copy.write(evidence.length)
        try copy.write(bytes: version.rawHash)
        try copy.write(bytes: version.order.contentHash)
        try copy.write(m.parentID)
        if let supersededAt = stamp.supersededAt { try copy.write(supersededAt) }
    }
}
