import Crypto
import Payments

/// Notifications: the object itself, whatever it is about, on every change of its status; no envelope.
extension DLocalSimulator {
    func announcements(
        of status: Status, _ trade: Trade, _ frame: EventFrame, _ random: inout Randomness
    ) -> [[UInt8]] {
        guard let index = places[trade.id] else { return [] }
        switch status {
        // That the merchant was paid is told by reports alone; a word that nobody modelled by the payment itself.
        case .settled, .onrampSettled, .retryScheduled, .twoFactorRequired, .twoFactorProvided, .error: return []
        case .refunded:
            let returns = trade.returns
            guard
                let part = returns.lastIndex(where: { refund in
                    trade.steps.contains { $0.status == .refunded && $0.at == refund.at }
                })
            else { return [] }
            return [body { refund(part, of: trade, at: returns[part].at, to: &$0) }]
        default:
            // A tale is about a status that the payment never had.
            let step = trade.steps.last { $0.status == status && $0.at <= frame.created }
            guard let step else { return [body { tale(of: status, index, to: &$0) }] }
            return [body { payment(index, at: step.at, isNotification: true, to: &$0) }]
        }
    }

    private func body(_ write: (inout JSONText) -> Void) -> [UInt8] {
        var json = JSONText()
        json.object(nil, write)
        return json.bytes
    }

    private func tale(of status: Status, _ index: Int, to json: inout JSONText) {
        let trade = source.trades[index]
        let (word, code) = status == .failed ? ("REJECTED", "300") : ("CANCELLED", "400")
        json.text("id", trade.id)
        json.number("amount", trade.fiatAmount.text(digits: 2))
        json.text("currency", trade.corridor.fiat.code)
        json.text("status", word)
        json.text("status_code", code)
        json.text("order_id", trade.bookOrder)
    }

    func notices(about trade: Trade) -> [Notice] {
        var notices: [Notice] = []
        let full = Set(trade.steps.filter { $0.status == .refunded }.map(\.at))
        for (part, refund) in trade.returns.enumerated() where !full.contains(refund.at) {
            for moment in [refund.at, refund.failedAt].compactMap(\.self) {
                notices.append(Notice(at: moment) { _ in body { self.refund(part, of: trade, at: moment, to: &$0) } })
            }
        }
        for (part, dispute) in trade.disputes.enumerated() {
            for moment in [dispute.at, Self.carriedOut(dispute), dispute.ended?.at].compactMap(\.self) {
                notices.append(
                    Notice(at: moment) { _ in body { self.dispute(part, of: trade, at: moment, to: &$0) } })
            }
        }
        return notices
    }

    /// Signed like a request, at the moment of sending.
    func headers(of delivery: Delivery, signedWith key: Secret, capitals: Bool) -> [(name: String, value: String)] {
        let date = WireTime.milliseconds(delivery.receivedAt)
        let code = Self.signature(source, date: date, body: delivery.body, key: key)
        let isBare = source.setting("header") == "signature"
        let name = isBare ? (capitals ? "Signature" : "signature") : (capitals ? "Authorization" : "authorization")
        return [
            (capitals ? "X-Date" : "x-date", date),
            (name, isBare ? code : "V2-HMAC-SHA256, Signature: \(code)"),
        ]
    }

    func webhookSecret(of trade: Trade?) -> Secret { source.secret("secret_key") }

    /// There is no id: an event is told by its object, its words and its bytes.
    func eventKey(of tale: Trade.Tale, _ trade: Trade) -> String? {
        var random = source.randomness(44, tale.eventId)
        let frame = EventFrame(id: tale.eventId, created: tale.at)
        guard let body = announcements(of: tale.status, trade, frame, &random).first else { return nil }
        let (word, code) = tale.status == .failed ? ("REJECTED", "300") : ("CANCELLED", "400")
        return "\(trade.id)/\(word)/\(code)/\(Hex.encode(Digest.sha256(body)))"
    }
}
