import Crypto
package import Payments

/// How one Coinbase developer project is reached.
package struct CoinbaseConfiguration: Sendable {
    /// Scheme and host of transactions (v1) and of orders (v2), without a slash at the end.
    package var apiBase: String
    package var ordersBase: String
    /// The id of the key, a UUID or `organizations/…/apiKeys/…`.
    package var keyID: Secret
    let key: CoinbaseKey
    /// Secrets of the webhook subscriptions, old ones too while their deliveries are loaded.
    package var webhookSecrets: [Secret]
    package var pageLimit: Int
    /// Whether names in a query are written `pageSize` instead of `page_size`: the documents show both.
    package var usesCamelCase: Bool
    /// Rows of the provider's test mode do not belong into a live source.
    package var isLive: Bool

    package static let optionNames = ["orders_api_base", "page_size", "query_names"]
    package static let secretNames = ["api_secret"]

    package init(_ options: ProviderOptions) throws(ProviderConfigurationFault) {
        let reader = OptionReader(Coinbase.name, options)
        // There is one address for both: test transactions are told by the customer's reference.
        isLive = try reader.isLive()
        let usual = "https://api.developer.coinbase.com"
        apiBase = try reader.base(live: usual, sandbox: usual)
        ordersBase = OptionReader.base(
            try reader.text("orders_api_base") ?? options.apiBase ?? "https://api.cdp.coinbase.com")
        keyID = try reader.apiKey("the id of the key")
        guard let secret = options.secrets["api_secret"], !secret.isEmpty else {
            throw reader.fault("the secret api_secret is needed: the private key")
        }
        do throws(KeyFault) {
            key = CoinbaseKey(try SigningKey(secret))
        } catch {
            throw reader.fault("api_secret is no key: \(error)")
        }
        webhookSecrets = options.webhookSecrets
        pageLimit = try reader.number("page_size", 1...1000, usual: 1000)
        usesCamelCase = try reader.flag("query_names", yes: "camel", no: "snake", usual: false)
    }
}

/// The private key, shared by all that signs with it.
final class CoinbaseKey: Sendable {
    let signing: SigningKey

    init(_ key: consuming SigningKey) { signing = key }
}
