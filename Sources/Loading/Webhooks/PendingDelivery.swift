import JSON
import Payments
import Postgres
import Providers

/// Deliveries that wait, byte for byte, for the key that proves them.
struct PendingDelivery {
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

    /// Judges the waiting deliveries of a source by the keys of today; returns those that are evidence now.
    static func proven(_ source: WebhookSource, context: LoadContext, on connection: Connection) throws
        -> [JudgedDelivery]
    {
        var proven: [JudgedDelivery] = []
        let judge = DeliveryJudge(sources: [source], only: source)
        let statement = try context.sql.text("SQL/loading/webhooks/waiting.sql")
        try connection.stream(statement, [.int(context.account), .text(source.id)]) { row in
            let root = try JSONDocument(try row.text("delivery")).root
            let headers = root["headers"]?.members.map { (name: $0.key, value: $0.value.string ?? "") } ?? []
            let delivery = WebhookDelivery(
                receivedAt: try row.timestamp("received_at"), url: root["url"]?.string ?? "", headers: headers,
                body: try row.bytes("body"))
            let place = DeliveryPlace(digest: try row.bytes("file_digest"), line: Int(try row.int("line_no")))
            guard let (_, judged) = try? judge.judge(delivery, at: place), judged.isEvidence else { return }
            proven.append(judged)
        }
        return proven
    }
}
