import JSON
package import Payments

/// Meld, an aggregator of crypto on-ramps and off-ramps: one transaction stands for one purchase, sale or transfer that
/// an underlying provider carries out. Lists by creation time, reads by id, sends signed events without amounts.
package struct Meld: Provider {
    package static let name = "meld"
    package static let mappingVersion = 2

    package let declaration: Declaration
    package let payments: Resource
    package let webhooks: (any WebhookScheme)?

    package init(configuration: MeldConfiguration, statusMap: StatusMap, currencies: CurrencyTable) {
        let mapping = MeldMapping(
            statusMap: statusMap, currencies: currencies, accountIDExpected: configuration.accountIDExpected)
        let pages = MeldPages(configuration: configuration, mapping: mapping)
        var declared = Self.declared
        declared.settlesTo = configuration.settlesTo ?? declared.settlesTo
        declaration = declared
        payments = Resource(mapping: mapping, lister: pages, reader: pages)
        webhooks = MeldWebhooks(secrets: configuration.webhookSecrets, statusMap: statusMap)
    }

    /// What the provider declares as data; which states come with an event stands in its status map.
    package static let declared: Declaration = {
        var declared = Declaration(
            lists: ["transaction"], readsByID: ["transaction"], settlesTo: .customer, eventHistory: false,
            feesSeen: ["transaction"], eventsCarryAmounts: false, budget: RequestBudget(2, perSeconds: 1))
        // Meld's words where they are not just the catalogue's in capitals (`serviceProvider`, an open set).
        declared.providerNames = ["COINBASEPAY": "coinbase"]
        declared.showsTags = true
        declared.showsReturns = .whole
        return declared
    }()

    /// Credentials, tokens, bank and personal data: cut before anything is stored.
    static let redactedPaths =
        PersonalData.paths + [
            "address", "customer.address", "customer.addresses", "customer.email", "customer.name", "customer.phone",
            "**.paymentMethodResponseDetails", "**.receivingBankInformation", "**.redirectUrl", "**.secret",
            "**.serviceProviderWidgetUrl", "**.sessionToken", "**.token", "**.widgetUrl",
            "multiFactorAuthorizationStatus.url", "**.addressDetails",
        ]

    /// The raw answer of the underlying provider is untyped, and a person's profile may grow: only what is known to be
    /// harmless stays, whatever shape either takes.
    static let keptOnly = [
        "serviceProviderDetails": ["details.cryptoAmount", "details.status", "status"],
        "customer": keptOfCustomer,
        "multiFactorAuthorizationStatus": ["submitted", "successful"],
    ]

    static let keptOfCustomer = ["accountId", "externalId", "id", "serviceProviders.*", "status"]

    /// The list position, dollar values that may be computed anew, and the customer's profile.
    static let volatilePaths = [
        "key", "fiatAmountInUsd", "cryptoDetails.networkFeeInUsd", "cryptoDetails.transactionFeeInUsd",
        "cryptoDetails.partnerFeeInUsd", "cryptoDetails.swapFeeInUsd", "cryptoDetails.totalFeeInUsd",
        "customer.accountId", "customer.serviceProviders", "customer.status",
    ]
}
