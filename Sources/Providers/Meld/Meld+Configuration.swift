package import Payments

/// How one Meld account is reached.
package struct MeldConfiguration: Sendable {
    /// Scheme and host, without a slash at the end.
    package var apiBase: String
    package var apiKey: Secret
    /// Sent as `Meld-Version` with every request: without it the version depends on the age of the key.
    package var version: String
    /// Secrets of the webhook profiles, old ones too while their deliveries are loaded.
    package var webhookSecrets: [Secret]
    package var pageLimit: Int
    /// Rows of other accounts are counted and not stored; nil: all rows are taken as ours.
    package var accountIDExpected: String?
    package var settlesTo: Declaration.SettlesTo?

    package static let pinnedVersion = "2026-05-01"
    package static let optionNames = ["account_id_expected", "meld_version", "page_limit", "settles_to"]

    package init(_ options: ProviderOptions) throws(ProviderConfigurationFault) {
        switch (options.apiBase, options.environment) {
        case (let base?, _): apiBase = base.hasSuffix("/") ? String(base.dropLast()) : base
        case (nil, "live"): apiBase = "https://api.meld.io"
        case (nil, "sandbox"): apiBase = "https://api-sb.meld.io"
        case (nil, let other):
            throw ProviderConfigurationFault("meld: environment `\(other)` is neither live nor sandbox")
        }
        guard let key = options.apiKey, !key.isEmpty else {
            throw ProviderConfigurationFault("meld: an API key is needed")
        }
        // A line break in a header would end it; a key pasted from a file often carries one.
        guard key.reveal().unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 }) else {
            throw ProviderConfigurationFault("meld: the API key holds blanks or line breaks")
        }
        apiKey = key
        webhookSecrets = options.webhookSecrets
        version = options.options["meld_version"] ?? Self.pinnedVersion
        accountIDExpected = options.options["account_id_expected"]
        pageLimit = 100
        if let text = options.options["page_limit"] {
            guard let limit = Int(text), (1...100).contains(limit) else {
                throw ProviderConfigurationFault("meld: page_limit must be 1 to 100")
            }
            pageLimit = limit
        }
        if let text = options.options["settles_to"] {
            guard let named = Declaration.SettlesTo(rawValue: text) else {
                throw ProviderConfigurationFault("meld: settles_to must be customer or merchant")
            }
            settlesTo = named
        }
    }
}
