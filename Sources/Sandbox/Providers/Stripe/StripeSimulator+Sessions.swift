import Payments

/// Sessions, and what they show.
extension StripeSimulator {
    /// Stripe's word for a turn; nil: it leaves the session as it was.
    static func word(_ status: Status) -> String? {
        switch status {
        case .pendingCreated: "initialized"
        case .pending: "requires_payment"
        case .settling: "fulfillment_processing"
        case .settled: "fulfillment_complete"
        case .declined, .failed: "rejected"
        case .retryScheduled: "retry_scheduled"
        default: nil
        }
    }

    func word(_ trade: Trade, at moment: Timestamp) -> String {
        trade.steps.last { $0.at <= moment && Self.word($0.status) != nil }.flatMap { Self.word($0.status) }
            ?? "initialized"
    }

    func value(_ field: String, of item: Item, at moment: Timestamp) -> String {
        if item.shelf == Self.eventShelf { return field == "type" ? events[item.subject].type : "" }
        let trade = source.trades[item.subject]
        switch field {
        case "status": return word(trade, at: moment)
        case "destination_currency": return asset(trade).lowercased()
        case "destination_network": return network(trade)
        default: return ""
        }
    }

    func row(_ item: Item, _ view: View) -> [UInt8] {
        if item.shelf == Self.eventShelf { return body(of: events[item.subject], at: view.moment) }
        let trade = source.trades[item.subject]
        var json = JSONText()
        json.object { session(trade, word(trade, at: view.moment), at: view.moment, to: &$0) }
        return json.bytes
    }

    /// The members of a session that shows `status`.
    func session(_ trade: Trade, _ status: String, at moment: Timestamp, to json: inout JSONText) {
        json.text("id", trade.id)
        json.text("object", "crypto.onramp_session")
        json.text("client_secret", "\(trade.id)_secret_\(trade.chainId.prefix(24))")
        json.number("created", String(WireTime.seconds(trade.createdAt)))
        json.flag("kyc_details_provided", true)
        json.flag("livemode", false)
        if trade.quirks.contains(.sparse) {
            json.number("metadata", nil)
        } else {
            json.object("metadata") {
                $0.text("order_id", trade.bookOrder)
                if trade.quirks.contains(.personalData) {
                    $0.text("email", "\(trade.customer.externalId)@example.com")
                }
            }
        }
        json.text(
            "redirect_url",
            trade.quirks.contains(.personalData)
                ? "https://crypto.example.com/?session_hash=\(trade.chainId.suffix(16))" : nil)
        json.text("status", status)
        json.object("transaction_details") { details(trade, status, at: moment, to: &$0) }
        if trade.quirks.contains(.unknownField) { json.object("settlement_batch") { $0.number("no", "7") } }
    }

    private func details(_ trade: Trade, _ status: String, at moment: Timestamp, to json: inout JSONText) {
        let isBare = status == "initialized"
        let asset = asset(trade).lowercased()
        let network = network(trade)
        json.text("destination_amount", isBare ? nil : crypto(trade))
        json.array("destination_currencies") { $0.text(nil, asset) }
        json.text("destination_currency", isBare ? nil : asset)
        json.text("destination_network", isBare ? nil : network)
        json.array("destination_networks") { $0.text(nil, network) }
        if isBare || !trade.feesAreKnown(at: moment) {
            json.object("fees") {
                $0.text("network_fee_amount", nil)
                $0.text("transaction_fee_amount", nil)
            }
        } else {
            let fees = fees(trade)
            json.object("fees") {
                if trade.quirks.contains(.feeAsObject) {
                    $0.object("network_fee_amount") { $0.text("value", fees.network.text(digits: 2)) }
                } else {
                    $0.text("network_fee_amount", fees.network.text(digits: 2))
                }
                $0.text("transaction_fee_amount", fees.transaction.text(digits: 2))
            }
        }
        json.flag("lock_wallet_address", true)
        json.text("settlement_speed", "instant")
        json.text("source_amount", isBare ? nil : sourceAmount(trade).text(digits: trade.corridor.fiat.digits))
        json.text("source_currency", isBare ? nil : trade.corridor.fiat.code.lowercased())
        json.text("transaction_id", status == "fulfillment_complete" ? "0x\(trade.chainId)" : nil)
        json.text("wallet_address", isBare ? nil : trade.wallet)
        json.object("wallet_addresses") {
            $0.text(network == "base" ? "base_network" : network, trade.wallet)
            if network == "tempo" { $0.object("destination_tags") { $0.text("tempo", "1") } }
        }
    }

    // MARK: amounts

    private func isAtPar(_ trade: Trade) -> Bool { asset(trade) == "USDC" && trade.corridor.fiat.code == "USD" }

    /// Of a dollar coin for dollars all that is not delivered is a fee.
    func fees(_ trade: Trade) -> (network: Amount, transaction: Amount) {
        let network = trade.fees.network
        if isAtPar(trade) { return (network, trade.fiatAmount - trade.cryptoAmount - network) }
        return (network, trade.fees.transaction + trade.fees.partner)
    }

    /// What a session shows beside what was charged, by the reading that is on.
    func sourceAmount(_ trade: Trade) -> Amount {
        if source.setting("source") == "includes" { return trade.fiatAmount }
        let fees = fees(trade)
        return trade.fiatAmount - fees.network - fees.transaction
    }

    func crypto(_ trade: Trade) -> String {
        trade.cryptoAmount.text(digits: trade.quirks.contains(.shortNumbers) ? 0 : min(trade.crypto.digits, 6))
    }

    /// The asset without its chain.
    func asset(_ trade: Trade) -> String { String(trade.crypto.code.prefix { $0 != "_" }) }

    func network(_ trade: Trade) -> String {
        switch trade.crypto.code {
        case "BTC": "bitcoin"
        case "SOL": "solana"
        case "USDC_BASE": "base"
        // One that was added since anybody wrote a list of them.
        case "ETH_ARBITRUM": "tempo"
        default: "ethereum"
        }
    }

    func shown(_ trade: Trade, at moment: Timestamp) -> ShownAmounts {
        guard word(trade, at: moment) != "initialized" else { return ShownAmounts() }
        // Without the fees nobody can tell what was charged on top.
        let charged = trade.feesAreKnown(at: moment) ? trade.fiatAmount : sourceAmount(trade)
        return ShownAmounts(
            charged: (trade.corridor.fiat.code, charged), delivered: (asset(trade), trade.cryptoAmount))
    }
}
