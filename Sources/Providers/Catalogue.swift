package import Payments

/// What a source's configuration says to its provider. Secrets stay wrapped.
package struct ProviderOptions: Sendable {
    /// `live` or `sandbox`.
    package var environment: String
    /// Instead of the provider's own address; for sandboxes and proxies.
    package var apiBase: String?
    package var apiKey: Secret?
    /// Further secrets by name (`api_secret`, `trans_key`; see the provider's `Configuration`).
    package var secrets: [String: Secret]
    package var webhookSecrets: [Secret]
    /// Further options of the provider by name (see its `Configuration`).
    package var options: [String: String]

    package init(
        environment: String, apiBase: String? = nil, apiKey: Secret? = nil, secrets: [String: Secret] = [:],
        webhookSecrets: [Secret] = [], options: [String: String] = [:]
    ) {
        self.environment = environment
        self.apiBase = apiBase
        self.apiKey = apiKey
        self.secrets = secrets
        self.webhookSecrets = webhookSecrets
        self.options = options
    }
}

/// Why a provider cannot be set up so: a mistake in the configuration.
package struct ProviderConfigurationFault: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// What a provider is told about the world as data, all of it from `SQL/reference`.
package struct ProviderReference: Sendable {
    package var statusMap: StatusMap
    /// Which codes are currencies: all others are crypto assets or unknown.
    package var currencies: CurrencyTable

    package init(statusMap: StatusMap, currencies: CurrencyTable) {
        self.statusMap = statusMap
        self.currencies = currencies
    }
}

/// An option whose right value some rows prove by a flag: what a provider's documents contradict each other about.
package struct LearnedOption: Sendable {
    package let name: String
    /// What holds while nothing is known.
    package let usual: String
    /// The flag of rows that prove a value.
    package let flags: [(value: String, flag: String)]

    package init(_ name: String, usual: String, flags: [(value: String, flag: String)]) {
        self.name = name
        self.usual = usual
        self.flags = flags
    }

    /// The value that all rows with such a flag agree upon; nil: there is none, or they contradict each other.
    package func value(seen: Set<String>) -> String? {
        let proven = flags.filter { seen.contains($0.flag) }
        return proven.count == 1 ? proven[0].value : nil
    }
}

/// All providers. To add one: a folder beside this file, and one line here.
package enum Catalogue {
    package struct Entry: Sendable {
        package let name: String
        /// Names that `ProviderOptions.options` may hold.
        package let optionNames: [String]
        /// Names that `ProviderOptions.secrets` may hold.
        package var secretNames: [String] = []
        /// Options that decide how a row is mapped: where they change, what is stored is read again.
        package var mappingOptions: [String] = []
        /// Options that rows prove where nobody has set them.
        package var learned: [LearnedOption] = []

        /// Those of `options` that have rows mapped in another way than without them.
        package func decisive(_ options: [String: String]) -> [String: String] {
            options.filter { name, value in
                mappingOptions.contains(name) && !learned.contains { $0.name == name && $0.usual == value }
            }
        }

        package let make:
            @Sendable (ProviderOptions, ProviderReference) throws(ProviderConfigurationFault) -> any Provider
    }

    package static let entries: [Entry] = [
        Entry(
            name: DLocal.name, optionNames: DLocalConfiguration.optionNames,
            secretNames: DLocalConfiguration.secretNames
        ) { options, reference throws(ProviderConfigurationFault) in
            DLocal(configuration: try DLocalConfiguration(options), statusMap: reference.statusMap)
        },
        Entry(
            name: Banxa.name, optionNames: BanxaConfiguration.optionNames, secretNames: BanxaConfiguration.secretNames
        ) {
            options, reference throws(ProviderConfigurationFault) in
            Banxa(configuration: try BanxaConfiguration(options), statusMap: reference.statusMap)
        },
        Entry(name: Meld.name, optionNames: MeldConfiguration.optionNames) {
            options, reference throws(ProviderConfigurationFault) in
            Meld(
                configuration: try MeldConfiguration(options), statusMap: reference.statusMap,
                currencies: reference.currencies)
        },
        Entry(
            name: Coinbase.name, optionNames: CoinbaseConfiguration.optionNames,
            secretNames: CoinbaseConfiguration.secretNames
        ) { options, reference throws(ProviderConfigurationFault) in
            Coinbase(configuration: try CoinbaseConfiguration(options), statusMap: reference.statusMap)
        },
        Entry(name: Mercuryo.name, optionNames: MercuryoConfiguration.optionNames) {
            options, reference throws(ProviderConfigurationFault) in
            Mercuryo(configuration: try MercuryoConfiguration(options), statusMap: reference.statusMap)
        },
        Entry(
            name: Stripe.name, optionNames: StripeConfiguration.optionNames,
            mappingOptions: ["metadata_keys", "order_key", "source_amount"], learned: [StripeConfiguration.learned]
        ) { options, reference throws(ProviderConfigurationFault) in
            Stripe(configuration: try StripeConfiguration(options), statusMap: reference.statusMap)
        },
        Entry(name: Push.name, optionNames: PushConfiguration.optionNames, mappingOptions: ["webhook_url"]) {
            options, reference throws(ProviderConfigurationFault) in
            Push(
                configuration: try PushConfiguration(options), statusMap: reference.statusMap,
                currencies: reference.currencies)
        },
    ]

    package static func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }

    /// Where the currencies lie under the root.
    package static let currenciesPath = "SQL/reference/currencies.csv"

    /// Where a provider's status map lies under the root.
    package static func statusMapPath(_ name: String) -> String { "SQL/reference/status_map/\(name).csv" }
}
