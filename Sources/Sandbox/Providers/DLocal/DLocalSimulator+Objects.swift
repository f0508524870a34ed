import Payments

/// What dLocal's objects show at a moment.
extension DLocalSimulator {
    /// The status triple of a payment.
    struct Standing {
        let status: String
        let code: String
        let detail: String
        /// When it was reached.
        let since: Timestamp
    }

    private static func isDirect(_ trade: Trade) -> Bool { ["CARD", "APPLE_PAY"].contains(trade.corridor.method) }

    /// Money that reaches the merchant, or goes back, changes no payment.
    func standing(_ trade: Trade, at moment: Timestamp) -> Standing {
        var standing = Standing(
            status: "PENDING", code: Self.isDirect(trade) ? "101" : "100", detail: "The payment is pending.",
            since: trade.createdAt)
        for step in trade.steps where step.at <= moment {
            func turn(_ status: String, _ code: String, _ detail: String) {
                standing = Standing(status: status, code: code, detail: detail, since: step.at)
            }
            switch step.status {
            // Whoever was refused once is asked for 3-D Secure again.
            case .pending, .processing:
                turn("PENDING", standing.status == "REJECTED" ? "101" : "100", "The payment is pending.")
            case .authorized: turn("AUTHORIZED", "600", "The payment was authorized")
            case .settling: turn("PAID", "200", moment < step.at.adding(seconds: 86_400) ? Self.fresh : Self.later)
            case .declined: turn("REJECTED", declineCode(trade), "The payment was rejected.")
            case .cancelled, .voided, .authorizationExpired: turn("CANCELLED", "400", "The payment was cancelled.")
            case .retryScheduled: turn("retry_scheduled", "900", "A retry is scheduled.")
            default: break
            }
        }
        return standing
    }

    // The same said with and without a full stop: prose that no one may match on.
    private static let fresh = "The payment was paid."
    private static let later = "The payment was paid"

    private func declineCode(_ trade: Trade) -> String {
        var random = source.randomness(43, trade.id)
        return String(random.between(300...326))
    }

    func word(_ trade: Trade, at moment: Timestamp) -> String { standing(trade, at: moment).status }

    func shown(_ trade: Trade, at moment: Timestamp) -> ShownAmounts {
        ShownAmounts(charged: (trade.corridor.fiat.code, trade.fiatAmount))
    }

    func time(_ moment: Timestamp) -> String {
        switch source.setting("dates") {
        case "zulu": WireTime.milliseconds(WireTime.cut(moment))
        case "minus": WireTime.milliseconds(WireTime.cut(moment), ending: "-00:00")
        default: WireTime.milliseconds(WireTime.cut(moment), ending: "+0000")
        }
    }

    /// Major units with two digits, or without those that are none.
    private func amount(_ amount: Amount, _ trade: Trade) -> String {
        amount.text(digits: trade.quirks.contains(.shortNumbers) ? 0 : trade.corridor.fiat.digits)
    }

    func row(_ item: Item, _ view: View) -> [UInt8] {
        let trade = source.trades[item.subject]
        var json = JSONText()
        switch item.shelf {
        case "refund": json.object { refund(item.part, of: trade, at: view.moment, to: &$0) }
        case "dispute": json.object { dispute(item.part, of: trade, at: view.moment, to: &$0) }
        default: json.object { payment(item.subject, at: view.moment, isNotification: false, to: &$0) }
        }
        return json.bytes
    }

    /// - Parameter isNotification: it says more of card and payer, and less of times and refunds.
    func payment(_ index: Int, at moment: Timestamp, isNotification: Bool, to json: inout JSONText) {
        let trade = source.trades[index]
        let standing = standing(trade, at: moment)
        let isDirect = Self.isDirect(trade)
        json.text("id", trade.id)
        if trade.quirks.contains(.feeAsObject) {
            json.object("amount") { $0.text("value", amount(trade.fiatAmount, trade)) }
        } else {
            json.number("amount", amount(trade.fiatAmount, trade))
        }
        json.text("currency", trade.corridor.fiat.code)
        json.text("payment_method_id", isDirect ? "CARD" : trade.corridor.method == "TICKET" ? "BL" : "PQ")
        json.text("payment_method_type", isDirect ? "CARD" : trade.corridor.method)
        json.text("payment_method_flow", isDirect ? "DIRECT" : "REDIRECT")
        json.text("country", trade.corridor.fiat.countries[0])
        if isDirect { card(of: trade, isNotification, to: &json) }
        if isNotification || trade.quirks.contains(.personalData) { payer(of: trade, to: &json) }
        json.text("created_date", time(trade.createdAt))
        if !isNotification, ["AUTHORIZED", "PAID", "CANCELLED"].contains(standing.status) {
            json.text("approved_date", time(standing.since))
        }
        json.text("status", standing.status)
        json.text("status_detail", standing.detail)
        json.text("status_code", standing.code)
        json.text("order_id", trade.bookOrder)
        json.text("notification_url", source.webhookURL)
        if !isDirect { json.text("redirect_url", "https://pay.example.com/\(trade.id)?token=fictitious") }
        if let held = authorizations[index] { json.text("authorization_id", source.trades[held].id) }
        if trade.quirks.contains(.unknownField) { json.text("settlement_batch", "7") }
        if !isNotification { json.array("refunds") { refunds(of: trade, at: moment, to: &$0) } }
    }

