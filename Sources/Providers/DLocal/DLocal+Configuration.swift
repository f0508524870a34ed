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
        switch (options.apiBase, options.environment) {
        case (let base?, _): apiBase = base.hasSuffix("/") ? String(base.dropLast()) : base
        case (nil, "live"): apiBase = "https://api.dlocal.com"
        case (nil, "sandbox"): apiBase = "https://sandbox.dlocal.com"
        case (nil, let other):
            throw ProviderConfigurationFault("dlocal: environment `\(other)` is neither live nor sandbox")
        }
        login = try Self.header(options.apiKey, "api_key (the X-Login)")
        transKey = try Self.header(options.secrets["trans_key"], "secret `trans_key` (the X-Trans-Key)")
        guard let key = options.secrets["secret_key"], !key.isEmpty else {
            throw ProviderConfigurationFault("dlocal: secret `secret_key` (which signs) is needed")
        }
        // A key pasted from a file often carries a line break, and would sign everything wrongly.
        guard Self.isPlain(key.reveal()) else {
            throw ProviderConfigurationFault("dlocal: secret `secret_key` holds blanks or line breaks")
        }
        secretKey = key
        webhookSecrets = options.webhookSecrets
        version = options.options["api_version"] ?? "2.1"
        guard Self.isPlain(version), !version.isEmpty else {
            throw ProviderConfigurationFault("dlocal: api_version must be a version such as 2.1")
        }
        probeCountry = options.options["probe_country"] ?? "BR"
        guard probeCountry.utf8.count == 2, probeCountry.utf8.allSatisfy({ (65...90).contains($0) }) else {
            throw ProviderConfigurationFault("dlocal: probe_country must be two capital letters such as BR")
        }
        switch options.options["user_reference"] {
        case nil, "personal": keepsUserReference = false
        case "opaque": keepsUserReference = true
        default: throw ProviderConfigurationFault("dlocal: user_reference must be opaque or personal")
        }
    }

    /// What goes into a header: neither empty nor with anything that would end it.
    private static func header(_ secret: Secret?, _ name: String) throws(ProviderConfigurationFault) -> Secret {
        guard let secret, !secret.isEmpty else { throw ProviderConfigurationFault("dlocal: \(name) is needed") }
        guard isPlain(secret.reveal()) else {
            throw ProviderConfigurationFault("dlocal: \(name) holds blanks or line breaks")
        }
        return secret
    }

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value > 32 && $0.value < 127 }
    }
}
