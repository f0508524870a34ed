import Payments
import Postgres
import Providers

extension WebhookBatch {
    /// The columns of `webhook_landed`, in the order in which `write` sends them.
    static let columns = [
        "event_key", "received_at", "delivery_digest", "verdict", "key_fingerprint", "is_evidence", "retry_count",
        "url",
        "signature_headers", "body_digest", "kept_digest", "evidence_pack", "evidence_offset", "evidence_length",
        "file_digest", "line_no", "kind", "transaction_id", "raw_status", "state", "state_rank", "money", "after_held",
        "after_taken", "after_delivered", "direction", "event_time", "is_test", "customer_id", "refs", "flags",
    ]

    /// One row. `place` and `packNo` are nil where the bytes wait for a key.
    static func write(
        _ delivery: JudgedDelivery, _ place: (offset: Int, length: Int)?, _ packNo: Int?, to writer: inout CopyWriter
    ) throws {
        let event = delivery.event
        let isKept = delivery.isEvidence
        try writer.row()
        try writer.write(event.eventKey)
        try writer.write(delivery.delivery.receivedAt)
        try writer.write(bytes: delivery.deliveryDigest)
        try writer.write(delivery.check.verdict.rawValue)
        try writer.write(delivery.check.keyFingerprint)
        try writer.write(delivery.isEvidence)
        // A count that no counter reaches is a slip of the sender; it must not cost the row.
        try writer.write(event.retryCount.map { min($0, Int(Int32.max)) })
        try writer.write(delivery.delivery.url)
        try writer.write(delivery.signatureHeaders)
        try writer.write(bytes: delivery.bodyDigest)
        try writer.write(bytes: delivery.keptDigest)
        try writer.write(isKept ? packNo : nil)
        try writer.write(isKept ? place?.offset : nil)
        try writer.write(isKept ? place?.length : nil)
        try writer.write(bytes: delivery.file)
        try writer.write(delivery.line)
        try writer.write(event.kind)
        try writer.write(event.transactionID)
        try writer.write(event.rawStatus)
        try writer.write(event.reading?.state.rawValue)
        try writer.write(event.reading?.rank)
        try writer.write(event.reading?.money.rawValue)
        try writer.write(event.reading?.afterHeld?.rawValue)
        try writer.write(event.reading?.afterTaken?.rawValue)
        try writer.write(event.reading?.afterDelivered?.rawValue)
        try writer.write(event.direction?.rawValue)
        try writer.write(event.eventTime)
        try writer.write(event.isTest)
        try writer.write(event.customerID)
        try writer.write(textArray: event.referenceTexts)
        try writer.write(textArray: event.flagTexts)
    }
}
