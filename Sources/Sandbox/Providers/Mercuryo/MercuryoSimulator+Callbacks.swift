import Crypto
import Payments

/// Callbacks: one for each change of each operation, told as if the other did not exist.
extension MercuryoSimulator {
    func announcements(
        of status: Status, _ trade: Trade, _ frame: EventFrame, _ random: inout Randomness
    ) -> [[UInt8]] {
        // No document names a callback for money given back, nor for a word that nobody modelled.
        guard status != .refunded, status != .retryScheduled else { return [] }
        let moment = trade.steps.last { $0.status == status && $0.at <= frame.created }?.at ?? frame.created
        let change = MercuryoOperations(trade: trade).change(status, at: moment)
        var bodies: [[UInt8]] = []
        let operations = MercuryoOperations(trade: trade)
        for (kind, word) in [(operations.main, change.main), (operations.linked, change.linked)] {
            guard let word, word != "new" || source.setting("new") == "sent" else { continue }
            bodies.append(callback(kind, word, of: trade, at: moment))
        }
        return bodies
    }

    private func callback(
        _ kind: MercuryoOperations.Kind, _ status: String, of trade: Trade, at moment: Timestamp
    ) -> [UInt8] {
        let isBuySide = [.buy, .mobilePay, .buyAcquirer].contains(kind)
        let created =
            kind == .withdraw || kind == .deposit
            ? trade.steps.first { $0.status == .settling }?.at ?? moment : trade.createdAt
        var json = JSONText()
        func data(_ data: inout JSONText) {
            data.text("id", id(of: kind, trade))
            data.text("type", isBuySide ? "buy" : kind.rawValue)
            if isBuySide {
                data.text("payment_method", kind == .buy ? "card" : kind == .mobilePay ? "mobile_pay" : "invoice")
            }
            data.text("status", status)
            data.text("amount", crypto(trade))
            data.text("currency", asset(trade))
            data.text("fiat_amount", fiat(trade))
            data.text("fiat_currency", trade.corridor.fiat.code)
            if isBuySide, trade.feesAreKnown(at: moment) || status == "paid" {
                data.text("fee", (trade.fees.network + trade.fees.transaction).text(digits: 2))
                data.text("partner_fee", trade.fees.partner.text(digits: 2))
            }
            data.text("merchant_transaction_id", trade.quirks.contains(.sparse) ? nil : trade.bookOrder)
            if source.setting("transaction") == "named" { data.text("transaction_id", trade.id) }
            if kind == .withdraw || kind == .deposit {
                data.object("tx") {
                    $0.text("id", status == "completed" ? "0x\(trade.chainId)" : nil)
                    $0.text("address", trade.wallet)
                }
            }
            if kind == .buy { data.object("card") { $0.text("number", "4242") } }
            data.object("user") {
                var random = source.randomness(33, trade.customer.externalId)
                $0.text("uuid4", Self.uuid(&random))
                $0.text("country_code", trade.country.lowercased())
            }
            data.text("created_at", WireTime.plain(created))
            data.number("created_at_ts", String(WireTime.seconds(created)))
            data.text("updated_at", WireTime.plain(moment))
            data.number("updated_at_ts", String(WireTime.seconds(moment)))
        }
        json.object {
            if source.setting("root") == "payload" {
                $0.object("payload") { $0.object("data") { data(&$0) } }
            } else {
                $0.object("data") { data(&$0) }
            }
        }
        return json.bytes
    }

    func headers(of delivery: Delivery, signedWith key: Secret, capitals: Bool) -> [(name: String, value: String)] {
        let isStripped = source.setting("signature") == "stripped"
        let message = isStripped ? delivery.body.filter { $0 > 32 } : delivery.body
        return [(capitals ? "X-Signature" : "x-signature", Hex.encode(HMACCode.sha256(key: key, message: message)))]
    }

    /// There is no id of a delivery: what it says of which operation, and when that changed, tells it from others.
    func eventKey(of tale: Trade.Tale, _ trade: Trade) -> String? {
        let operations = MercuryoOperations(trade: trade)
        let change = operations.change(tale.status, at: tale.at)
        let (kind, word) = change.main == nil ? (operations.linked, change.linked) : (operations.main, change.main)
        guard let word else { return nil }
        let isBuySide = [.buy, .mobilePay, .buyAcquirer].contains(kind)
        return "\(isBuySide ? "buy" : kind.rawValue)/\(id(of: kind, trade))/\(word)/\(WireTime.plain(tale.at))"
    }
}
