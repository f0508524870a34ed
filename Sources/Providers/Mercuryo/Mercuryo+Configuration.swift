package import Payments

/// How one Mercuryo partner is reached.
package struct MercuryoConfiguration: Sendable {
    /// Scheme and host, without a slash or a version at the end.
    package var apiBase: String
    /// Sent as `Sdk-Partner-Token` with every request.
    package var partnerToken: Secret
    /// Sign keys of the widgets, old ones too while their callbacks are loaded.
    package var signKeys: [Secret]
    /// Rows of other widgets are counted and not stored, and lists are asked for this one alone; nil: all rows are
    /// ours.
    package var widgetID: String?
    package var pageLimit: Int

    package static let optionNames = ["page_limit", "widget_id"]

    package init(_ options: ProviderOptions) throws(ProviderConfigurationFault) {
        var base: String
        switch (options.apiBase, options.environment) {
        case (let given?, _): base = given
        case (nil, "live"): base = "https://api.mercuryo.io"
        case (nil, "sandbox"): base = "https://sandbox-api.mrcr.io"
        case (nil, let other):
            throw ProviderConfigurationFault("mercuryo: environment `\(other)` is neither live nor sandbox")
        }
        while base.hasSuffix("/") { base.removeLast() }
        // The documents give the address with the version, the requests here name it themselves.
        if base.hasSuffix("/v1.6") { base.removeLast(5) }
        apiBase = base
        guard let token = options.apiKey, !token.isEmpty else {
            throw ProviderConfigurationFault("mercuryo: an API key is needed: the Sdk-Partner-Token")
        }
        guard token.reveal().unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 }) else {
            throw ProviderConfigurationFault("mercuryo: the API key holds blanks or line breaks")
        }
        partnerToken = token
        signKeys = options.webhookSecrets
        widgetID = options.options["widget_id"]
        if widgetID?.isEmpty == true { throw ProviderConfigurationFault("mercuryo: widget_id is empty") }
        pageLimit = 50
        if let text = options.options["page_limit"] {
            guard let limit = Int(text), (1...50).contains(limit) else {
                throw ProviderConfigurationFault("mercuryo: page_limit must be 1 to 50")
            }
            pageLimit = limit
        }
    }
}
