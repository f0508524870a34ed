import JSON
import Payments
import Postgres
import Providers

/// Deliveries that wait, byte for byte, for the key that proves them.
struct PendingDelivery {
    /// How many are judged again in one transaction.
    static let batchSize = 2_000

    let receivedAt: Timestamp
    let eventKey: String
    let bodyDigest: [UInt8]
    let delivery: WebhookDelivery

    init(_ row: Row) throws {
        receivedAt = try row.timestamp("received_at")
        eventKey = try row.text("event_key")
        bodyDigest = try row.bytes("body_digest")
        let root = try JSONDocument(try row.text("delivery")).root
        delivery = WebhookDelivery(
            receivedAt: receivedAt, url: root["url"]?.string ?? "", headers: SignatureHeaders.read(root["headers"]),
            body: try row.bytes("body"))
    }

    /// What a later check needs beside the body, as JSON.
    static func text(_ delivery: JudgedDelivery) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("url", delivery.url)
            writer.key("headers")
            writer.raw(Array(delivery.signatureHeaders.utf8))
        }
        return writer.text
    }
}

/// Judges what waits by the keys of today. What was proven once stays proven, whatever keys are retired since.
struct PendingReview {
    let context: LoadContext
    let connection: Connection
    let source: WebhookSource

    private var key: [SQLValue] { [.int(context.account), .text(source.id)] }

    private func text(_ name: String) throws -> String { try context.sql.text("SQL/loading/webhooks/\(name).sql") }

    /// The keys as they are remembered: fingerprints, and whether unsigned deliveries count.
    private var keys: [String] {
        (source.scheme.keyFingerprints + (source.unsignedCounts ? ["unsigned"] : [])).sorted()
    }

    /// Whether the keys are other ones than at the last review. Secrets that are looked up are always other ones.
    private func hasNewKeys() throws -> Bool {
        if source.lookUp != nil { return true }
        let known = try connection.query(
            "select fingerprints from tieout.webhook_keys where account_id = $1 and source_id = $2", key)
        return try known.first?.textArray("fingerprints") != keys
    }

    /// Returns what became of those that are evidence now. Throws `PostgresError`, `Fence.Lost` or what a look-up throws.
    func run(memory: inout SourceMemory) throws -> LoadOutcome {
        var outcome = LoadOutcome()
        guard try hasNewKeys() else { return outcome }
        var after: (key: String, digest: [UInt8]) = ("", [])
        while true {
            let rows = try connection.query(
                try text("waiting"), key + [.text(after.key), .bytes(after.digest), .int(PendingDelivery.batchSize)])
            let waiting = try rows.map { try PendingDelivery($0) }
            guard let last = waiting.last else { break }
            after = (last.eventKey, last.bodyDigest)
            outcome += try review(waiting, &memory)
        }
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try connection.execute(
                try text("remember_keys"),
                key + [.textArray(keys), .int(context.run), .timestamp(context.clock.now())])
        }
        return outcome
    }

    private func review(_ waiting: [PendingDelivery], _ memory: inout SourceMemory) throws -> LoadOutcome {
        let judge = DeliveryJudge(sources: [source], only: source)
        let secrets = try judge.lookUp(waiting.map(\.delivery))
        var proven: [JudgedDelivery] = []
        var others: [JudgedDelivery] = []
        for pending in waiting {
            let place = DeliveryPlace(digest: [], line: 0)
            guard let (_, judged) = try? judge.judge(pending.delivery, at: place, secrets) else { continue }
            if judged.isEvidence { proven.append(judged) } else { others.append(judged) }
        }
        var outcome = LoadOutcome()
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            // Still no evidence, but perhaps for another reason: a key that does not fit in place of none.
            try connection.execute(
                try text("rejudge"),
                key + [
                    .textArray(others.map(\.event.eventKey)), .timestampArray(others.map(\.receivedAt)),
                    .bytesArray(others.map(\.deliveryDigest)), .textArray(others.map(\.check.verdict.rawValue)),
                ])
            if proven.isEmpty { return }
            var numbers = try EvidenceNumbers(on: connection, context: context, source: source.id)
            let counts = try WebhookBatch(context: context, connection: connection, source: source)
                .write(proven, memory: &memory, numbers: &numbers)
            outcome.records = proven.count
            outcome.new = counts.new
            outcome.changed = counts.changed
            outcome.duplicates = counts.duplicates
            outcome.unchanged = counts.unchanged
        }
        return outcome
    }
}
