import Payments

/// Elements of the lists, and what they show.
extension PushSimulator {
    func row(_ item: Item, _ view: View) -> [UInt8] {
        var json = JSONText()
        switch item.shelf {
        case Shelf.refund:
            json.object { write(refund: item.part, of: source.trades[item.subject], at: view.moment, to: &$0) }
        case Shelf.dispute:
            json.object { write(dispute: item.part, of: source.trades[item.subject], at: view.moment, to: &$0) }
        case Shelf.line: json.object { write(ledger.lines[item.subject], at: view.moment, to: &$0) }
        case Shelf.transfer: json.object { write(ledger.transfers[item.subject], at: view.moment, to: &$0) }
        default:
            json.object {
                write(item.subject, at: view.moment, isSingle: view.dialect == "single", to: &$0)
            }
        }
        return json.bytes
    }

    private func write(_ index: Int, at moment: Timestamp, isSingle: Bool, to json: inout JSONText) {
        let trade = source.trades[index]
        let isIn = trade.direction == .in
        json.text("id", trade.id)
        json.text("idempotency_key", trade.quirks.contains(.sparse) ? nil : trade.bookOrder)
        json.text("created_at", WireTime.milliseconds(trade.createdAt))
        json.text("direction", isIn ? "cash_in" : "cash_out")
        var random = source.randomness(43, trade.customer.externalId)
        json.text("user_id", "user_" + Identifiers.base58(22, &random))
        if trade.quirks.contains(.feeAsObject) {
            json.object("amount") { $0.number("value", String(cents(trade))) }
        } else {
            json.number("amount", String(cents(trade)))
        }
        json.text("currency", "USD")
        json.number("guarantee_amount", isIn ? String(cents(trade)) : nil)
        json.text("status", word(trade, at: moment))
        json.text("decline_category", trade.status(at: moment) == .declined ? "insufficient_funds" : nil)
        if isSingle || source.setting("embedded") == "shown" {
            json.array("transactions") { array in
                guard let place = ledger.places[index], ledger.lines[place].at <= moment else { return }
                array.object { write(ledger.lines[place], at: moment, isEmbedded: true, to: &$0) }
            }
        }
        write(partsOf: trade, at: moment, to: &json)
        json.object("credential") {
            $0.text("display_name", "Visa")
            $0.text("last4", "4444")
        }
        if trade.quirks.contains(.personalData) { writeCredential(to: &json) }
        json.text("rail", trade.corridor.method)
        writeAccount(to: &json)
        json.text("type", type(trade))
        if source.setting("tag") == "named" { json.text("tag", trade.bookOrder) }
        if trade.quirks.contains(.unknownField) { json.object("network") { $0.text("route", "b") } }
    }

    private func write(partsOf trade: Trade, at moment: Timestamp, to json: inout JSONText) {
        if let part = trade.disputes.indices.last(where: { trade.disputes[$0].at <= moment }) {
            json.object("dispute") { write(dispute: part, of: trade, at: moment, to: &$0) }
        } else {
            json.text("dispute", nil)
        }
        if let part = trade.returns.indices.first(where: { trade.returns[$0].at <= moment }) {
            json.object("refund") { write(refund: part, of: trade, at: moment, to: &$0) }
        } else {
            json.text("refund", nil)
        }
    }

    /// What nobody may keep.
    private func writeCredential(to json: inout JSONText) {
        json.object("payment_credential") { credential in
            credential.text("bank_name", "First Example Bank")
            credential.object("account") {
                $0.text("number_mask", "6789")
                $0.text("routing", "021000021")
            }
            credential.object("card") {
                $0.text("primary_account_number_mask", "411111******4444")
                $0.text("expiration", "12/30")
                $0.text("brand", "visa")
            }
        }
    }

    private func writeAccount(to json: inout JSONText) {
        json.object("account") {
            $0.text("id", account)
            $0.text("type", "settlement")
            $0.text("name", "Settlement Account")
            $0.text("created_at", "2026-01-01T00:00:00.000Z")
        }
    }

