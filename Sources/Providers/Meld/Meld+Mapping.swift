package import JSON
package import Payments

/// How a Meld transaction becomes ours. Field by field:
/// - `charged` is `sourceAmount` (the customer's side, fees included: on a buy they come off the source), `delivered`
///   is `destinationAmount`; a CRYPTO_TRANSFER moves crypto only and charges nothing.
/// - fees are in the fiat side's currency, whichever way the money runs; null is not known yet, not zero.
/// - the customer is known by the merchant's own id first (`externalCustomerId`, `customer.externalId`), because the
///   book speaks of that one; else by Meld's.
package struct MeldMapping: ElementMapping {
    package let resource = "transaction"
    package let redaction: Redaction
    package let comparison: Redaction
    package let known: KnownPaths
    let statusMap: StatusMap
    let currencies: CurrencyTable
    let accountIDExpected: String?

    package init(statusMap: StatusMap, currencies: CurrencyTable, accountIDExpected: String? = nil) {
        self.statusMap = statusMap
        self.currencies = currencies
        self.accountIDExpected = accountIDExpected
        redaction = Self.redaction
        comparison = Self.comparison
        known = Self.known
    }

    // Made once: turning paths into a machine costs more than a page of rows.
    private static let redaction = Redaction(paths: Meld.redactedPaths, keeping: Meld.keptOnly)
    private static let comparison = redaction.cutting(Meld.volatilePaths)
    private static let known = KnownPaths(
        mappedPaths + documentedPaths + ["cryptoPurchaseDetails.**"],
        cut: Meld.redactedPaths + Meld.volatilePaths, keeping: Meld.keptOnly)

    package func identity(of element: JSONValue) -> RowIdentity {
        let account = element["accountId"]?.scalarText
        let isStranger = accountIDExpected != nil && account != nil && account != accountIDExpected
        return RowIdentity(
            id: element["id"]?.string.flatMap { $0.isEmpty ? nil : $0 },
            createdAt: element["createdAt"]?.textBytes.flatMap { Timestamp(utf8: $0) }, isStranger: isStranger)
    }

    package func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        do throws(RowFault) {
            return try mapWhole(element)
        } catch {
            // The payment this row belongs to must be known even so: it is not evaluated on this side.
            var fault = error
            fault.recordID = element["id"]?.scalarText
            fault.references = (try? references(FieldReader(element, F.table), lenient: true)) ?? []
            throw fault
        }
    }

    private func mapWhole(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        try ElementReader.checkUsable(element)
        let reader = FieldReader(element, F.table)
        for field in F.objects { try reader.checkObject(field) }
        guard let id = try reader.text(F.id) else { throw RowFault("missing: id") }
        guard let status = try reader.text(F.status) else { throw RowFault("missing: status") }
        guard let createdAt = try reader.time(F.createdAt) else { throw RowFault("missing: createdAt") }
        let kind = try reader.text(F.transactionType)
        let sourceCurrency = try reader.text(F.sourceCurrencyCode)
        let destinationCurrency = try reader.text(
            anyOf: F.destinationCurrencyCode, F.cryptoPurchaseDetailsDestinationCurrencyCode)
        let direction = Self.direction(kind: kind) ?? (isCrypto(sourceCurrency) ? .out : .in)
        let provider = try reader.text(F.serviceProvider)
        let method = try reader.text(F.paymentMethodType)
        let reading = statusMap.reading(
            status,
            .init(
                direction: direction, kind: kind ?? "",
                kindClass: kindClass(kind, sourceCurrency, destinationCurrency), provider: provider ?? "",
                method: method ?? ""))

        var mapped = MappedTransaction(
            resource: resource, transactionID: id, createdAt: createdAt, direction: direction, rawStatus: status,
            reading: reading)
        mapped.updatedAt = try reader.time(F.updatedAt)
        mapped.kind = kind
        mapped.provider = provider
        mapped.paymentMethod = method
        mapped.country = try reader.text(F.countryCode)
        try amounts(of: reader, sourceCurrency, destinationCurrency, into: &mapped)
        mapped.customerID = try reader.text(
            anyOf: F.externalCustomerId, F.customerExternalId, F.customerId, F.idOfCustomer)
        mapped.walletAddress = try wallet(reader, direction)
        mapped.walletTag = try reader.text(anyOf: F.cryptoDetailsWalletTag, F.walletTag)
        mapped.references = try references(reader, lenient: false)
        try flags(of: reader, into: &mapped)
        unmapped(of: reader, into: &mapped)
        return mapped
    }

    /// Nil: a missing or unknown type, which the currency that goes in decides: crypto in is a sale.
    static func direction(kind: String?) -> Direction? {
        switch kind {
        case "CRYPTO_PURCHASE", "CRYPTO_TRANSFER": .in
        case "CRYPTO_SELL": .out
        default: nil
        }
    }

    /// A code that is no currency of ISO 4217; false where none is given.
    private func isCrypto(_ code: String?) -> Bool { code.map { !currencies.isISO($0) } == true }

    /// `fiat`: a named type that is no crypto type and moves fiat on both sides, as far as its currencies are known.
    private func kindClass(_ kind: String?, _ source: String?, _ destination: String?) -> String {
        guard let kind, !kind.hasPrefix("CRYPTO_") else { return "crypto" }
        return isCrypto(source) || isCrypto(destination) ? "crypto" : "fiat"
    }

    private func amounts(
        of reader: FieldReader, _ sourceCurrency: String?, _ destinationCurrency: String?,
        into mapped: inout MappedTransaction
    ) throws(RowFault) {
        let source = try reader.amount(F.sourceAmount)
        if mapped.kind != "CRYPTO_TRANSFER" {
            mapped.charged = source
            mapped.chargedCurrency = sourceCurrency
        }
        mapped.delivered = try reader.amount(anyOf: F.destinationAmount, F.cryptoPurchaseDetailsDestinationAmount)
        mapped.deliveredCurrency = destinationCurrency

        mapped.feeNetwork = try reader.amount(anyOf: F.cryptoDetailsNetworkFee, F.cryptoPurchaseDetailsNetworkFee)
        mapped.feeProvider = try reader.amount(
            anyOf: F.cryptoDetailsTransactionFee, F.cryptoPurchaseDetailsTransactionFee)
        mapped.feePartner = try reader.amount(anyOf: F.cryptoDetailsPartnerFee, F.cryptoPurchaseDetailsPartnerFee)
        mapped.feeOther = try reader.amount(anyOf: F.cryptoDetailsSwapFee, F.cryptoPurchaseDetailsSwapFee)
        mapped.feeTotal = try reader.amount(anyOf: F.cryptoDetailsTotalFee, F.cryptoPurchaseDetailsTotalFee)
        let parts = [mapped.feeNetwork, mapped.feeProvider, mapped.feePartner, mapped.feeOther].compactMap(\.self)
        if !parts.isEmpty || mapped.feeTotal != nil {
            mapped.feeCurrency = mapped.direction == .in ? sourceCurrency : destinationCurrency
        }
        if let total = mapped.feeTotal, !parts.isEmpty, !ExactSum.equals(total, parts) {
            mapped.flags.append("fee_sum_differs")
        }

        let captured = try reader.amount(anyOf: F.paymentDetailsCaptureAmount, F.captureAmount)
        if let captured, !captured.isZero, !captured.isNegative {
            mapped.flags.append("captured")
            mapped.money = mapped.reading.moneyWhenCaptured ?? mapped.money
        }
        if mapped.reading.money == .returned { mapped.returned = mapped.charged }
        if mapped.reading.state == .disputed { mapped.disputed = mapped.charged }
        if mapped.charged?.isNegative == true || mapped.delivered?.isNegative == true {
            mapped.flags.append("negative_amount")
        }
    }

    /// Names before and after Meld-Version 2025-03-04; the oldest is the buyer's own address and says nothing on a sell.
    private func wallet(_ reader: FieldReader, _ direction: Direction) throws(RowFault) -> String? {
        if let named = try reader.text(
            anyOf: F.cryptoDetailsDestinationWalletAddress, F.cryptoDetailsOfframpDestinationWalletAddress,
            F.destinationWalletAddress)
        {
            return named
        }
        return direction == .in
            ? try reader.text(anyOf: F.cryptoDetailsWalletAddress, F.cryptoPurchaseDetailsWalletAddress) : nil
    }
}
