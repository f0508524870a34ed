import Foundation
import Loading
import Payments
import Reconciling

extension Configuration {
    /// Where the configuration is looked for when nobody names one, in this order.
    static let usualPlaces = ["tieout.json5", "/etc/tieout/tieout.json5"]

    /// Reads and checks a whole file. `environment` and files give the secrets; every fault names its place.
    package static func read(path: String, environment: [String: String]) throws(ConfigurationError) -> Configuration {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(file: path, place: "", message: "cannot be read")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw ConfigurationError(file: path, place: "", message: "is not UTF-8 text")
        }
        let absolute = URL(fileURLWithPath: path).standardizedFileURL
        let directory = absolute.deletingLastPathComponent().path
        return try read(text: text, file: path, directory: directory, environment: environment)
    }

    /// The same from a text at hand.
    package static func read(
        text: String, file: String, directory: String, environment: [String: String]
    ) throws(ConfigurationError) -> Configuration {
        let tree = try ConfigurationTree(json5: text, file: file)
        let top = try tree.object(known: ["database", "state_directory", "reports", "accounts"])
        let secrets = SecretReader(environment: environment, directory: directory)
        var database: Secret?
        if let node = top["database"], !node.isNull {
            database = try secrets.secret(node)
        }
        guard let accountNode = top["accounts"] else { throw tree.fault("needs 'accounts'") }
        var accounts: [AccountConfiguration] = []
        let named = try accountNode.members()
        if named.isEmpty { throw accountNode.fault("names no account") }
        var places: [String: ConfigurationTree] = [:]
        for (name, node) in named.sorted(by: { $0.key < $1.key }) {
            places[name] = try node.members()["sources"]
            accounts.append(
                try AccountConfiguration.read(name: name, node, secrets: secrets, isOnly: named.count == 1))
        }
        try SourceRelations(accounts: accounts, places: places).check()
        var seen: [Int64: String] = [:]
        for account in accounts {
            if let other = seen.updateValue(account.name, forKey: account.id) {
                throw accountNode.fault("'\(other)' and '\(account.name)' have the same id \(account.id)")
            }
        }
        return Configuration(
            file: file, directory: directory, database: database,
            stateDirectory: try top["state_directory"].map { node throws(ConfigurationError) in
                secrets.path(try node.string())
            },
            reports: secrets.path(try top["reports"]?.string() ?? "reports"), accounts: accounts)
    }
}

/// Turns secret references and relative paths into what they mean, from one place.
struct SecretReader {
    let environment: [String: String]
    let directory: String

    func secret(_ node: ConfigurationTree) throws(ConfigurationError) -> Secret {
        try SecretReference(node).resolve(environment, directory: directory, at: node)
    }

    func path(_ text: String) -> String { text.hasPrefix("/") ? text : directory + "/" + text }
}

extension AccountConfiguration {
    fileprivate static func read(name: String, _ tree: ConfigurationTree, secrets: SecretReader, isOnly: Bool)
        throws(ConfigurationError) -> AccountConfiguration
    {
        guard Names.isName(name) else { throw tree.fault(Names.rule) }
        let members = try tree.object(
            known: [
                "id", "zone", "cut_off", "credit_policy", "sources", "orders", "webhooks", "settlements", "terms",
                "parameters",
            ])
        var id: Int64 = 1
        if let node = members["id"] {
            id = try node.integer(in: 1...Int64.max)
        } else if !isOnly {
            throw tree.fault("needs an 'id' (a whole number that never changes), since there are several accounts")
        }
        let zone = try members["zone"]?.string() ?? "UTC"
        guard TimeZone(identifier: zone) != nil else {
            throw tree.fault("zone '\(zone)' is no known time zone; write an IANA name such as Europe/Vilnius")
        }
        var sources: [SourceConfiguration] = []
        guard let sourceNode = members["sources"] else { throw tree.fault("needs 'sources'") }
        let policy = try members["credit_policy"]?.word(SourceConfiguration.CreditPolicy.self) ?? .onPaid
        for (name, node) in try sourceNode.members().sorted(by: { $0.key < $1.key }) {
            sources.append(try SourceConfiguration.read(name: name, node, secrets: secrets, creditPolicy: policy))
        }
        if sources.isEmpty { throw sourceNode.fault("names no source") }
        var parameters: [String: [String: String]] = [:]
        for (rule, node) in try members["parameters"]?.members() ?? [:] {
            for (name, value) in try node.members() { parameters[rule, default: [:]][name] = try value.string() }
        }
        var terms: [TermConfiguration] = []
        for node in try members["terms"]?.list() ?? [] { terms.append(try TermConfiguration.read(node)) }
        return AccountConfiguration(
            id: id, name: name, zone: zone,
            cutOffSeconds: try members["cut_off"].map(ClockText.seconds) ?? 0, sources: sources,
            orderInputs: try InputConfiguration.read(members["orders"], what: "orders", secrets: secrets),
            webhookInputs: try InputConfiguration.read(members["webhooks"], what: "webhooks", secrets: secrets),
            settlements: try SettlementConfiguration.read(
                members["settlements"], sources: sources.map(\.name), secrets: secrets),
            terms: terms, parameters: parameters)
    }
}

