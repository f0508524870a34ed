import Crypto
import JSON
import Payments
import Testing

@testable import Sandbox

@Suite struct CaptureTests {
    private static let first =
        #"{"eventType":"TRANSACTION_CRYPTO_PENDING","eventId":"kTcRMzUd1VdNKsYcZM6XuP","timestamp":"2026-08-10T12:00:04.201000Z","accountId":"Wq9e4NyPL6ojvpjxhtkBLy","profileId":"W1jE7zpiwGNhzRH5tveZdg","version":"2026-05-01","payload":{"requestId":"4e78151b0d833609480c6f3de6cf8d08","accountId":"Wq9e4NyPL6ojvpjxhtkBLy","paymentTransactionId":"WenwLJd95gyjJVbMv9K3yo","customerId":"W25DSsMDC5wEDPs6Hyxrtt","externalCustomerId":"fake-user-42","transactionType":"CRYPTO_PURCHASE","paymentTransactionStatus":"PENDING_CREATED"}}"#
    private static let sample =
        #"{"eventType":"WEBHOOK_TEST","eventId":"GDtv8pQgwzc9HuFFBQFrww","timestamp":"2022-05-26T20:23:45.908400Z","accountId":"W9jpQc1HKvwscqMPcLmzUS","profileId":null,"version":"2021-10-27","payload":{"requestId":"7aWW1GXTjWCCtNubzvVX7V"}}"#

    @Test("signatures are those of the provider's own samples")
    func vectors() {
        #expect(
            Capture.signature(
                timestamp: "2022-05-26T20:25:17.682818Z", url: "https://example.meld.io/webhooks",
                body: Array(Self.sample.utf8), secret: Secret("42m4NMLS34WQ6BbMfo1KFKqMv4hy"))
                == "O4bN5E0U9s88l2DFc0kjt-0w3LLA3Zkv8hXhafc22Hg=")
        #expect(
            Capture.signature(
                timestamp: "2026-08-10T12:00:04.377120Z", url: "https://recon.example.com/hooks/meld",
                body: Array(Self.first.utf8), secret: Secret("fake-webhook-secret-01"))
                == "uKVvle-HyduoJvatdbJ-hMoFyqCkAZXw1snMR-sDZwM=")
    }

    private func lines(night: Int, file: Int) throws -> [JSONValue] {
        let deliveries = Deliveries(sampleWorld).all().filter { $0.night == night && $0.file == file }
        let meld = MeldSimulator(sampleWorld.sources[0].with(secret: "webhook-secret", Secret("s")))
        return try Capture.lines(deliveries, of: meld, seed: 1).split(separator: 10).map {
            try JSONDocument(Array($0)).root
        }
    }

    private func body(_ line: JSONValue) throws -> [UInt8] {
        if let text = line["rawBody"]?.string { return Array(text.utf8) }
        let text = try #require(line["rawBodyBase64"]?.string)
        return try #require(Base64.decode(text))
    }

    private func header(_ name: String, _ line: JSONValue) -> String? {
        line["headers"]?.members.first { $0.key.lowercased() == name }?.value.string
    }

    @Test(
        "case 24: every line's signature is valid over the exact bytes but for what was forged, and not re-serialised")
    func everySignature() throws {
        var escaped = 0
        var forged = 0
        for line in try lines(night: 1, file: 0) + lines(night: 1, file: 1) {
            let body = try body(line)
            let stamp = try #require(header("meld-signature-timestamp", line))
            let expected = Capture.signature(
                timestamp: stamp, url: try #require(line["url"]?.string), body: body, secret: Secret("s"))
            if header("meld-signature", line) != expected { forged += 1 }
            let text = String(decoding: body, as: UTF8.self)
            guard text.contains(#"\/"#) else { continue }
            escaped += 1
            let rewritten = text.replacing(#"\/"#, with: "/")
            let other = Capture.signature(
                timestamp: stamp, url: Names.webhookURL, body: Array(rewritten.utf8), secret: Secret("s"))
            #expect(other != expected)
        }
        #expect(escaped > 0)
        #expect(forged == Deliveries(sampleWorld).all().count { $0.isForged && $0.night == 1 } && forged > 0)
    }

    @Test("events come several times, out of order, and over two files; retries count up")
    func disorder() throws {
        var deliveries: [String: Set<Int>] = [:]
        var files: [String: Set<Int>] = [:]
        var swaps = 0
        for file in 0...1 {
            var last = ""
            for line in try lines(night: 1, file: file) {
                let event = try #require(try JSONDocument(try body(line)).root["eventId"]?.string)
                let retry = header("meld-retry-count", line).flatMap { Int($0) } ?? 0
                #expect(deliveries[event, default: []].insert(retry).inserted, "one attempt is one delivery")
                files[event, default: []].insert(file)
                let received = try #require(line["receivedAt"]?.string)
                if received < last { swaps += 1 }
                last = received
            }
        }
        #expect(deliveries.values.contains { $0.count > 1 })
        #expect(deliveries.values.contains { $0.contains(0) == false })
        #expect(files.values.contains { $0.count == 2 })
        #expect(swaps > 0)
    }
}
