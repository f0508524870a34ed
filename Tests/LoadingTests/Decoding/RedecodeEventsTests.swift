import Crypto
import JSON
import Payments
import Postgres
import Providers
import TestSupport
import Testing

@testable import Loading

@Suite("Events of other providers, read again")
struct RedecodeEventsTests {
    private static let night = Timestamp(seconds: 1_786_413_000)
    private static let secret = Secret("a-secret")
    private static let first = Timestamp(seconds: 1_786_400_000)
    private static let url = "https://recon.example.com/hooks"

    private func map(_ name: String) throws -> StatusMap {
        try StatusMap(csv: try SQLLibrary(root: Checkout.root).text(Catalogue.statusMapPath(name)))
    }

    private func line(_ body: String, at received: Timestamp, _ headers: [(String, String)]) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("receivedAt", received.description)
            writer.member("url", Self.url)
            writer.key("headers")
            writer.object { writer in for (name, value) in headers { writer.member(name, value) } }
            writer.member("rawBody", body)
        }
        return writer.text + "\n"
    }

    private func code(_ text: String, _ secret: Secret = secret) -> String {
        Hex.encode(HMACCode.sha256(key: secret, message: Array(text.utf8)))
    }

    /// Loads the lines, reads what is stored of them again under an unchanged map, and under a changed one. Returns what
    /// the first has done and the events after it.
    private func read(_ lines: [String], _ scheme: any WebhookScheme, _ other: any WebhookScheme) throws -> (
        same: RedecodeCounts, changed: RedecodeCounts, before: [String], after: [String], last: [String]
    ) {
        let bench = try PollingBench([])
        let path = TemporaryFile.write(lines.joined(), ending: ".jsonl")
        defer { TemporaryFile.remove(path) }
        _ = try WebhookHistoryLoader(
            bench.context(at: Self.night), bench.connection,
            sources: [WebhookSource(id: bench.source, scheme: scheme, urls: [Self.url])]
        ).load(paths: [path])
        func events() throws -> [String] {
            try bench.connection.query(
                "select concat_ws('|', event_key, event_time, flags, is_test, state) from tieout.webhook_event order by 1"
            ).map { try $0.text(0) }
        }
        func run(_ scheme: any WebhookScheme, to reading: [UInt8], after seconds: Int64) throws -> RedecodeCounts {
            let context = bench.context(at: Self.night.adding(seconds: seconds))
            let state = try DecodingState(
                on: bench.connection, account: 1, sql: context.sql, source: bench.source, kind: .event)
            return try Redecoder(
                context: context, connection: bench.connection, reading: try bench.database.connection(),
                source: bench.source
            ).events(scheme, from: state, to: reading, stop: StopFlag())
        }
        let before = try events()
        let same = try run(scheme, to: [2], after: 60)
        let after = try events()
        let changed = try run(other, to: [3], after: 120)
        return (same, changed, before, after, try events())
    }

    /// The map in which `status` means something else.
    private func map(_ name: String, changing status: String) throws -> StatusMap {
        let csv = try SQLLibrary(root: Checkout.root).text(Catalogue.statusMapPath(name))
        let header = StatusMap.columns.joined(separator: ",") + "\n"
        return try StatusMap(
            csv: header + "\(status),,,,,pending,10,no,none,,,,,none,a test\n" + csv.dropFirst(header.count))
    }

    @Test("dLocal's event keeps the time of its newest delivery, also while it waits for a key")
    func dlocal() throws {
        func scheme(_ map: StatusMap) throws -> any WebhookScheme {
            let configuration = try DLocalConfiguration(
                ProviderOptions(
                    environment: "live", apiKey: Secret("login"),
                    secrets: ["secret_key": Self.secret, "trans_key": Secret("trans")]))
            return try #require(DLocal(configuration: configuration, statusMap: map).webhooks)
        }
        func delivery(_ id: String, _ date: String, after seconds: Int64, _ secret: Secret = Self.secret) -> String {
            let body = #"{"id":"\#(id)","amount":120.00,"status":"PAID","description":"Jane"}"#
            let signature = "V2-HMAC-SHA256, Signature: \(code("login" + date + body, secret))"
            return line(
                body, at: Self.first.adding(seconds: seconds), [("X-Date", date), ("Authorization", signature)])
        }
        let result = try read(
            [
                delivery("T-1", "2026-08-10T10:00:00.000Z", after: 0),
                delivery("T-1", "2026-08-10T10:05:00.000Z", after: 300),
                delivery("T-2", "2026-08-10T11:00:00.000Z", after: 3600, Secret("unknown")),
            ], try scheme(try map("dlocal")), try scheme(try map("dlocal", changing: "PAID")))
        #expect(result.before.count == 2 && result.before[0].contains("2026-08-10 10:05:00"))
        #expect(result.same.read == 2 && result.same.changed == 0 && result.same.quarantined == 0)
        #expect(result.after == result.before)
        #expect(result.changed.changed == 2 && result.changed.unread == 0)
        #expect(result.last.allSatisfy { $0.hasSuffix("|pending") && $0.contains("{}") })
        #expect(result.last[1].contains("2026-08-10 11:00:00"))
    }

    @Test("Coinbase's event keeps its key, its time, how it was signed and whose it is not")
    func coinbase() throws {
        let body =
            #"{"eventType":"onramp.transaction.success","transactionId":"T-1","status":"ONRAMP_TRANSACTION_STATUS_SUCCESS","partnerUserRef":"sandbox-jane@example.com"}"#
        let seconds = Self.first.microseconds / 1_000_000
        let signed = line(
            body, at: Self.first.adding(seconds: 2),
            [("X-Event-Id", "E-1"), ("X-Hook0-Signature", "t=\(seconds),v0=\(code("\(seconds).\(body)"))")])
        func scheme(_ map: StatusMap) -> CoinbaseWebhooks {
            CoinbaseWebhooks(secrets: [Self.secret], statusMap: map, isLive: true)
        }
        let result = try read(
            [signed], scheme(try map("coinbase")),
            scheme(try map("coinbase", changing: "ONRAMP_TRANSACTION_STATUS_SUCCESS")))
        #expect(result.before.first?.hasPrefix("E-1|\(Self.first.description.prefix(10))") == true)
        #expect(result.before.first?.contains("|{signed_v0}|t|") == true)
        #expect(result.same.read == 1 && result.same.changed == 0 && result.same.quarantined == 0)
        #expect(result.changed.changed == 1)
        #expect(result.last.first?.hasSuffix("|{signed_v0}|t|pending") == true)
    }
}