extension SourceConfiguration {
    /// `creditPolicy`: the account's, for a source that has none of its own.
    fileprivate static func read(
        name: String, _ tree: ConfigurationTree, secrets: SecretReader, creditPolicy: CreditPolicy
    ) throws(ConfigurationError) -> SourceConfiguration {
        guard Names.isName(name) else { throw tree.fault(Names.rule) }
        let members = try tree.object(
            known: [
                "provider", "environment", "life", "succeeds", "beneath", "api_base", "api_key", "secrets",
                "webhook_secrets",
                "webhook_secret_table", "webhook_signature", "webhook_urls", "retain", "ca_file", "look_back",
                "settle_lag", "sweep", "max_age", "requests_per_minute", "page_limit",
                "since", "credit_policy", "stall_after", "request_timeout", "options",
            ])
        func need(_ key: String) throws(ConfigurationError) -> ConfigurationTree {
            guard let node = members[key] else { throw tree.fault("needs '\(key)'") }
            return node
        }
        var webhookSecrets: [Secret] = []
        for node in try members["webhook_secrets"]?.list() ?? [] { webhookSecrets.append(try secrets.secret(node)) }
        var named: [String: Secret] = [:]
        for (key, node) in try members["secrets"]?.members() ?? [:] { named[key] = try secrets.secret(node) }
        var perMinute: Int?
        if let node = members["requests_per_minute"] { perMinute = Int(try node.integer(in: 1...1_000_000)) }
        var since: Timestamp?
        if let node = members["since"] {
            guard let moment = Timestamp(try node.string()) else {
                throw node.fault("must be a moment such as 2026-08-10T00:00:00Z")
            }
            since = moment
        }
        var options: [String: String] = [:]
        for (key, node) in try members["options"]?.members() ?? [:] { options[key] = try node.string() }
        if let base = members["api_base"], !(try base.string().hasPrefix("https://")) {
            throw base.fault("must start with https://")
        }
        return SourceConfiguration(
            name: name, provider: try need("provider").string(),
            environment: try need("environment").word(Environment.self),
            life: try members["life"]?.word(Life.self) ?? .active, succeeds: try members["succeeds"]?.string(),
            beneath: try members["beneath"]?.string(),
            creditPolicy: try members["credit_policy"]?.word(CreditPolicy.self) ?? creditPolicy,
            apiBase: try members["api_base"]?.string(),
            apiKey: try secrets.secret(need("api_key")), secrets: named, webhookSecrets: webhookSecrets,
            webhookSecretTable: try members["webhook_secret_table"].map { node throws(ConfigurationError) in
                try SecretTableConfiguration.read(node, secrets: secrets)
            },
            unsignedCounts: try members["webhook_signature"]?.word(SourceConfiguration.Signature.self)
                == SourceConfiguration.Signature.none,
            retainsAll: try members["retain"]?.word(SourceConfiguration.Retention.self) == .full,
            webhookURLs: try members["webhook_urls"]?.strings() ?? [],
            caFile: try members["ca_file"].map { node throws(ConfigurationError) in secrets.path(try node.string()) },
            lookBackSeconds: try members["look_back"]?.duration() ?? 10 * 86_400,
            settleLagSeconds: try members["settle_lag"]?.duration() ?? 15 * 60,
            sweep: try members["sweep"]?.word(PollSettings.Sweep.self) ?? .slice,
            maxAgeSeconds: try members["max_age"]?.duration() ?? 26 * 3600,
            requestsPerMinute: perMinute,
            pageLimit: Int(try members["page_limit"]?.integer(in: 1...1000) ?? 100),
            stallSeconds: try members["stall_after"]?.positiveDuration(),
            requestSeconds: try members["request_timeout"]?.positiveDuration(), since: since, options: options)
    }
}

extension TermConfiguration {
    fileprivate static func read(_ tree: ConfigurationTree) throws(ConfigurationError) -> TermConfiguration {
        let members = try tree.object(
            known: [
                "source", "provider", "payment_method", "direction", "currency", "amount", "unit", "cut_off", "zone",
                "calendars",
            ])
        guard let amount = members["amount"], let unit = members["unit"] else {
            throw tree.fault("needs 'amount' and 'unit'")
        }
        if let node = members["cut_off"] { _ = try ClockText.seconds(node) }
        return TermConfiguration(
            source: try members["source"]?.string(), provider: try members["provider"]?.string(),
            paymentMethod: try members["payment_method"]?.string(),
            direction: try members["direction"]?.word(Direction.self), currency: try members["currency"]?.string(),
            amount: Int(try amount.integer(in: 0...100_000)), unit: try unit.word(Term.Unit.self),
            cutOff: try members["cut_off"]?.string(),
            zone: try members["zone"]?.string(), calendars: try members["calendars"]?.string())
    }
}

/// Names that stand in folder names, subjects and logs.
enum Names {
    static let rule = "a name has letters, digits, '-', '_' and '.', begins with a letter or digit, up to 64"

    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
        func isPlain(_ byte: UInt8) -> Bool {
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        }
        return isPlain(first)
            && text.utf8.allSatisfy {
                isPlain($0) || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
            }
    }
}

/// `16:00` or `00:00:00`.
enum ClockText {
    static func seconds(_ node: ConfigurationTree) throws(ConfigurationError) -> Int64 {
        let parts = try node.string().split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2 || parts.count == 3, let hour = parts[0], let minute = parts[1], (0..<24).contains(hour),
            (0..<60).contains(minute), let second = parts.count == 3 ? parts[2] : 0, (0..<60).contains(second)
        else { throw node.fault("must be a time of day such as 16:00") }
        return hour * 3600 + minute * 60 + second
    }
}
