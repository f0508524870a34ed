import Crypto
import Foundation
import JSON
import Payments
import Postgres
import Providers
import TestSupport
import Testing

@testable import Loading

/// Deliveries of Banxa, as far as they are loaded in another way than others.
@Suite("Captured webhooks of Banxa")
struct BanxaCaptureTests {
    static let secret = Secret("sk_demo_9b7e2d")
    static let url = "https://recon.example.com/hooks/banxa"
    let fixture: FileFixture

    init() throws { fixture = try FileFixture() }

    private func loader(_ secrets: [Secret] = [secret]) throws -> WebhookHistoryLoader {
        let csv = try Data(contentsOf: URL(filePath: "\(Checkout.root)/SQL/reference/status_map/banxa.csv"))
        let scheme = BanxaWebhooks(
            secrets: secrets, statusMap: try StatusMap(csv: String(decoding: csv, as: UTF8.self)))
        return WebhookHistoryLoader(
            fixture.context(), fixture.connection,
            sources: [WebhookSource(id: "meld-live", scheme: scheme, urls: [Self.url])])
    }

    private static func line(_ body: String, received: Int) -> String {
        let nonce = "17863632\(10_000 + received)"
        let message = "POST\n/hooks/banxa\n\(nonce)\n\(body)"
        let code = Hex.encode(HMACCode.sha256(key: secret, message: Array(message.utf8)))
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("receivedAt", Capture.time(received))
            writer.member("method", "POST")
            writer.member("url", url)
            writer.key("headers")
            writer.object { $0.member("Authorization", "Bearer pk_demo_key:\(code):\(nonce)") }
            writer.member("rawBody", body)
        }
        return writer.text
    }

    private func load(_ name: String, _ lines: [String], by loader: WebhookHistoryLoader) throws {
        _ = try loader.load(paths: [try fixture.write(lines.joined(separator: "\n"), to: name)])
    }

    private func text(_ sql: String) throws -> String { try fixture.connection.query(sql).only().text(0) }

    @Test("a body in single quotes is one event of its order, valid by the bytes that were sent, without a state")
    func singleQuotes() throws {
        let loader = try loader()
        try load(
            "a.jsonl", [Self.line("{'order_id':'fe01'}", received: 10), Self.line("{'id':'x'}", received: 11)],
            by: loader)
        let row =
            "select concat_ws(' ', transaction_id, verdict, coalesce(state, 'none'), deliveries) from tieout.webhook_event"
        #expect(try text(row) == "fe01 valid none 1")
        #expect(try text("select count(*)::text from tieout.quarantine") == "1")
    }

    @Test("no stored header carries the API key, and a delivery that waits is proven without it")
    func headers() throws {
        let body = #"{"order_id":"fe01","status":"complete","status_date":"2026-08-10 12:00:00"}"#
        try load("a.jsonl", [Self.line(body, received: 10)], by: try loader([]))
        #expect(try text("select verdict from tieout.webhook_event") == "no_key")
        let stored = try text(
            "select string_agg(signature_headers::text, '') || (select string_agg(delivery::text, '') from tieout.webhook_pending)"
                + " from tieout.webhook_delivery")
        #expect(stored.contains("Bearer :") && !stored.contains("pk_demo_key"))
        try load("b.jsonl", [], by: try loader())
        #expect(try text("select verdict from tieout.webhook_event") == "valid")
    }

    @Test("an event without a state has its order read once more after each delivery, one with a state does not")
    func behind() throws {
        let loader = try loader()
        func poll(_ seconds: Int64) throws {
            try fixture.connection.execute(
                "insert into tieout.resource_state (account_id, source_id, resource, last_success_at) values "
                    + "(1, 'meld-live', 'transaction', $1) on conflict (account_id, source_id, resource) do update "
                    + "set last_success_at = excluded.last_success_at",
                [.timestamp(FileFixture.start.adding(seconds: seconds))])
        }
        for id in ["fe01", "fe02"] {
            try fixture.connection.execute(
                "insert into tieout.transaction (account_id, source_id, resource, transaction_id, run_id, observed_at, "
                    + "request_started_at, version_time, state_rank, created_at, direction, raw_status, state, money, is_final, "
                    + "evidence_pack, evidence_offset, evidence_length, raw_hash, content_hash) values (1, 'meld-live', "
                    + "'transaction', $1, 1, now(), now(), $2, 70, $2, 'in', 'complete', 'x', 'none', false, 1, 0, 0, '', '')",
                [.text(id), .timestamp(Timestamp(Capture.time(100)))])
        }
        let bare = #"{"order_id":"fe01"}"#
        let told = #"{"order_id":"fe02","status":"complete","status_date":"2026-08-10 12:00:00"}"#
        try load("a.jsonl", [Self.line(bare, received: 10), Self.line(told, received: 11)], by: loader)
        #expect(try loader.idsBehind(source: "meld-live") == ["fe01"])
        try poll(86_400 * 365)
        #expect(try loader.idsBehind(source: "meld-live").isEmpty)
        try poll(-1)
        #expect(try loader.idsBehind(source: "meld-live") == ["fe01"])
    }
}
