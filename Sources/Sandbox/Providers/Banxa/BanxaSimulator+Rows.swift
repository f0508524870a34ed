import Payments

/// What orders and ramps show.
extension BanxaSimulator {
    func row(_ item: Item, _ view: View) -> [UInt8] {
        let trade = source.trades[item.subject]
        var json = JSONText()
        json.object {
            switch view.dialect {
            case "legacy": writeLegacy(trade, at: view.moment, to: &$0)
            case "native": writeNative(trade, at: view.moment, to: &$0)
            default: writeHosted(trade, at: view.moment, to: &$0)
            }
            if trade.quirks.contains(.unknownField) { $0.number("settlementBatch", "7") }
        }
        return json.bytes
    }

    func single(_ row: [UInt8], _ item: Item, at moment: Timestamp) -> [UInt8] {
        // Legacy answers are told by a name that no other surface has.
        let isLegacy = row.starts(with: Array("{\"id\":\"\(item.id)\",\"account_id\"".utf8))
        guard isLegacy || source.setting("envelope") == "data" else { return row }
        var json = JSONText()
        json.object {
            if isLegacy {
                $0.object("data") { $0.raw("order", bytes: row) }
            } else {
                $0.raw("data", bytes: row)
                $0.array("errors") { _ in }
            }
        }
        return json.bytes
    }

    // MARK: Hosted Checkout v2

    private func writeHosted(_ trade: Trade, at moment: Timestamp, to json: inout JSONText) {
        let isSparse = trade.quirks.contains(.sparse)
        json.text("id", trade.id)
        json.text("externalId", trade.bookOrder)
        json.text("externalCustomerId", trade.customer.externalId)
        json.text("country", trade.country)
        json.text("orderType", trade.direction == .in ? "BUY" : "SELL")
        json.text("orderStatusUrl", "https://status.example.com/\(trade.id)?token=\(trade.headlessOrder)")
        json.text("status", Self.hosted(turn(trade, at: moment), trade.direction))
        json.text("createdAt", WireTime.milliseconds(trade.createdAt))
        json.text("updatedAt", WireTime.milliseconds(trade.updatedAt(at: moment)))
        json.object("crypto") {
            $0.text("id", asset(trade))
            $0.text("blockchain", chain(trade))
            $0.text("address", "")
            $0.text("network", "")
        }
        json.text("fiat", trade.corridor.fiat.code)
        json.text("fiatAmount", fiat(trade))
        json.text("cryptoAmount", crypto(trade))
        json.text("paymentMethodId", Self.methodID(trade))
        json.text("paymentMethodName", Self.methodName(trade))
        if trade.quirks.contains(.feeAsObject) {
            json.object("processingFee") { $0.text("amount", trade.fees.transaction.text(digits: 2)) }
        } else {
            json.text("processingFee", fee(trade.fees.transaction, trade, at: moment) ?? "")
        }
        json.text("networkFee", fee(trade.fees.network, trade, at: moment) ?? "")
        json.text("partnerFee", isSparse ? "" : fee(trade.fees.partner, trade, at: moment) ?? "")
        json.text("walletAddress", trade.wallet)
        json.text("walletAddressTag", tag(trade) ?? "")
        json.text("transactionHash", hash(trade, at: moment) ?? "")
        json.text("metadata", trade.quirks.contains(.personalData) ? "{'mail': '\(trade.id)@example.com'}" : "")
    }

    // MARK: Legacy v1.3

