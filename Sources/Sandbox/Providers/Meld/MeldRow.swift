import Payments

/// Renders one transaction as the API shows it at a moment: fields appear late, are null or missing as they please, and
/// amounts are JSON numbers in major units.
struct MeldRow {
    let trade: Trade
    let moment: Timestamp
    /// From 2025-03-04 on wallets have other names.
    let hasNewWalletNames: Bool
    private var account: String { Deliveries.account }

    private var status: Status { trade.status(at: moment) ?? .pendingCreated }
    private var isTied: Bool { status != .pendingCreated }
    private var wasCaptured: Bool { trade.steps.contains { $0.at <= moment && $0.status == .settling } }
    private var wasDelivered: Bool { trade.steps.contains { $0.at <= moment && $0.status == .settled } }

    func write(to json: inout JSONText, name: String? = nil, key: String?) {
        let isSparse = trade.quirks.contains(.sparse)
        json.object(name) { row in
            if let key { row.text("key", key) }
            row.text("id", trade.id)
            row.text("accountId", account)
            if !trade.quirks.contains(.withoutType) {
                row.text("transactionType", trade.direction == .in ? "CRYPTO_PURCHASE" : "CRYPTO_SELL")
            }
            row.text("status", status.rawValue)
            writeAmounts(to: &row)
            row.text("paymentMethodType", trade.corridor.method)
            row.text("serviceProvider", trade.corridor.provider)
            let idName = trade.quirks.contains(.newerIdName) ? "serviceProviderTransactionId" : "serviceTransactionId"
            row.text(idName, isTied ? trade.providerId : nil)
            writeReferences(to: &row)
            row.flag("isPassthrough", false)
            row.flag("isImported", trade.quirks.contains(.imported))
            if !isSparse {
                row.text("passthroughReference", nil)
                row.text("parentPaymentTransactionId", nil)
                row.text("description", nil)
                row.text("countryCode", trade.country)
            }
            writeCustomer(to: &row)
            writePayment(to: &row)
            writeCrypto(to: &row)
            if isTied, !isSparse {
                row.object("serviceProviderDetails") {
                    $0.object("details") { $0.text("status", wasDelivered ? "paid" : "pending") }
                }
                row.text("serviceProviderCreatedAt", trade.createdAt.adding(seconds: -1).description)
            }
            if trade.quirks.contains(.unknownField) { row.object("settlementBatch") { $0.number("no", "7") } }
            row.text("createdAt", trade.createdAt.description)
            if !trade.quirks.contains(.withoutUpdatedAt) {
                row.text("updatedAt", trade.updatedAt(at: moment).description)
            }
        }
    }

    /// Whether the row shows a `sourceAmount`: some do not have one before the customer began.
    var showsSourceAmount: Bool { isTied || !trade.quirks.contains(.sparse) }
    /// Known from the moment the money is taken.
    var showsDestinationAmount: Bool { wasCaptured }

    private func number(_ amount: Amount, digits: Int) -> String {
        if trade.quirks.contains(.scientificNumbers), amount < Amount(1, digits: 3) { return amount.scientific }
        return amount.text(digits: trade.quirks.contains(.shortNumbers) ? 0 : digits)
    }

    private func writeAmounts(to row: inout JSONText) {
        if showsSourceAmount {
            row.number("sourceAmount", number(trade.sourceAmount, digits: trade.sourceDigits))
        }
        row.text("sourceCurrencyCode", trade.sourceCurrency)
        row.number(
            "destinationAmount",
            showsDestinationAmount ? number(trade.destinationAmount, digits: trade.destinationDigits) : nil)
        row.text("destinationCurrencyCode", trade.destinationCurrency)
        if isTied {
            row.number(
                "fiatAmountInUsd",
                trade.fiatAmount.scaled(by: trade.corridor.fiat.usdPerThousand, over: 1_000, digits: 2).text(digits: 2))
        }
    }

    private func writeReferences(to row: inout JSONText) {
        let linking = trade.linking
        row.text("orderId", linking == .sessionOnly ? nil : trade.headlessOrder)
        row.text("sessionId", isTied && linking != .orderOnly ? trade.session : nil)
        let carriesSession = isTied && (linking == .both || linking == .externalSession)
        row.text("externalSessionId", carriesSession ? trade.bookOrder : nil)
        row.text("externalReferenceId", linking == .both || linking == .reference ? trade.bookOrder : nil)
        row.text("externalCustomerId", trade.customer.externalId)
        if !trade.quirks.contains(.sparse) { row.text("externalSubaccountCustomerId", nil) }
    }