    private func refunds(of trade: Trade, at moment: Timestamp, to json: inout JSONText) {
        guard source.setting("refunds") != "empty" else { return }
        for (part, refund) in trade.returns.enumerated() where refund.at <= moment {
            if source.setting("refunds") == "ids" {
                json.text(nil, Self.refundID(part, trade, source))
            } else {
                json.object { self.refund(part, of: trade, at: moment, to: &$0) }
            }
        }
    }

    /// A made-up card and a made-up person, whom nobody may store.
    private func card(of trade: Trade, _ isNotification: Bool, to json: inout JSONText) {
        json.object("card") {
            $0.text("holder_name", "Ana Exemplo")
            if trade.quirks.contains(.shortNumbers) {
                $0.text("expiration_month", "03")
                $0.text("expiration_year", "2031")
            } else {
                $0.number("expiration_month", "3")
                $0.number("expiration_year", "2031")
            }
            $0.text("brand", "VI")
            $0.text("last4", "4242")
            $0.text("card_id", "CV-11111111-2222-4333-8444-555555555555")
            if source.setting("wallet") == "named", trade.corridor.method == "APPLE_PAY" {
                $0.text("wallet_type", "APPLE_PAY")
            }
            guard isNotification else { return }
            $0.text("bin", "424242")
            $0.text("type", "CREDIT")
            $0.text("status", "IN_MEMORY")
            $0.flag("network_token", trade.corridor.method == "APPLE_PAY")
        }
    }

    private func payer(of trade: Trade, to json: inout JSONText) {
        json.object("payer") {
            $0.text("name", "Ana Exemplo")
            $0.text("email", "\(trade.customer.externalId)@example.com")
            $0.text("document", "00000000191")
            $0.text("user_reference", trade.customer.externalId)
            $0.object("address") { $0.flag("empty", true) }
        }
    }

    func refund(_ part: Int, of trade: Trade, at moment: Timestamp, to json: inout JSONText) {
        let refund = trade.returns[part]
        let isRefused = refund.failedAt.map { $0 <= moment } == true
        let isOpen = refund.failedAt != nil && !isRefused
        json.text("id", Self.refundID(part, trade, source))
        json.text("payment_id", trade.id)
        json.text("id_payment", trade.id)
        json.number("amount", amount(refund.amount, trade))
        json.number("amount_refunded", isRefused || isOpen ? "0.00" : amount(refund.amount, trade))
        json.text("currency", trade.corridor.fiat.code)
        json.text("status", isRefused ? "REJECTED" : isOpen ? "PENDING" : "SUCCESS")
        json.number("status_code", isRefused ? "300" : isOpen ? "100" : "200")
        json.text("status_detail", isRefused ? "The refund was rejected." : "The refund was paid.")
        json.text("created_date", time(refund.at))
        json.text("order_id", trade.bookOrder)
        json.text("document_number", "00000000191")
        json.text("bank_account", "12345-6")
    }

    /// A day after it was opened the amount is taken from the merchant, where it comes to that at all.
    static func carriedOut(_ dispute: Trade.Dispute) -> Timestamp? {
        dispute.ended.map { min(dispute.at.adding(seconds: 86_400), $0.at) }
    }

    func dispute(_ part: Int, of trade: Trade, at moment: Timestamp, to json: inout JSONText) {
        let dispute = trade.disputes[part]
        var (status, code) = ("INQUIRY", 800)
        if let carried = Self.carriedOut(dispute), carried <= moment { (status, code) = ("COMPLETED", 200) }
        if let ended = dispute.ended, ended.at <= moment {
            (status, code) = ended.isWon ? ("REVERSAL", 700) : ("DISPUTE_LOST", 202)
        }
        json.text("id", Self.disputeID(part, trade, source))
        json.text("payment_id", trade.id)
        json.number("amount", amount(dispute.amount, trade))
        json.text("currency", trade.corridor.fiat.code)
        json.text("status", status)
        json.number("status_code", String(code))
        json.text("status_detail", "The chargeback was executed.")
        json.text("created_date", time(dispute.at))
        json.text("order_id", trade.bookOrder)
        json.text("reason_code", "4837")
    }

    /// `GET /orders/{order_id}`: which payment is the order's, and how it stands.
    func order(_ index: Int, at moment: Timestamp) -> [UInt8] {
        let trade = source.trades[index]
        let standing = standing(trade, at: moment)
        var json = JSONText()
        json.object {
            $0.text("order_id", trade.bookOrder)
            $0.text("payment_id", trade.id)
            $0.text("currency", trade.corridor.fiat.code)
            $0.number("amount", amount(trade.fiatAmount, trade))
            $0.text("created_date", time(trade.createdAt))
            $0.text("status", standing.status)
            $0.text("status_code", standing.code)
            $0.text("status_detail", standing.detail)
        }
        return json.bytes
    }

    func triple(_ item: Item, at moment: Timestamp) -> [UInt8] {
        var json = JSONText()
        let trade = source.trades[item.subject]
        json.object {
            guard item.shelf == Item.transactions else {
                $0.text("id", item.id)
                $0.text("status", "SUCCESS")
                $0.number("status_code", "200")
                return
            }
            let standing = standing(trade, at: moment)
            $0.text("id", trade.id)
            $0.text("status", standing.status)
            $0.text("status_detail", standing.detail)
            $0.text("status_code", standing.code)
        }
        return json.bytes
    }
}
