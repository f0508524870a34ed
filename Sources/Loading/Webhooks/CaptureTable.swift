import Crypto
import JSON
import Payments
import Postgres
import Providers

/// Reads deliveries from a query on the merchant's database. Columns: `received_at`, `raw_body` (bytea, or text that is
/// its UTF-8), and optionally `method`, `url`, `headers` (a JSON object) and `secret` (the payment's own).
struct CaptureTable: Sendable {
    private static let texts: Set<String> = ["text", "varchar", "json", "jsonb", "uuid"]
    private static let types: [String: Set<String>] = [
        "received_at": ["timestamptz", "timestamp"], "raw_body": ["bytea", "text", "varchar", "json"],
        "headers": ["text", "varchar", "json", "jsonb"], "url": texts, "method": texts, "secret": texts,
    ]

    let query: MerchantQuery
    let judge: DeliveryJudge
    let batchSize: Int
    /// What the former reading left.
    let stored: String?

    /// Hands out batch after batch until `put` wants no more; the last one says that it is the last.
    func read(_ put: (CaptureBatch) -> Bool) throws {
        try query.read { connection in
            let columns = try query.columns(
                on: connection, needed: ["received_at", "raw_body"], types: Self.types)
            let watermark = query.watermark ?? "received_at"
            guard let kind = columns[watermark].flatMap(ReadPosition.Kind.init(type:)) else { return }
            var position = ReadPosition(kind, lookBack: query.lookBack, stored: stored)
            let column = "q." + (try connection.quoteIdentifier(watermark))
            let since = position.from == nil ? "" : " where \(column) >= $1"
            let statement = "select * from \(query.relation)\(since) order by \(column)"
            let reader = RowReader(columns: columns, watermark: watermark, kind: kind)
            let digest = query.digest
            var batch = CaptureBatch()
            var number = 0
            do {
                try connection.stream(statement, position.from == nil ? [] : [position.value]) { row in
                    number += 1
                    try take(row, reader, DeliveryPlace(digest: digest, line: number), &position, into: &batch)
                    if !batch.isFull(at: batchSize) { return }
                    position.endBatch()
                    batch.position = position.text
                    try batch.settle(judge)
                    if !put(batch) { throw Unwanted() }
                    batch = CaptureBatch()
                }
            } catch is Unwanted {
                return
            }
            position.endBatch()
            batch.position = position.text
            try batch.settle(judge)
            _ = put(batch)
        }
    }

    /// Nobody takes the rest.
    private struct Unwanted: Error {}

    private func take(
        _ row: Row, _ reader: RowReader, _ place: DeliveryPlace, _ position: inout ReadPosition,
        into batch: inout CaptureBatch
    ) throws {
        let body = try reader.body(row)
        let read: Result<WebhookDelivery, RowFault>
        do {
            let delivery = try reader.delivery(row, body)
            if let value = try reader.watermark(row) { position.note(value, receivedAt: delivery.receivedAt) }
            read = .success(delivery)
        } catch let fault as RowFault {
            read = .failure(fault)
        }
        let secret = try reader.secret(row)
        batch.add(read, judge, at: place, length: body?.count ?? 0, secret: secret) { reader.identity(row, body) }
    }

    /// Reads the columns of one row.
    private struct RowReader {
        let columns: [String: String]
        let watermark: String
        let kind: ReadPosition.Kind

        init(columns: [String: String], watermark: String, kind: ReadPosition.Kind) {
            self.columns = columns
            self.watermark = watermark
            self.kind = kind
        }

        func body(_ row: Row) throws -> [UInt8]? {
            if columns["raw_body"] == "bytea" { return try row.optionalBytes("raw_body") }
            return try row.optionalText("raw_body").map { Array($0.utf8) }
        }

        func delivery(_ row: Row, _ body: [UInt8]?) throws -> WebhookDelivery {
            guard let body else { throw RowFault("raw_body: null") }
            // Infinity is a time there, and none here.
            guard let receivedAt = try? row.optionalTimestamp("received_at"),
                DeliveryLine.plausible.contains(receivedAt)
            else { throw RowFault("received_at: null, or no time that can be") }
            if let method = try optional("method", row), method.uppercased() != "POST" {
                throw RowFault("method: not POST")
            }
            var headers: [(name: String, value: String)] = []
            if let text = try optional("headers", row) {
                guard let document = try? JSONDocument(text) else { throw RowFault("headers: no JSON") }
                headers = try DeliveryLine.headers(document.root)
            }
            return WebhookDelivery(
                receivedAt: receivedAt, url: try optional("url", row) ?? "", headers: headers, body: body)
        }

        /// What makes a row the same when it is met again.
        func identity(_ row: Row, _ body: [UInt8]?) -> [UInt8] {
            var hasher = SHA256Hasher()
            for column in ["received_at", "url", "headers", watermark] where columns[column] != nil {
                hasher.update(field: try? row.optionalText(column))
            }
            // No body is not an empty one.
            hasher.update(field: body.map { String($0.count) })
            hasher.update(body ?? [])
            return hasher.finish()
        }

        func secret(_ row: Row) throws -> Secret? {
            try optional("secret", row).flatMap { $0.isEmpty ? nil : Secret($0) }
        }

        func watermark(_ row: Row) throws -> Int64? {
            switch kind {
            case .number: try row.optionalInt(watermark)
            case .time: try row.optionalTimestamp(watermark)?.microseconds
            }
        }

        private func optional(_ column: String, _ row: Row) throws -> String? {
            columns[column] == nil ? nil : try row.optionalText(column)
        }
    }
}
