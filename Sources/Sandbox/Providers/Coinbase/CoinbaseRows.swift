import Crypto
import Payments

/// What Coinbase writes: transactions in either spelling of their names, orders, page keys.
struct CoinbaseRows {
    let source: SimulatedSource

    static func transactionStatus(_ status: Status) -> String {
        let word =
            switch status {
            case .pendingCreated: "CREATED"
            case .pending, .processing: "AWAITING_PAYMENT"
            case .settling, .onrampSettled: "IN_PROGRESS"
            case .settled: "SUCCESS"
            case .declined, .failed: "FAILED"
            case .retryScheduled: "RETRY_SCHEDULED"
            default: "UNSPECIFIED"
            }
        return "ONRAMP_TRANSACTION_STATUS_\(word)"
    }

    static func orderStatus(_ status: Status) -> String {
        let word =
            switch status {
            case .pendingCreated: "PENDING_VERIFICATION"
            case .pending, .processing: "PENDING_PAYMENT"
            case .settling, .onrampSettled: "PROCESSING"
            case .settled: "COMPLETED"
            case .declined, .failed: "FAILED"
            case .retryScheduled: "RETRY_SCHEDULED"
            default: "PENDING_AUTH"
            }
        return "ONRAMP_ORDER_STATUS_\(word)"
    }

    /// The asset without its chain.
    static func asset(_ trade: Trade) -> String { String(trade.crypto.code.prefix { $0 != "_" }) }

    private static func network(_ trade: Trade) -> String {
        switch trade.crypto.code {
        case "BTC": "bitcoin"
        case "SOL": "solana"
        case "USDC_BASE": "base"
        case "ETH_ARBITRUM": "arbitrum"
        default: "ethereum"
        }
    }

    /// The last turn that Coinbase has a word for: any other leaves a payment as it was.
    static func status(_ trade: Trade, at moment: Timestamp) -> Status {
        let known = CoinbaseSimulator.profile.turns
        return trade.steps.last { $0.at <= moment && known.contains($0.status) }?.status ?? .pendingCreated
    }

    /// The merchant's reference of the customer; in the test mode it begins with a word of its own.
    static func reference(_ trade: Trade) -> String {
        (trade.quirks.contains(.testMode) ? "sandbox-" : "") + trade.customer.externalId
    }

    private static func isTaken(_ trade: Trade, by moment: Timestamp) -> Bool {
        trade.steps.contains { $0.at <= moment && $0.status == .settling }
    }

    private static func hash(_ trade: Trade, at moment: Timestamp) -> String? {
        switch status(trade, at: moment) {
        case .settling, .settled: "0x\(trade.chainId)"
        default: nil
        }
    }

    private func fiat(_ trade: Trade) -> String {
        trade.fiatAmount.text(digits: trade.quirks.contains(.shortNumbers) ? 0 : 2)
    }

    private func crypto(_ trade: Trade) -> String {
        trade.cryptoAmount.text(digits: trade.quirks.contains(.shortNumbers) ? 0 : min(trade.crypto.digits, 9))
    }

    private static func fees(_ trade: Trade) -> (provider: Amount, network: Amount) {
        (trade.fees.transaction + trade.fees.partner, trade.fees.network)
    }

    /// `more`: members that only events have.
    func transaction(
        _ trade: Trade, at moment: Timestamp, isCamel: Bool, more: (inout JSONText) -> Void = { _ in }
    ) -> [UInt8] {
        func name(_ snake: String) -> String { isCamel ? Self.camel(snake) : snake }
        func money(_ json: inout JSONText, _ key: String, _ value: String, _ currency: String) {
            json.object(name(key)) {
                $0.text("value", value)
                $0.text("currency", currency)
            }
        }
        let status = Self.status(trade, at: moment)
        let (provider, network) = Self.fees(trade)
        let usd = trade.corridor.fiat.code
        let isEnded = status == .settled || status == .failed || status == .declined
        let hash = Self.hash(trade, at: moment)
        var json = JSONText()
        json.object { row in
            more(&row)
            row.text("status", Self.transactionStatus(status))
            row.text(name("purchase_currency"), Self.asset(trade))
            row.text(name("purchase_network"), Self.network(trade))
            money(&row, "purchase_amount", crypto(trade), Self.asset(trade))
            if trade.quirks.contains(.feeAsObject) {
                row.text(name("payment_total"), fiat(trade))
            } else {
                money(&row, "payment_total", fiat(trade), usd)
            }
            if trade.feesAreKnown(at: moment) || isEnded {
                let rest = trade.fiatAmount - provider - network
                money(&row, "payment_subtotal", rest.text(digits: 2), usd)
                money(&row, "coinbase_fee", provider.text(digits: 2), usd)
                money(&row, "network_fee", network.text(digits: 2), usd)
            }
            money(&row, "exchange_rate", "1", Self.asset(trade))
            row.text(name("tx_hash"), hash ?? (trade.quirks.contains(.sparse) ? "" : "0x"))
            row.text(name("created_at"), WireTime.milliseconds(trade.createdAt))
            if !trade.quirks.contains(.sparse) || isEnded {
                let end = isEnded ? trade.step(at: moment)?.at : nil
                row.text(name("completed_at"), end.map { WireTime.milliseconds($0) } ?? "0001-01-01T00:00:00Z")
            }
            row.text("country", trade.country)
            row.text(name("user_id"), Self.hashed(trade.customer.externalId, source))
            row.text(name("partner_user_ref"), Self.reference(trade))
            row.text(name("payment_method"), Self.method(trade))
            row.text(name("transaction_id"), trade.id)
            row.text(name("wallet_address"), trade.wallet)
            row.text("type", "ONRAMP_TRANSACTION_TYPE_BUY_AND_SEND")
            if status == .failed || status == .declined {
                let isSent = Self.isTaken(trade, by: moment)
                row.text(name("failure_reason"), "FAILURE_REASON_\(isSent ? "SEND" : "BUY")_FAILED")
            }
            if trade.quirks.contains(.personalData) { row.text("email", "\(trade.customer.externalId)@example.com") }
            if trade.quirks.contains(.unknownField) { row.text(name("risk_tier"), "T7") }
        }
        return json.bytes
    }