    private func write(_ line: PushLedger.Line, at moment: Timestamp, isEmbedded: Bool = false, to json: inout JSONText)
    {
        let isOld = source.setting("ledger") == "old"
        let isSettled = line.settledAt.map { $0 <= moment } ?? false
        json.text("id", line.id)
        json.number("amount", String(line.cents))
        json.text("currency", "USD")
        json.text("created_at", WireTime.milliseconds(line.at))
        // The day it settles on, as far as anybody can tell before.
        json.text("date", (line.settledAt ?? PushLedger.transfer(atOrAfter: line.at)).utcDate)
        json.text("batch", isSettled ? "40\(line.at.utcDate.suffix(2))" : nil)
        if isOld || isEmbedded { json.text("balance", "settlement") } else { json.text("account_id", account) }
        let own = isOld || source.setting("types") == "intent"
        let type =
            switch line.kind {
            case .intent: "intent"
            case .refund: own ? "intent" : "refund"
            case .dispute: own ? "intent" : "dispute"
            case .transfer: "transfer"
            case .unreconciled: "unreconciled"
            }
        json.text("type", type)
        json.text("source_id", line.sourceID)
        json.text("status", isSettled ? "settled" : "pending")
        json.text("direction", line.cents < 0 ? "debit" : "credit")
        if source.setting("transfer") == "named" {
            json.text("transfer_id", isSettled ? line.transfer.map { ledger.transfers[$0].id } : nil)
        }
    }

    private func write(_ transfer: PushLedger.Transfer, at moment: Timestamp, to json: inout JSONText) {
        json.text("id", transfer.id)
        json.number("amount", String(abs(transfer.cents)))
        json.text("currency", "USD")
        json.text("direction", transfer.cents < 0 ? "debit" : "credit")
        json.text("created_at", WireTime.milliseconds(transfer.at))
        json.text("date", transfer.at.utcDate)
        json.array("transactions") { array in
            for index in transfer.lines + [transfer.own].compactMap(\.self) {
                array.object { write(ledger.lines[index], at: moment, isEmbedded: true, to: &$0) }
            }
        }
        writeAccount(to: &json)
    }

    private func write(refund part: Int, of trade: Trade, at moment: Timestamp, to json: inout JSONText) {
        let refund = trade.returns[part]
        json.text("id", ledger.id("refund", trade, part))
        json.text("intent_id", trade.id)
        json.number("amount", String(PushLedger.cents(refund.amount)))
        json.text("currency", "USD")
        json.text("status", refund.failedAt == nil ? "approved" : "declined")
        json.text("created_at", WireTime.milliseconds(refund.at))
    }

    private func write(dispute part: Int, of trade: Trade, at moment: Timestamp, to json: inout JSONText) {
        let dispute = trade.disputes[part]
        json.text("id", ledger.id("dispute", trade, part))
        json.number("amount", String(PushLedger.cents(dispute.amount)))
        json.text("currency", "USD")
        json.text("created_at", WireTime.milliseconds(dispute.at))
        json.text("intent_id", trade.id)
        // Bank debits come back by the codes of Nacha, cards by those of the schemes.
        json.text("code", trade.corridor.method == "ach" ? "R01" : "10.4")
        json.text("status", word(dispute, at: moment))
        json.text("type", trade.corridor.method == "ach" ? "push" : "card_only")
    }

    private func word(_ dispute: Trade.Dispute, at moment: Timestamp) -> String {
        guard let ended = dispute.ended, ended.at <= moment else { return "created" }
        return ended.isWon ? "won" : "lost"
    }

    func disputeWord(_ item: Item, at moment: Timestamp) -> String {
        word(source.trades[item.subject].disputes[item.part], at: moment)
    }

    func refundWord(_ item: Item, at moment: Timestamp) -> String {
        source.trades[item.subject].returns[item.part].failedAt == nil ? "approved" : "declined"
    }

    func type(_ trade: Trade) -> String {
        trade.corridor.method == "ach"
            ? "secure_debit" : trade.direction == .in ? "card_only_debit" : "card_only_credit"
    }

    func cents(_ trade: Trade) -> Int { PushLedger.cents(trade.fiatAmount) }

    /// Some pay-outs wait for the merchant's own approval.
    func isManual(_ trade: Trade) -> Bool {
        trade.direction == .out && Identifiers.fold(trade.id) % 2 == 0
    }

    func word(_ trade: Trade, at moment: Timestamp) -> String {
        switch trade.status(at: moment) {
        case .settling, .settled, .refunded: "approved"
        case .declined: "declined"
        case .cancelled: "canceled"
        case .retryScheduled: "in_review"
        case .pending where isManual(trade): "pending"
        default: "created"
        }
    }

    func shown(_ trade: Trade, at moment: Timestamp) -> ShownAmounts {
        let amount = (currency: "USD", amount: trade.fiatAmount)
        return ShownAmounts(charged: amount, delivered: trade.direction == .out ? amount : nil)
    }
}
