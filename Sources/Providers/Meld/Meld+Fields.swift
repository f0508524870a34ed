import JSON

/// What the mapping asks of a transaction, by name; `table` finds it all in one walk over the element.
enum MeldField {
    static let table = FieldTable(paths)

    /// Those that must be objects where they are there at all.
    static let objects = [cryptoDetails, cryptoPurchaseDetails, customer, paymentDetails]
    /// Documented scalars that no column holds and whose change is news.
    static let compared = MeldMapping.comparedPaths.map(field)

    static let captureAmount = field("captureAmount")
    static let countryCode = field("countryCode")
    static let createdAt = field("createdAt")
    static let cryptoDetails = field("cryptoDetails")
    static let cryptoDetailsBlockchainTransactionId = field("cryptoDetails.blockchainTransactionId")
    static let cryptoDetailsDestinationWalletAddress = field("cryptoDetails.destinationWalletAddress")
    static let cryptoDetailsNetworkFee = field("cryptoDetails.networkFee")
    static let cryptoDetailsOfframpDestinationWalletAddress = field("cryptoDetails.offrampDestinationWalletAddress")
    static let cryptoDetailsPartnerFee = field("cryptoDetails.partnerFee")
    static let cryptoDetailsSwapFee = field("cryptoDetails.swapFee")
    static let cryptoDetailsTotalFee = field("cryptoDetails.totalFee")
    static let cryptoDetailsTransactionFee = field("cryptoDetails.transactionFee")
    static let cryptoDetailsWalletAddress = field("cryptoDetails.walletAddress")
    static let cryptoDetailsWalletTag = field("cryptoDetails.walletTag")
    static let cryptoPurchaseDetails = field("cryptoPurchaseDetails")
    static let cryptoPurchaseDetailsDestinationAmount = field("cryptoPurchaseDetails.destinationAmount")
    static let cryptoPurchaseDetailsDestinationCurrencyCode = field("cryptoPurchaseDetails.destinationCurrencyCode")
    static let cryptoPurchaseDetailsNetworkFee = field("cryptoPurchaseDetails.networkFee")
    static let cryptoPurchaseDetailsPartnerFee = field("cryptoPurchaseDetails.partnerFee")
    static let cryptoPurchaseDetailsSwapFee = field("cryptoPurchaseDetails.swapFee")
    static let cryptoPurchaseDetailsTotalFee = field("cryptoPurchaseDetails.totalFee")
    static let cryptoPurchaseDetailsTransactionFee = field("cryptoPurchaseDetails.transactionFee")
    static let cryptoPurchaseDetailsWalletAddress = field("cryptoPurchaseDetails.walletAddress")
    static let customer = field("customer")
    static let customerExternalId = field("customer.externalId")
    static let idOfCustomer = field("customer.id")
    static let customerId = field("customerId")
    static let destinationAmount = field("destinationAmount")
    static let destinationCurrencyCode = field("destinationCurrencyCode")
    static let destinationWalletAddress = field("destinationWalletAddress")
    static let externalCustomerId = field("externalCustomerId")
    static let externalReferenceId = field("externalReferenceId")
    static let externalSessionId = field("externalSessionId")
    static let id = field("id")
    static let isImported = field("isImported")
    static let isPassthrough = field("isPassthrough")
    static let multiFactorAuthorizationStatus = field("multiFactorAuthorizationStatus")
    static let orderId = field("orderId")
    static let parentPaymentTransactionId = field("parentPaymentTransactionId")
    static let paymentDetails = field("paymentDetails")
    static let paymentDetailsCaptureAmount = field("paymentDetails.captureAmount")
    static let paymentMethodType = field("paymentMethodType")
    static let serviceProvider = field("serviceProvider")
    static let serviceProviderTransactionId = field("serviceProviderTransactionId")
    static let serviceTransactionId = field("serviceTransactionId")
    static let sessionId = field("sessionId")
    static let sourceAmount = field("sourceAmount")
    static let sourceCurrencyCode = field("sourceCurrencyCode")
    static let status = field("status")
    static let transactionType = field("transactionType")
    static let updatedAt = field("updatedAt")
    static let walletTag = field("walletTag")

    private static let paths = Array(
        Set(
            MeldMapping.comparedPaths + [
                "captureAmount", "countryCode", "createdAt", "cryptoDetails",
                "cryptoDetails.blockchainTransactionId", "cryptoDetails.destinationWalletAddress",
                "cryptoDetails.networkFee", "cryptoDetails.offrampDestinationWalletAddress",
                "cryptoDetails.partnerFee", "cryptoDetails.swapFee", "cryptoDetails.totalFee",
                "cryptoDetails.transactionFee", "cryptoDetails.walletAddress", "cryptoDetails.walletTag",
                "cryptoPurchaseDetails", "cryptoPurchaseDetails.destinationAmount",
                "cryptoPurchaseDetails.destinationCurrencyCode", "cryptoPurchaseDetails.networkFee",
                "cryptoPurchaseDetails.partnerFee", "cryptoPurchaseDetails.swapFee",
                "cryptoPurchaseDetails.totalFee", "cryptoPurchaseDetails.transactionFee",
                "cryptoPurchaseDetails.walletAddress", "customer", "customer.externalId", "customer.id",
                "customerId", "destinationAmount", "destinationCurrencyCode", "destinationWalletAddress",
                "externalCustomerId", "externalReferenceId", "externalSessionId", "id", "isImported",
                "isPassthrough", "multiFactorAuthorizationStatus", "orderId", "parentPaymentTransactionId",
                "paymentDetails", "paymentDetails.captureAmount", "paymentMethodType", "serviceProvider",
                "serviceProviderTransactionId", "serviceTransactionId", "sessionId", "sourceAmount",
                "sourceCurrencyCode", "status", "transactionType", "updatedAt", "walletTag",
            ])
    ).sorted()
    private static let numbers = Dictionary(uniqueKeysWithValues: zip(paths, paths.indices))

    /// Every path above is listed below it: a missing one is found by the first test that maps a row.
    private static func field(_ path: String) -> Field {
        guard let number = numbers[path] else { preconditionFailure("\(path) is not in the table") }
        return Field(path: path, number: number)
    }
}

extension MeldMapping {
    typealias F = MeldField
}
