import JSON

/// What the mapping asks of a session, by name; the table finds it all in one walk over the element.
enum StripeField {
    static let created = field("created")
    static let destinationAmount = field("transaction_details.destination_amount")
    static let destinationCurrency = field("transaction_details.destination_currency")
    static let destinationNetwork = field("transaction_details.destination_network")
    static let destinationTags = field("transaction_details.wallet_addresses.destination_tags")
    static let details = field("transaction_details")
    static let fees = field("transaction_details.fees")
    static let id = field("id")
    static let livemode = field("livemode")
    static let metadata = field("metadata")
    static let networkFee = field("transaction_details.fees.network_fee_amount")
    static let sourceAmount = field("transaction_details.source_amount")
    static let sourceCurrency = field("transaction_details.source_currency")
    static let status = field("status")
    static let transactionFee = field("transaction_details.fees.transaction_fee_amount")
    static let transactionID = field("transaction_details.transaction_id")
    static let walletAddress = field("transaction_details.wallet_address")
    static let walletAddresses = field("transaction_details.wallet_addresses")

    /// Those that must be objects where they are there at all.
    static let objects = [details, fees, metadata, walletAddresses]
    /// Documented scalars that no column holds and whose change is news.
    static let compared = StripeMapping.comparedPaths.map(field)

    static let paths = Array(
        Set(
            StripeMapping.mappedPaths + StripeMapping.comparedPaths + [
                "metadata", "transaction_details", "transaction_details.fees", "transaction_details.wallet_addresses",
                "transaction_details.wallet_addresses.destination_tags",
            ])
    ).sorted()
    private static let numbers = Dictionary(uniqueKeysWithValues: zip(paths, paths.indices))

    /// Every path above is listed: a missing one is found by the first test that maps a row.
    private static func field(_ path: String) -> Field {
        guard let number = numbers[path] else { preconditionFailure("\(path) is not in the table") }
        return Field(path: path, number: number)
    }
}

extension StripeMapping {
    typealias F = StripeField

    /// Paths that a column holds.
    static let mappedPaths = [
        "created", "id", "livemode", "status", "transaction_details.destination_amount",
        "transaction_details.destination_currency", "transaction_details.fees.network_fee_amount",
        "transaction_details.fees.transaction_fee_amount", "transaction_details.source_amount",
        "transaction_details.source_currency", "transaction_details.transaction_id",
        "transaction_details.wallet_address",
    ]

    /// Documented scalars that no column holds and whose change is news.
    static let comparedPaths = [
        "kyc_details_provided", "object", "transaction_details.destination_network",
        "transaction_details.lock_wallet_address", "transaction_details.settlement_speed",
    ]
}
