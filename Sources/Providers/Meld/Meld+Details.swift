import Crypto
import JSON
import Payments

extension MeldMapping {
    /// What ties the transaction to orders, sessions, events and the chain. `lenient` skips what has another type than
    /// documented, for rows that cannot be mapped.
    func references(_ reader: FieldReader, lenient: Bool) throws(RowFault) -> [Reference] {
        func text(_ field: Field) throws(RowFault) -> String? {
            do throws(RowFault) { return try reader.text(field) } catch {
                if lenient { return nil }
                throw error
            }
        }
        let external = try text(F.externalSessionId)
        var references = [
            Reference("meld:transaction", try text(F.id)),
            Reference("meld:order", try text(F.orderId)),
            Reference("meld:session", try text(F.sessionId)),
            Reference("meld:external_session", external),
            // Either may be the partner's own order id: candidates that the book confirms or not.
            Reference("book:order", external),
            Reference("book:order", try text(F.externalReferenceId)),
            Reference("chain:tx", try text(F.cryptoDetailsBlockchainTransactionId)),
        ].compactMap(\.self)
        if let provider = try text(F.serviceProvider) {
            var own = try text(F.serviceProviderTransactionId)
            if own == nil { own = try text(F.serviceTransactionId) }
            let name = Meld.declared.catalogueName(of: provider)
            if let own = Reference("\(name):transaction", own) { references.append(own) }
        }
        return references
    }

    func flags(of reader: FieldReader, into mapped: inout MappedTransaction) throws(RowFault) {
        if mapped.kind == nil { mapped.flags.append("type_missing") }
        if mapped.updatedAt == nil { mapped.flags.append("updated_at_missing") }
        if mapped.rawStatus == "ERROR" { mapped.flags.append("attention") }
        if !mapped.reading.isKnown { mapped.flags.append("status_unknown") }
        if try reader.text(F.parentPaymentTransactionId) != nil { mapped.flags.append("has_parent") }
        if try reader.bool(F.isPassthrough) == true { mapped.flags.append("passthrough") }
        let isImported = try reader.bool(F.isImported) == true
        if isImported { mapped.flags.append("imported") }
        // Imported rows send no event, and Robinhood sends Meld none in time.
        if mapped.reading.event == .expected, !isImported, mapped.provider != "ROBINHOOD" {
            mapped.flags.append("event_expected")
        }
    }

    /// Takes what no column holds into account: the documented rest by value, and whatever nobody documented.
    func unmapped(of reader: FieldReader, into mapped: inout MappedTransaction) {
        UnmappedValues.note(reader, compared: F.compared, known: known, into: &mapped) { fields in
            guard let steps = reader.value(F.multiFactorAuthorizationStatus), steps.isArray else { return }
            // Whatever else stands there is not kept.
            for step in steps.elements where step.isObject {
                fields.append(step["submitted"]?.scalarText)
                fields.append(step["successful"]?.scalarText)
            }
        }
    }

    /// Paths that a column holds.
    static let mappedPaths = [
        "id", "createdAt", "updatedAt", "status", "transactionType", "serviceProvider", "sessionId", "countryCode",
        "sourceAmount", "sourceCurrencyCode", "destinationAmount", "destinationCurrencyCode", "customerId",
        "customer.id", "customer.externalId", "externalCustomerId", "externalReferenceId", "externalSessionId",
        "orderId", "paymentMethodType", "serviceTransactionId", "serviceProviderTransactionId", "isImported",
        "isPassthrough", "paymentDetails.captureAmount", "captureAmount", "destinationWalletAddress", "walletTag",
        "cryptoDetails.networkFee", "cryptoDetails.transactionFee", "cryptoDetails.partnerFee",
        "cryptoDetails.swapFee", "cryptoDetails.totalFee", "cryptoDetails.blockchainTransactionId",
        "cryptoDetails.destinationWalletAddress", "cryptoDetails.offrampDestinationWalletAddress",
        "cryptoDetails.walletAddress", "cryptoDetails.walletTag",
    ]

    /// Documented scalars that no column holds and whose change is news.
    static let comparedPaths = [
        "accountId", "authAmount", "cryptoDetails.chainId", "cryptoDetails.institution",
        "cryptoDetails.sessionWalletAddress", "cryptoDetails.sourceWalletAddress", "description",
        "externalSubaccountCustomerId", "parentPaymentTransactionId", "passthroughReference",
        "paymentDetails.authAmount", "serviceProviderCreatedAt", "serviceProviderDetails.details.cryptoAmount",
        "serviceProviderDetails.details.status", "serviceProviderDetails.status", "serviceProviderTransactionUrl",
        "subaccountCustomerId",
    ]

    static let documentedPaths =
        comparedPaths + ["multiFactorAuthorizationStatus[].submitted", "multiFactorAuthorizationStatus[].successful"]
}