    /// As the provider shows its own id of a customer.
    private static func hashed(_ customer: String, _ source: SimulatedSource) -> String {
        var random = source.randomness(41, customer)
        return Identifiers.hex(32, &random)
    }

    private static func method(_ trade: Trade) -> String {
        if CoinbaseSimulator.isHeadless(trade) { return "GUEST_CHECKOUT_APPLE_PAY" }
        return trade.corridor.method == "APPLE_PAY" ? "APPLE_PAY" : "CARD"
    }

    func order(
        _ trade: Trade, at moment: Timestamp, isEvent: Bool, more: (inout JSONText) -> Void = { _ in }
    ) -> [UInt8] {
        let (provider, network) = Self.fees(trade)
        let usd = trade.corridor.fiat.code
        let hash = Self.hash(trade, at: moment)
        var json = JSONText()
        json.object { row in
            more(&row)
            row.text("orderId", trade.headlessOrder)
            row.text("paymentTotal", fiat(trade))
            row.text("paymentSubtotal", (trade.fiatAmount - provider - network).text(digits: 2))
            row.text("paymentCurrency", usd)
            row.text("paymentMethod", "GUEST_CHECKOUT_APPLE_PAY")
            row.text("purchaseAmount", crypto(trade))
            row.text("purchaseCurrency", Self.asset(trade))
            row.array("fees") { fees in
                for (type, amount) in [("EXCHANGE", provider), ("NETWORK", network)] {
                    fees.object {
                        $0.text(isEvent ? "feeType" : "type", "FEE_TYPE_\(type)")
                        $0.text(isEvent ? "feeAmount" : "amount", amount.text(digits: 2))
                        $0.text(isEvent ? "feeCurrency" : "currency", usd)
                    }
                }
            }
            row.text("exchangeRate", "1")
            row.text("destinationAddress", trade.wallet)
            row.text("destinationNetwork", Self.network(trade))
            row.text("status", Self.orderStatus(Self.status(trade, at: moment)))
            if let hash { row.text("txHash", hash) }
            row.text("createdAt", WireTime.milliseconds(WireTime.cut(trade.createdAt)))
            row.text("updatedAt", WireTime.milliseconds(trade.step(at: moment)?.at ?? trade.createdAt))
            row.text("partnerUserRef", Self.reference(trade))
        }
        return json.bytes
    }

    // MARK: names and keys

    /// `payment_total_usd` is `paymentTotalUsd`.
    static func camel(_ name: String) -> String {
        var result = ""
        var isUpper = false
        for character in name {
            if character == "_" {
                isUpper = true
            } else {
                result += isUpper ? character.uppercased() : String(character)
                isUpper = false
            }
        }
        return result
    }

    /// `pageSize` is `page_size`.
    static func snake(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }

    /// A page key says how many rows to pass over, and looks like nothing.
    static func key(skip: Int) -> String { Base64.encode(Array(#"{"gt_skip":0,"ot_skip":\#(skip)}"#.utf8)) }

    static func skip(ofKey key: String) -> Int? {
        guard let bytes = Base64.decode(key) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix(#"{"gt_skip":0,"ot_skip":"#), text.hasSuffix("}") else { return nil }
        return Int(text.dropFirst(23).dropLast())
    }
}