    private func writeLegacy(_ trade: Trade, at moment: Timestamp, to json: inout JSONText) {
        let isDone = [.settled, .refunded].contains(turn(trade, at: moment))
        json.text("id", trade.id)
        json.text("account_id", "acc-\(trade.customer.externalId)")
        json.text("account_reference", trade.customer.externalId)
        json.text("order_type", trade.direction == .in ? "CRYPTO-BUY" : "CRYPTO-SELL")
        json.text("payment_type", Self.methodType(trade))
        json.number("ref", String(Identifiers.fold(trade.id) % 900_000))
        json.text("country", trade.country)
        json.text("fiat_code", trade.corridor.fiat.code)
        json.number("fiat_amount", fiat(trade))
        json.text("coin_code", asset(trade))
        json.number("coin_amount", crypto(trade))
        json.text("wallet_address", trade.wallet)
        json.text("wallet_address_tag", tag(trade))
        func chain(_ json: inout JSONText) {
            json.number("id", "1")
            json.text("code", self.chain(trade))
            json.text("description", "Chain of \(asset(trade))")
        }
        if source.setting("blockchain") == "array" {
            json.array("blockchain") { $0.object { chain(&$0) } }
        } else {
            json.object("blockchain") { chain(&$0) }
        }
        if trade.quirks.contains(.feeAsObject) {
            json.object("fee") { $0.number("amount", trade.fees.transaction.text(digits: 2)) }
        } else {
            json.number("fee", fee(trade.fees.transaction, trade, at: moment))
        }
        json.number("fee_tax", nil)
        json.number("payment_fee", fee(trade.fees.network, trade, at: moment))
        json.number("payment_fee_tax", nil)
        json.number("commission", nil)
        json.number("merchant_fee", fee(trade.fees.partner, trade, at: moment))
        json.number("merchant_commission", nil)
        json.text("tx_hash", hash(trade, at: moment))
        // It counts on with the chain.
        json.number("tx_confirms", hash(trade, at: moment).map { _ in String(WireTime.seconds(moment) / 600 % 1_000) })
        json.text("created_date", String(Self.named(trade.createdAt).prefix(11)))
        json.text("created_at", Self.named(trade.createdAt))
        json.text("completed_at", isDone ? Self.named(trade.step(at: moment)?.at ?? trade.createdAt) : nil)
        json.text("status", Self.hosted(turn(trade, at: moment), trade.direction))
        json.text("meta_data", trade.quirks.contains(.personalData) ? "mail \(trade.id)@example.com" : nil)
    }

    // MARK: Native v0

    private func writeNative(_ trade: Trade, at moment: Timestamp, to json: inout JSONText) {
        let isPurchase = trade.direction == .in
        json.text("id", trade.id)
        if !trade.quirks.contains(.sparse) { json.text("subPartnerId", "2125") }
        json.text("identityReference", trade.customer.externalId)
        json.text("status", Self.native(turn(trade, at: moment), trade.direction))
        func fiatSide(_ json: inout JSONText) {
            json.object("fiat") {
                $0.text("id", trade.corridor.fiat.code)
                $0.text("method", Self.methodID(trade))
                if !isPurchase { $0.object("instructions") { $0.text("iban", "DE00\(trade.headlessOrder)") } }
            }
            json.text("amount", fiat(trade))
        }
        func cryptoSide(_ json: inout JSONText) {
            json.object("crypto") {
                $0.text("id", asset(trade))
                $0.text("blockchain", chain(trade))
                $0.text("walletAddress", trade.wallet)
                if let tag = tag(trade) { $0.text("walletAddressMemo", tag) }
            }
            json.text("amount", crypto(trade))
        }
        json.object("source") { isPurchase ? fiatSide(&$0) : cryptoSide(&$0) }
        json.object("target") { isPurchase ? cryptoSide(&$0) : fiatSide(&$0) }
        if isPurchase, trade.corridor.isBankTransfer {
            json.object("sourceDepositInstructions") {
                $0.text("recipientEmail", "pay-\(trade.id)@example.test")
                $0.text("depositReference", "BNX-\(trade.headlessOrder)")
            }
        }
        if trade.feesAreKnown(at: moment) || trade.quirks.contains(.feeAsObject) {
            json.object("receipt") {
                if trade.quirks.contains(.feeAsObject) {
                    $0.object("gatewayFee") { $0.text("amount", trade.fees.transaction.text(digits: 2)) }
                } else {
                    $0.text("gatewayFee", trade.fees.transaction.text(digits: 2))
                }
                $0.text("networkFee", trade.fees.network.text(digits: 2))
                $0.text("sourceAmount", isPurchase ? fiat(trade) : crypto(trade))
                $0.text("targetAmount", isPurchase ? crypto(trade) : fiat(trade))
            }
        }
        json.text("createdAt", WireTime.milliseconds(trade.createdAt))
        if source.setting("updated") == "shown" {
            json.text("updatedAt", WireTime.milliseconds(trade.updatedAt(at: moment)))
        }
    }

