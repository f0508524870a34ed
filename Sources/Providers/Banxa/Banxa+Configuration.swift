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
        let named = options.options["surface"] ?? BanxaSurface.v2.rawValue
        guard let surface = BanxaSurface(rawValue: named) else {
            throw ProviderConfigurationFault("banxa: surface must be v2, legacy or native, not `\(named)`")
        }
        self.surface = surface
        switch (options.apiBase, options.environment) {
        case (let base?, _): apiBase = base.hasSuffix("/") ? String(base.dropLast()) : base
        case (nil, "live"): apiBase = "https://api.banxa.com"
        case (nil, "sandbox"): apiBase = Self.sandbox
        case (nil, let other):
            throw ProviderConfigurationFault("banxa: environment `\(other)` is neither live nor sandbox")
        }
        isBanxasSandbox = apiBase.hasSuffix("banxa-sandbox.com")

        guard let key = options.apiKey, !key.isEmpty else {
            throw ProviderConfigurationFault("banxa: an API key is needed")
        }
        // A line break in a header would end it; a colon would end the key inside `KEY:SIGNATURE:NONCE`.
        guard key.reveal().unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 }) else {
            throw ProviderConfigurationFault("banxa: the API key holds blanks or line breaks")
        }
        if surface != .v2, key.reveal().contains(":") {
            throw ProviderConfigurationFault("banxa: the API key holds a colon; is it the whole header?")
        }
        apiKey = key
        apiSecret = options.secrets["api_secret"].flatMap { $0.isEmpty ? nil : $0 }
        if surface != .v2, apiSecret == nil {
            throw ProviderConfigurationFault("banxa: surface \(surface.rawValue) needs the secret api_secret")
        }

        partnerRef = options.options["partner_ref"] ?? ""
        if surface == .v2, partnerRef.isEmpty {
            throw ProviderConfigurationFault("banxa: surface v2 needs partner_ref, the partner's name in its paths")
        }
        guard partnerRef.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 && $0 != "/" && $0 != "?" }) else {
            throw ProviderConfigurationFault("banxa: partner_ref holds a slash, a question mark or blanks")
        }

        webhookSecrets = options.webhookSecrets.isEmpty ? [apiSecret].compactMap(\.self) : options.webhookSecrets
        pageLimit = surface == .legacy ? Self.greatestPage : 100
        if let text = options.options["page_limit"] {
            guard let limit = Int(text), (1...Self.greatestPage).contains(limit) else {
                throw ProviderConfigurationFault("banxa: page_limit must be 1 to \(Self.greatestPage)")
            }
            pageLimit = limit
        }
    }
}
