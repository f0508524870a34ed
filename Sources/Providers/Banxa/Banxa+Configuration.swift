package import Payments

/// Which of Banxa's three APIs a source is read through. Each has its own ways, ids, statuses and shapes.
package enum BanxaSurface: String, Sendable, Hashable, CaseIterable {
    /// Hosted Checkout v2: a list, key in `x-api-key`.
    case v2
    /// Legacy v1.3: a list, signed requests.
    case legacy
    /// Native API v0: single ramps by id only, signed requests.
    case native
}

/// How one Banxa account is reached.
package struct BanxaConfiguration: Sendable {
    package var surface: BanxaSurface
    /// Scheme and host, without a slash at the end.
    package var apiBase: String
    package var apiKey: Secret
    /// Signs requests of the surfaces `legacy` and `native`, and webhooks where no webhook secret is given.
    package var apiSecret: Secret?
    /// The partner's name in the paths of `v2`; empty elsewhere.
    package var partnerRef: String
    package var webhookSecrets: [Secret]
    package var pageLimit: Int
    /// Banxa's own sandbox tells of nothing but expiries.
    package var isBanxasSandbox: Bool

    package static let optionNames = ["page_limit", "partner_ref", "surface"]
    package static let secretNames = ["api_secret"]

    /// The documented maximum of `legacy`; that of `v2` is not documented.
    static let greatestPage = 200
    private static let sandbox = "https://api.banxa-sandbox.com"

    package init(_ options: ProviderOptions) throws(ProviderConfigurationFault) {
        let reader = OptionReader(Banxa.name, options)
        surface = try reader.word("surface") ?? .v2
        apiBase = try reader.base(live: "https://api.banxa.com", sandbox: Self.sandbox)
        isBanxasSandbox = apiBase.hasSuffix("banxa-sandbox.com")

        apiKey = try reader.apiKey()
        // A colon would end the key inside `KEY:SIGNATURE:NONCE`.
        if surface != .v2, apiKey.reveal().contains(":") {
            throw reader.fault("the API key holds a colon; is it the whole header?")
        }
        apiSecret = options.secrets["api_secret"].flatMap { $0.isEmpty ? nil : $0 }
        if surface != .v2, apiSecret == nil {
            throw reader.fault("surface \(surface.rawValue) needs the secret api_secret")
        }

        partnerRef = options.options["partner_ref"] ?? ""
        if surface == .v2, partnerRef.isEmpty {
            throw reader.fault("surface v2 needs partner_ref, the partner's name in its paths")
        }
        guard OptionReader.isPlain(partnerRef), !partnerRef.contains("/"), !partnerRef.contains("?") else {
            throw reader.fault("partner_ref holds a slash, a question mark or blanks")
        }

        webhookSecrets = options.webhookSecrets.isEmpty ? [apiSecret].compactMap(\.self) : options.webhookSecrets
        pageLimit = try reader.number(
            "page_limit", 1...Self.greatestPage, usual: surface == .legacy ? Self.greatestPage : 100)
    }
}
