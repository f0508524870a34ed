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
        guard ["live", "sandbox"].contains(options.environment) else {
            throw ProviderConfigurationFault(
                "coinbase: environment `\(options.environment)` is neither live nor sandbox")
        }
        // There is one address for both: test transactions are told by the customer's reference.
        isLive = options.environment == "live"
        apiBase = Self.base(options.apiBase ?? "https://api.developer.coinbase.com")
        ordersBase = Self.base(
            options.options["orders_api_base"] ?? options.apiBase ?? "https://api.cdp.coinbase.com")
        guard let id = options.apiKey, !id.isEmpty else {
            throw ProviderConfigurationFault("coinbase: an API key is needed: the id of the key")
        }
        guard id.reveal().unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 }) else {
            throw ProviderConfigurationFault("coinbase: the API key holds blanks or line breaks; it is the key's id")
        }
        keyID = id
        guard let secret = options.secrets["api_secret"], !secret.isEmpty else {
            throw ProviderConfigurationFault("coinbase: the secret api_secret is needed: the private key")
        }
        do throws(KeyFault) {
            key = CoinbaseKey(try SigningKey(secret))
        } catch {
            throw ProviderConfigurationFault("coinbase: api_secret is no key: \(error)")
        }
        webhookSecrets = options.webhookSecrets
        pageLimit = 1000
        if let text = options.options["page_size"] {
            guard let limit = Int(text), (1...1000).contains(limit) else {
                throw ProviderConfigurationFault("coinbase: page_size must be 1 to 1000")
            }
            pageLimit = limit
        }
        switch options.options["query_names"] ?? "snake" {
        case "snake": usesCamelCase = false
        case "camel": usesCamelCase = true
        default: throw ProviderConfigurationFault("coinbase: query_names must be snake or camel")
        }
    }

    private static func base(_ text: String) -> String {
        var base = text
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }
}

/// The private key, shared by all that signs with it.
final class CoinbaseKey: Sendable {
    let signing: SigningKey

    init(_ key: consuming SigningKey) { signing = key }
}
