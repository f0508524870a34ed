import Crypto
package import Payments

/// What Meld sends, and how it signs it.
extension MeldSimulator {
    func announcements(
        of status: Status, _ trade: Trade, _ frame: EventFrame, _ random: inout Randomness
    ) -> [[UInt8]] {
        guard let type = status.eventType else { return [] }
        return [
            EventBody.render(
                trade: trade, status: status, type: type, eventId: frame.id, created: frame.created, random: &random)
        ]
    }

    /// Somebody presses the test button just before every capture ends.
    func testEvent(_ frame: EventFrame, _ random: inout Randomness) -> [UInt8]? {
        var json = JSONText()
        json.object {
            $0.text("eventType", "WEBHOOK_TEST")
            $0.text("eventId", frame.id)
            $0.text("timestamp", frame.created.description)
            $0.text("accountId", Deliveries.account)
            $0.text("profileId", nil)
            $0.text("version", Names.version)
            $0.object("payload") { $0.text("requestId", Identifiers.base58(22, &random)) }
        }
        return json.bytes
    }

    func headers(
        of delivery: Delivery, signedWith key: Secret, capitals: Bool
    ) -> [(name: String, value: String)] {
        // The signature's own time is the sending time, renewed with every attempt.
        let stamp = delivery.receivedAt.description
        let signature = Capture.signature(timestamp: stamp, url: source.webhookURL, body: delivery.body, secret: key)
        var headers = [
            (name: capitals ? "Meld-Signature" : "meld-signature", value: signature),
            (capitals ? "Meld-Signature-Timestamp" : "meld-signature-timestamp", stamp),
        ]
        if let reason = delivery.retryReason {
            headers.append(("Meld-Retry-Count", String(delivery.retry)))
            headers.append(("Meld-Retry-Reason", reason))
        }
        return headers
    }

    func eventKey(of tale: Trade.Tale, _ trade: Trade) -> String? { "\(Deliveries.profile)/\(tale.eventId)" }

    func shown(_ trade: Trade, at moment: Timestamp) -> ShownAmounts {
        let row = MeldRow(trade: trade, moment: moment, hasNewWalletNames: true)
        return ShownAmounts(
            charged: row.showsSourceAmount ? (trade.sourceCurrency, trade.sourceAmount) : nil,
            delivered: row.showsDestinationAmount ? (trade.destinationCurrency, trade.destinationAmount) : nil)
    }

    func word(_ trade: Trade, at moment: Timestamp) -> String {
        (trade.status(at: moment) ?? .pendingCreated).rawValue
    }
}

extension Capture {
    /// `base64url(HMAC-SHA256(secret, timestamp + "." + URL + "." + body))`, padded.
    package static func signature(timestamp: String, url: String, body: [UInt8], secret: Secret) -> String {
        let message = Array("\(timestamp).\(url).".utf8) + body
        return Base64.encode(HMACCode.sha256(key: secret, message: message), alphabet: .url)
    }
}

extension Status {
    /// The type of Meld's event that announces the status; nil: none is sent.
    var eventType: String? {
        switch self {
        case .pendingCreated, .pending, .processing, .twoFactorRequired, .twoFactorProvided, .authorized:
            "TRANSACTION_CRYPTO_PENDING"
        case .settling, .onrampSettled: "TRANSACTION_CRYPTO_TRANSFERRING"
        case .settled: "TRANSACTION_CRYPTO_COMPLETE"
        case .refunded, .declined, .cancelled, .failed, .error, .voided, .authorizationExpired:
            "TRANSACTION_CRYPTO_FAILED"
        case .retryScheduled: nil
        }
    }
}