    private func writeCustomer(to row: inout JSONText) {
        guard trade.quirks.contains(.personalData) else {
            row.text("customerId", trade.customer.meldId)
            return
        }
        row.object("customer") {
            $0.text("id", trade.customer.meldId)
            $0.text("accountId", account)
            $0.text("externalId", trade.customer.externalId)
            $0.object("name") {
                $0.text("firstName", "Zoë")
                $0.text("lastName", "Exemple")
            }
            $0.text("email", "\(trade.customer.externalId)@example.com")
            $0.text("phone", "+37060000000")
            $0.array("addresses") {
                $0.object {
                    $0.object("addressDetails") {
                        $0.text("city", "Vilnius")
                        $0.text("lineOne", "Example st. 1")
                        $0.text("postalCode", "00000")
                    }
                    $0.text("type", "BILLING")
                }
            }
            $0.object("serviceProviders") { $0.text(trade.corridor.provider, "cus-fake-77") }
            $0.text("status", "ACTIVE")
        }
    }

    private func writePayment(to row: inout JSONText) {
        let wasAuthorized = trade.steps.contains { $0.at <= moment && $0.status == .authorized }
        if wasAuthorized {
            let amount = number(trade.sourceAmount, digits: trade.sourceDigits)
            row.object("paymentDetails") {
                $0.number("authAmount", amount)
                $0.number("captureAmount", wasCaptured ? amount : nil)
            }
        } else if !trade.quirks.contains(.sparse) {
            row.text("paymentDetails", nil)
        }
        let asked = trade.steps.contains { $0.at <= moment && $0.status == .twoFactorRequired }
        let given = trade.steps.contains { $0.at <= moment && $0.status == .twoFactorProvided }
        row.array("multiFactorAuthorizationStatus") {
            guard asked else { return }
            $0.object {
                $0.flag("submitted", given)
                $0.flag("successful", given)
                $0.text("url", "https://acs.example.com/challenge/\(trade.providerId)")
            }
        }
    }

    private func writeCrypto(to row: inout JSONText) {
        guard isTied else {
            row.text("cryptoDetails", nil)
            return
        }
        let fees = trade.feesAreKnown(at: moment) ? trade.fees : nil
        let digits = max(trade.corridor.fiat.digits, 2)
        row.object("cryptoDetails") {
            writeWallets(to: &$0)
            if trade.quirks.contains(.feeAsObject), let fees {
                $0.object("networkFee") {
                    $0.number("amount", fees.network.text(digits: digits))
                    $0.text("currency", trade.corridor.fiat.code)
                }
            } else {
                $0.number("networkFee", fees.map { number($0.network, digits: digits) })
            }
            $0.number("transactionFee", fees.map { number($0.transaction, digits: digits) })
            $0.number("partnerFee", fees.map { number($0.partner, digits: digits) })
            $0.number("swapFee", fees?.swap.map { number($0, digits: digits) })
            $0.number("totalFee", fees.map { number($0.total, digits: digits) })
            let usd = fees?.total.scaled(by: trade.corridor.fiat.usdPerThousand, over: 1_000, digits: 2)
            $0.number("totalFeeInUsd", usd?.text(digits: 2))
            $0.text("blockchainTransactionId", wasDelivered ? trade.chainId : nil)
            if !trade.quirks.contains(.sparse) {
                $0.text("institution", nil)
                $0.text("chainId", nil)
            }
        }
    }

    private func writeWallets(to row: inout JSONText) {
        let isSale = trade.direction == .out
        if hasNewWalletNames {
            // On a sale the destination is the off-ramp's deposit address, the other two are the customer's own.
            row.text("destinationWalletAddress", isSale ? "bc1qdeposit\(trade.providerId)" : trade.wallet)
            row.text("sessionWalletAddress", trade.wallet)
            row.text("sourceWalletAddress", isSale ? trade.wallet : nil)
        } else {
            row.text("walletAddress", trade.wallet)
            row.text("offrampDestinationWalletAddress", isSale ? "bc1qdeposit\(trade.providerId)" : nil)
        }
    }
}
