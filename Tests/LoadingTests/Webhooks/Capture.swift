import Crypto
import FoundationEssentials
import JSON
import Loading
import Payments
import Providers
import TestSupport

/// Writes captured Meld deliveries.
enum Capture {
    static let secret = Secret("fake-webhook-secret-01")
    static let url = "https://recon.example.com/hooks/meld"

    static func scheme(_ secrets: [Secret] = [secret]) throws -> MeldWebhooks {
        let csv = try Data(contentsOf: URL(filePath: "\(Checkout.root)/SQL/reference/status_map/meld.csv"))
        return MeldWebhooks(secrets: secrets, statusMap: try StatusMap(csv: String(decoding: csv, as: UTF8.self)))
    }

    static func source(_ id: String = "meld-live", _ secrets: [Secret] = [secret]) throws -> WebhookSource {
        WebhookSource(id: id, scheme: try scheme(secrets), urls: [url])
    }

    static func body(_ event: String, _ transaction: String, _ status: String, second: Int, extra: String = "")
        -> String
    {
        """
        {"eventType":"TRANSACTION_CRYPTO_PENDING","eventId":"\(event)","timestamp":"\(time(second))","payload":\
        {"paymentTransactionId":"\(transaction)","transactionType":"CRYPTO_PURCHASE",\
        "paymentTransactionStatus":"\(status)"\(extra)}}
        """
    }

    static func time(_ second: Int) -> String { Timestamp(seconds: 1_786_363_200 + Int64(second)).description }

    /// One line. `signed`: the bytes the signature is taken over, if not the body's.
    static func line(
        _ body: String, received: Int, retry: Int? = nil, signed: String? = nil, secret: Secret = secret,
        url: String = url
    ) -> String {
        let message = "\(time(received)).\(url).\(signed ?? body)"
        let code = Base64.encode(HMACCode.sha256(key: secret, message: Array(message.utf8)), alphabet: .url)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("receivedAt", time(received))
            writer.member("method", "POST")
            writer.member("url", url)
            writer.key("headers")
            writer.object { writer in
                writer.member("Meld-Signature", code)
                writer.member("meld-signature-timestamp", time(received))
                if let retry { writer.member("Meld-Retry-Count", "\(retry)") }
            }
            writer.member("rawBody", body)
        }
        return writer.text
    }
}
