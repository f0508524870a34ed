import Crypto
import Payments

/// Webhooks: an approval and a decline, each signed with the secret that the payment was given. No event has an id.
extension PushSimulator {
    func announcements(
        of status: Status, _ trade: Trade, _ frame: EventFrame, _ random: inout Randomness
    ) -> [[UInt8]] {
        switch status {
        // Under manual approval the event comes before it, and none after.
        case .pending: isManual(trade) ? [event("intent.approved", "pending", trade, frame)] : []
        case .settling: isManual(trade) ? [] : [event("intent.approved", "approved", trade, frame)]
        case .declined: [event("intent.declined", "declined", trade, frame)]
        default: []
        }
    }

    private func event(_ type: String, _ status: String, _ trade: Trade, _ frame: EventFrame) -> [UInt8] {
        var json = JSONText()
        json.object { body in
            body.text("type", type)
            body.object("data") { data in
                data.text("id", trade.id)
                data.text("tag", trade.bookOrder)
                data.text("direction", trade.direction == .in ? "cash_in" : "cash_out")
                data.number("amount", String(cents(trade)))
                data.text("status", status)
                if status == "declined" {
                    data.text("decline_category", "insufficient_funds")
                } else {
                    data.text("rail", trade.corridor.method)
                    data.object("limits_utilization") {
                        $0.text("daily_cash_in", "5000.00")
                        $0.text("monthly_cash_in", "20000.00")
                    }
                }
                data.text("currency", "USD")
                data.text("type", self.type(trade))
            }
            // Microseconds, always.
            let text = Timestamp(microseconds: frame.created.microseconds / 1_000_000 * 1_000_000).description
            let micros = String(frame.created.microseconds % 1_000_000 + 1_000_000).dropFirst()
            body.text("timestamp", "\(text.prefix(19)).\(micros)Z")
        }
        return json.bytes
    }

    func webhookSecret(of trade: Trade?) -> Secret {
        let root = source.secret("webhook-root")
        guard let trade else { return root }
        return Secret("whsec_" + Hex.encode(HMACCode.sha256(key: root, message: Array(trade.id.utf8))))
    }

    func headers(of delivery: Delivery, signedWith key: Secret, capitals: Bool) -> [(name: String, value: String)] {
        let code = HMACCode.sha256(key: key, message: delivery.body)
        let text =
            switch source.setting("signature") {
            case "base64": Base64.encode(code)
            case "prefixed": "sha256=" + Hex.encode(code)
            default: Hex.encode(code)
            }
        return [(capitals ? "X-Webhook-Signature" : "x-webhook-signature", text)]
    }
}
