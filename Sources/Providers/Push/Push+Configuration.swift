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
        let reader = OptionReader(Push.name, options)
        isLive = try reader.isLive()
        apiBase = try reader.base(live: "https://" + Self.liveHost, sandbox: "https://" + Self.sandboxHost)
        try Self.check(host: apiBase, isLive, reader)
        apiKey = try reader.apiKey()
        try Self.check(key: apiKey, isLive, reader)
        webhookSecrets = options.webhookSecrets
        accountID = try reader.text("account_id")
        pageSize = try reader.number("page_size", 1...10_000, usual: 100)
        announcesAll = try reader.flag("webhook_url", yes: "always", no: "sometimes", usual: true)
        settlesTo = try reader.word("settles_to")
    }

    /// An address of the provider itself must be that of the environment.
    private static func check(
        host base: String, _ isLive: Bool, _ reader: OptionReader
    ) throws(ProviderConfigurationFault) {
        let rest = base.firstRange(of: "://").map { base[$0.upperBound...] } ?? base[...]
        let host = rest.prefix { $0 != "/" && $0 != ":" }.lowercased()
        if isLive, host == sandboxHost { throw reader.fault("environment live, but api_base is the sandbox (\(host))") }
        if !isLive, host == liveHost { throw reader.fault("environment sandbox, but api_base is production (\(host))") }
    }

    /// Keys are `pcsk_{env}_{public_id}.{private_key}` (https://docs.pushcash.com/go-live-checklist): one that names the
    /// other environment is refused before it is sent anywhere. What `{env}` can be is not listed, so a word that says
    /// neither passes, as does a key of another form.
    private static func check(
        key: Secret, _ isLive: Bool, _ reader: OptionReader
    ) throws(ProviderConfigurationFault) {
        let parts = key.reveal().split(separator: "_", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "pcsk" else { return }
        let word = parts[1].lowercased()
        if isLive, ["sandbox", "sb", "test", "dev", "development", "staging"].contains(word) {
            throw reader.fault("environment live, but the API key is one of the sandbox (pcsk_\(word)_…)")
        }
        if !isLive, ["production", "prod", "live"].contains(word) {
            throw reader.fault("environment sandbox, but the API key is one of production (pcsk_\(word)_…)")
        }
    }
}
