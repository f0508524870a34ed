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
        let reader = OptionReader(Mercuryo.name, options)
        let base = try reader.base(live: "https://api.mercuryo.io", sandbox: "https://sandbox-api.mrcr.io")
        // The documents give the address with the version, the requests here name it themselves.
        apiBase = base.hasSuffix("/v1.6") ? String(base.dropLast(5)) : base
        partnerToken = try reader.apiKey("the Sdk-Partner-Token")
        signKeys = options.webhookSecrets
        widgetID = try reader.text("widget_id")
        pageLimit = try reader.number("page_limit", 1...50, usual: 50)
    }
}
