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
        let reader = OptionReader(Meld.name, options)
        apiBase = try reader.base(live: "https://api.meld.io", sandbox: "https://api-sb.meld.io")
        apiKey = try reader.apiKey()
        webhookSecrets = options.webhookSecrets
        version = try reader.text("meld_version") ?? Self.pinnedVersion
        accountIDExpected = try reader.text("account_id_expected")
        pageLimit = try reader.number("page_limit", 1...100, usual: 100)
        settlesTo = try reader.word("settles_to")
    }
}