    // MARK: shared

    func shown(_ trade: Trade, at moment: Timestamp) -> ShownAmounts {
        let fiat = (trade.corridor.fiat.code, trade.fiatAmount)
        let crypto = (asset(trade), trade.cryptoAmount)
        return trade.direction == .in
            ? ShownAmounts(charged: fiat, delivered: crypto) : ShownAmounts(charged: crypto, delivered: fiat)
    }

    private func fee(_ amount: Amount, _ trade: Trade, at moment: Timestamp) -> String? {
        trade.feesAreKnown(at: moment) ? amount.text(digits: 2) : nil
    }

    func fiat(_ trade: Trade) -> String {
        trade.fiatAmount.text(digits: trade.quirks.contains(.shortNumbers) ? 0 : trade.corridor.fiat.digits)
    }

    func crypto(_ trade: Trade) -> String {
        trade.cryptoAmount.text(digits: trade.quirks.contains(.shortNumbers) ? 0 : min(trade.crypto.digits, 9))
    }

    /// The asset without its chain, and the chain.
    func asset(_ trade: Trade) -> String { String(trade.crypto.code.prefix { $0 != "_" }) }
    func chain(_ trade: Trade) -> String {
        trade.crypto.code.contains("_") ? String(trade.crypto.code.drop { $0 != "_" }.dropFirst()) : asset(trade)
    }

    /// The memo of a chain that needs one; text, since it may begin with zeros.
    func tag(_ trade: Trade) -> String? {
        guard trade.crypto.needsTag, !trade.quirks.contains(.sparse) else { return nil }
        return "00\(Identifiers.fold(trade.id) % 1_000_000)"
    }

    /// A transfer shows its hash once it was sent; "0" and empty stand for none elsewhere.
    func hash(_ trade: Trade, at moment: Timestamp) -> String? {
        guard trade.direction == .in else { return nil }
        let wasSent = trade.steps.contains { $0.at <= moment && [.onrampSettled, .settled].contains($0.status) }
        return wasSent ? trade.chainId : nil
    }

    /// `01-Jul-2022 07:51:18`
    static func named(_ moment: Timestamp) -> String {
        let text = WireTime.plain(moment)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let month = Int(text.dropFirst(5).prefix(2)).map { months[$0 - 1] } ?? ""
        return "\(text.dropFirst(8).prefix(2))-\(month)-\(text.prefix(4)) \(text.dropFirst(11))"
    }

    static func methodID(_ trade: Trade) -> String {
        switch trade.corridor.method {
        case "APPLE_PAY": "apple-pay"
        case "SEPA": "sepa-bank-transfer"
        default: "debit-credit-card"
        }
    }

    static func methodName(_ trade: Trade) -> String {
        switch trade.corridor.method {
        case "APPLE_PAY": "Apple Pay"
        case "SEPA": "SEPA"
        default: "Visa/Mastercard"
        }
    }

    private static func methodType(_ trade: Trade) -> String {
        switch trade.corridor.method {
        case "APPLE_PAY": "CHECKOUTAPPLEPAY"
        case "SEPA": "CLEARJUNCTION"
        default: "WORLDPAYCREDIT"
        }
    }
}
