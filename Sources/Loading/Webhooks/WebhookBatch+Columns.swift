import Payments
import Postgres
import Providers

extension WebhookBatch {
    /// Columns that come from a delivery's body, in the order in which `writeMapped` sends them.
    static let mappedColumns = [
        "kind", "transaction_id", "raw_status", "state", "state_rank", "money", "after_held", "after_taken",
        "after_delivered", "direction", "event_time", "is_test", "customer_id", "refs",
    ]

    static func writeMapped(_ delivery: JudgedDelivery, to writer: inout CopyWriter) throws {
        let event = delivery.event
        try writer.write(event.kind)
        try writer.write(event.transactionID)
        try writer.write(event.rawStatus)
        try writer.write(event.reading?.state.rawValue)
        try writer.write(event.reading?.rank)
        try writer.write(event.money?.rawValue)
        try writer.write(event.reading?.afterHeld?.rawValue)
        try writer.write(event.reading?.afterTaken?.rawValue)
        try writer.write(event.reading?.afterDelivered?.rawValue)
        try writer.write(event.direction?.rawValue)
        try writer.write(event.eventTime)
        try writer.write(event.isTest)
        try writer.write(event.customerID)
        try writer.write(textArray: delivery.references)
    }

    /// The columns of `webhook_landed`, in the order in which `write` sends them.
    static let landedColumns =
        [
            "event_key", "received_at", "delivery_digest", "verdict", "key_fingerprint", "is_evidence", "retry_count",
            "url", "signature_headers", "body_digest", "kept_digest", "evidence_pack", "evidence_offset",
            "evidence_length", "file_digest", "line_no", "flags", "is_fetched",
        ] + mappedColumns

    /// One row. `place` and `packNo` are nil where the bytes wait for a key.
    static func write(
        _ delivery: JudgedDelivery, _ place: (offset: Int, length: Int)?, _ packNo: Int?, to writer: inout CopyWriter
    ) throws {
        let isKept = delivery.isEvidence
        try writer.row()
        try writer.write(delivery.event.eventKey)
        try writer.write(delivery.receivedAt)
        try writer.write(bytes: delivery.deliveryDigest)
        try writer.write(delivery.check.verdict.rawValue)
        try writer.write(delivery.check.keyFingerprint)
        try writer.write(delivery.isEvidence)
        try writer.write(delivery.retryCount)
        try writer.write(delivery.url)
        try writer.write(delivery.signatureHeaders)
        try writer.write(bytes: delivery.bodyDigest)
        try writer.write(bytes: delivery.keptDigest)
        try writer.write(isKept ? packNo : nil)
        try writer.write(isKept ? place?.offset : nil)
        try writer.write(isKept ? place?.length : nil)
        try writer.write(bytes: delivery.place.digest)
        try writer.write(delivery.place.line)
        try writer.write(textArray: delivery.flags)
        try writer.write(delivery.isFetched)
        try writeMapped(delivery, to: &writer)
    }
}
