package import Payments

/// How one Push Cash account is reached.
package struct PushConfiguration: Sendable {
    /// Scheme and host, without a slash at the end.
    package var apiBase: String
    package var apiKey: Secret
    /// Secrets that payments share; where each has its own, the source names a look-up besides.
    package var webhookSecrets: [Secret]
    /// Real money: rows that name themselves sandbox rows are test rows then.
    package var isLive: Bool
    /// Records of other accounts of the merchant at Push are counted and not stored; nil: all are taken as ours.
    package var accountID: String?
    /// Rows of a full page. The size cannot be asked for and is not documented.
    package var pageSize: Int
    /// Every payment is given a `webhook_url`: only then is a missing event a finding.
    package var announcesAll: Bool
    package var settlesTo: Declaration.SettlesTo?

    package static let optionNames = ["account_id", "page_size", "settles_to", "webhook_url"]

    static let liveHost = "api.pushcash.com"
    static let sandboxHost = "sandbox.pushcash.com"

    package init(_ options: ProviderOptions) throws(ProviderConfigurationFault) {
        switch options.environment {
        case "live": isLive = true
        case "sandbox": isLive = false
        case let other: throw Self.fault("environment `\(other)` is neither live nor sandbox")
        }
        let base = options.apiBase ?? "https://" + (isLive ? Self.liveHost : Self.sandboxHost)
        apiBase = base.hasSuffix("/") ? String(base.dropLast()) : base
        try Self.check(host: apiBase, isLive: isLive)
        guard let key = options.apiKey, !key.isEmpty else { throw Self.fault("an API key is needed") }
        // A line break in a header would end it; a key pasted from a file often carries one.
        guard key.reveal().unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 }) else {
            throw Self.fault("the API key holds blanks or line breaks")
        }
        try Self.check(key: key, isLive: isLive)
        apiKey = key
        webhookSecrets = options.webhookSecrets
        accountID = options.options["account_id"]
        guard accountID?.isEmpty != true else { throw Self.fault("account_id must not be empty") }
        pageSize = 100
        if let text = options.options["page_size"] {
            guard let size = Int(text), (1...10_000).contains(size) else {
                throw Self.fault("page_size must be 1 to 10000")
            }
            pageSize = size
        }
        switch options.options["webhook_url"] {
        case nil, "always": announcesAll = true
        case "sometimes": announcesAll = false
        default: throw Self.fault("webhook_url must be always or sometimes")
        }
        if let text = options.options["settles_to"] {
            guard let named = Declaration.SettlesTo(rawValue: text) else {
                throw Self.fault("settles_to must be customer or merchant")
            }
            settlesTo = named
        }
    }

    /// An address of the provider itself must be that of the environment.
    private static func check(host base: String, isLive: Bool) throws(ProviderConfigurationFault) {
        let rest = base.firstRange(of: "://").map { base[$0.upperBound...] } ?? base[...]
        let host = rest.prefix { $0 != "/" && $0 != ":" }.lowercased()
        if isLive, host == sandboxHost { throw fault("environment live, but api_base is the sandbox (\(host))") }
        if !isLive, host == liveHost { throw fault("environment sandbox, but api_base is production (\(host))") }
    }

    /// Keys are `pcsk_{env}_{public_id}.{private_key}` (https://docs.pushcash.com/go-live-checklist): one that names the
    /// other environment is refused before it is sent anywhere. What `{env}` can be is not listed, so a word that says
    /// neither passes, as does a key of another form.
    private static func check(key: Secret, isLive: Bool) throws(ProviderConfigurationFault) {
        let parts = key.reveal().split(separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "pcsk" else { return }
        let word = parts[1].lowercased()
        if isLive, ["sandbox", "sb", "test", "dev", "development", "staging"].contains(word) {
            throw fault("environment live, but the API key is one of the sandbox (pcsk_\(word)_…)")
        }
        if !isLive, ["production", "prod", "live"].contains(word) {
            throw fault("environment sandbox, but the API key is one of production (pcsk_\(word)_…)")
        }
    }

    private static func fault(_ what: String) -> ProviderConfigurationFault {
        ProviderConfigurationFault("push: \(what)")
    }
}
