import Crypto
import Payments

/// Webhooks: one for each change of an order, without an id of their own.
extension BanxaSimulator {
    func announcements(
        of status: Status, _ trade: Trade, _ frame: EventFrame, _ random: inout Randomness
    ) -> [[UInt8]] {
        // Nobody sends a word that nobody modelled.
        guard status != .retryScheduled else { return [] }
        let moment = trade.steps.last { $0.status == status && $0.at <= frame.created }?.at ?? frame.created
        switch source.setting("surface") {
        case "legacy":
            let quote = source.setting("quotes") == "single" ? "'" : "\""
            return [Array("{\(quote)order_id\(quote):\(quote)\(trade.id)\(quote)}".utf8)]
        case "native": return [body(Self.native(status, trade.direction), of: trade, at: moment, isNative: true)]
        default: return [body(Self.hosted(status, trade.direction), of: trade, at: moment, isNative: false)]
        }
    }

    private func body(_ word: String, of trade: Trade, at moment: Timestamp, isNative: Bool) -> [UInt8] {
        let isPurchase = trade.direction == .in
        var json = JSONText()
        json.object {
            $0.text("order_id", trade.id)
            $0.text("status", word)
            $0.text("status_date", date(moment))
            if source.setting("events") == "short" { return }
            $0.text("created_at", date(trade.createdAt))
            $0.text("updated_at", date(moment))
            if isNative {
                $0.text("internal_reason", "Checked by agent 7 of \(trade.customer.externalId)")
                $0.text("external_reason", "Your order has changed.")
            } else {
                $0.text("external_id", trade.bookOrder)
            }
            let hosted = isPurchase ? "BUY" : "SELL"
            $0.text("order_type", isNative ? (isPurchase ? "ONRAMP" : "OFFRAMP") : hosted)
            $0.text("crypto_coin", asset(trade))
            $0.text("crypto_blockchain", chain(trade))
            $0.text("crypto_amount", crypto(trade))
            $0.text("fiat_currency", trade.corridor.fiat.code)
            $0.text("fiat_amount", fiat(trade))
            // Neither ratio of the two amounts: nothing can be computed from it.
            $0.text("asset_price", "0.018656")
            $0.text(isNative ? "payment" : "payment_method", isNative ? fiat(trade) : Self.methodName(trade))
            let known = trade.feesAreKnown(at: moment)
            $0.text("processing_fee", known ? trade.fees.transaction.text(digits: 2) : "0")
            $0.text("network_fee", known ? trade.fees.network.text(digits: 2) : "0")
            $0.text("usd_exchange_rate", "1.09")
            $0.text("transaction_hash", hash(trade, at: moment) ?? "0")
            if !isNative { $0.array("metadata") { _ in } }
        }
        return json.bytes
    }

    /// Without a zone, and sometimes without a blank.
    private func date(_ moment: Timestamp) -> String {
        let text = WireTime.plain(moment)
        return source.setting("dates") == "joined" ? String(text.prefix(10) + text.dropFirst(11)) : text
    }

    /// The same signature as of requests, over the path of the merchant's endpoint.
    func headers(of delivery: Delivery, signedWith key: Secret, capitals: Bool) -> [(name: String, value: String)] {
        let url = source.webhookURL
        let path = url.firstRange(of: "://").map { url[$0.upperBound...].drop { $0 != "/" } } ?? "/"
        let nonce = String(delivery.receivedAt.microseconds / 1_000)
        let message = Array("POST\n\(path)\n\(nonce)\n".utf8) + delivery.body
        let code = Hex.encode(HMACCode.sha256(key: key, message: message))
        let apiKey = source.secret("api-key").reveal()
        return [(capitals ? "Authorization" : "authorization", "Bearer \(apiKey):\(code):\(nonce)")]
    }
}
