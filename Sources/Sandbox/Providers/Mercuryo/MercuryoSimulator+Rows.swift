import Payments

/// Elements of the list, and what they show.
extension MercuryoSimulator {
    func row(_ item: Item, _ view: View) -> [UInt8] {
        let trade = source.trades[item.subject]
        let (main, linked) = MercuryoOperations(trade: trade).operations(at: view.moment)
        var json = JSONText()
        json.object { element in
            element.object(main.kind.rawValue) { write(main, of: trade, to: &$0) }
            if let linked { element.object(linked.kind.rawValue) { write(linked, of: trade, to: &$0) } }
            if trade.quirks.contains(.unknownField) { element.object("settlement_batch") { $0.number("no", "7") } }
        }
        return json.bytes
    }

    /// An operation's own id: 17 characters that look like hexadecimal digits.
    func id(of kind: MercuryoOperations.Kind, _ trade: Trade) -> String {
        let isLinked = kind == .withdraw || kind == .deposit
        var random = source.randomness(isLinked ? 32 : 31, trade.id)
        return "0" + Identifiers.hex(16, &random)
    }

    private func write(_ operation: MercuryoOperations.Operation, of trade: Trade, to json: inout JSONText) {
        json.text("id", id(of: operation.kind, trade))
        json.text("transaction_id", trade.id)
        json.text("widget_id", widget)
        json.text("merchant_transaction_id", trade.bookOrder)
        switch operation.kind {
        case .buy, .mobilePay, .buyAcquirer, .sell:
            if trade.quirks.contains(.feeAsObject) {
                json.object("fiat_amount") { $0.text("value", fiat(trade)) }
            } else {
                json.text("fiat_amount", fiat(trade))
            }
            json.text("fiat_currency", trade.corridor.fiat.code)
        case .withdraw, .deposit:
            let isDone = operation.status == "completed"
            json.text("hash", isDone ? "0x\(trade.chainId)" : nil)
            json.text("url", isDone ? "https://explorer.example.com/tx/0x\(trade.chainId)" : nil)
            json.text("address", trade.wallet)
        }
        json.text("currency", asset(trade))
        json.text("amount", crypto(trade))
        json.text("status", operation.status)
        json.text("created_at", WireTime.plain(operation.createdAt))
        json.text("updated_at", WireTime.plain(operation.updatedAt))
        switch operation.kind {
        case .buy, .mobilePay, .buyAcquirer:
            json.text("payment_method", paymentMethod(operation.kind))
            if operation.kind != .buyAcquirer {
                json.text("card_country", trade.quirks.contains(.sparse) ? nil : trade.country.lowercased())
            }
            if trade.quirks.contains(.personalData) { json.text("email", "\(trade.customer.externalId)@example.com") }
        default: break
        }
    }

    private func paymentMethod(_ kind: MercuryoOperations.Kind) -> String {
        switch kind {
        case .mobilePay: "apple"
        case .buyAcquirer: "revolut"
        default: "card"
        }
    }

    /// Decimal text, sometimes without the digits that are none.
    func fiat(_ trade: Trade) -> String {
        trade.fiatAmount.text(digits: trade.quirks.contains(.shortNumbers) ? 0 : trade.corridor.fiat.digits)
    }

    func crypto(_ trade: Trade) -> String {
        trade.cryptoAmount.text(digits: trade.quirks.contains(.shortNumbers) ? 0 : min(trade.crypto.digits, 9))
    }

    /// The asset without its chain.
    func asset(_ trade: Trade) -> String { Self.profile.assetCode(trade.crypto) }

    /// Of the operation that says where the payment stands: once it is paid, that is the withdrawal.
    func word(_ trade: Trade, at moment: Timestamp) -> String {
        let (main, linked) = MercuryoOperations(trade: trade).operations(at: moment)
        guard let linked, linked.kind == .withdraw, main.status == "paid" else { return main.status }
        return linked.status
    }

    func shown(_ trade: Trade, at moment: Timestamp) -> ShownAmounts {
        let fiat = (trade.corridor.fiat.code, trade.fiatAmount)
        let crypto = (asset(trade), trade.cryptoAmount)
        return trade.direction == .in
            ? ShownAmounts(charged: fiat, delivered: crypto) : ShownAmounts(charged: crypto, delivered: fiat)
    }
}
