package import Payments

/// How one dLocal merchant is reached. `api_key` is the X-Login; the X-Trans-Key and the secret key that signs are
/// secrets of their own.
package struct DLocalConfiguration: Sendable {
    /// Scheme and host, without a slash at the end.
    package var apiBase: String
    package var login: Secret
    package var transKey: Secret
    /// Signs requests and notifications; never sent.
    package var secretKey: Secret
    /// Former secret keys, while notifications signed by them are loaded.
    package var webhookSecrets: [Secret]
    /// Sent as `X-Version`.
    package var version: String
    /// The country that `tieout check` asks the payment methods of.
    package var probeCountry: String
    /// `payer.user_reference` is a made-up key and no personal datum: kept, and the customer's id.
    package var keepsUserReference: Bool

    package static let optionNames = ["api_version", "probe_country", "user_reference"]
    package static let secretNames = ["secret_key", "trans_key"]

    package init(_ options: ProviderOptions) throws(ProviderConfigurationFault) {
        let reader = OptionReader(DLocal.name, options)
        apiBase = try reader.base(live: "https://api.dlocal.com", sandbox: "https://sandbox.dlocal.com")
        login = try reader.apiKey("the X-Login")
        transKey = try reader.secret("trans_key", "the X-Trans-Key")
        // A key pasted from a file often carries a line break, and would sign everything wrongly.
        secretKey = try reader.secret("secret_key", "the key that signs")
        webhookSecrets = options.webhookSecrets
        version = try reader.text("api_version") ?? "2.1"
        guard OptionReader.isPlain(version) else {
            throw reader.fault("api_version must be a version such as 2.1")
        }
        probeCountry = options.options["probe_country"] ?? "BR"
        guard probeCountry.utf8.count == 2, probeCountry.utf8.allSatisfy({ (65...90).contains($0) }) else {
            throw reader.fault("probe_country must be two capital letters such as BR")
        }
        keepsUserReference = try reader.flag("user_reference", yes: "opaque", no: "personal", usual: false)
    }
}
