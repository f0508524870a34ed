import Crypto
import Foundation
import HTTP
import JSON
import Loading
import Payments
import Postgres
import Providers

/// One configured source with its provider made.
struct PreparedSource: Sendable {
    let configuration: SourceConfiguration
    let provider: any Provider
    /// What rules read of the source as data (`tieout.source.declaration`).
    let declarationJSON: String
    /// SHA-256 over what decides how its bytes are read: status map, mapping, currencies.
    let reading: [UInt8]

    var name: String { configuration.name }

    /// The resources of which a record can be asked for by its id.
    var readByID: [String] { provider.resources.filter { $0.reader != nil }.map(\.name) }

    var handle: SourceHandle {
        var settings = PollSettings()
        settings.lookBack = configuration.lookBackSeconds
        settings.settleLag = configuration.settleLagSeconds
        settings.backfillFrom = configuration.since
        settings.sweep = configuration.sweep
        return SourceHandle(
            id: name, provider: provider, settings: settings, unsignedCounts: configuration.unsignedCounts)
    }
}

/// All sources of one account, each with its provider.
struct SourceSet: Sendable {
    let all: [PreparedSource]

    /// Makes the providers; a mistake in a source's settings names the source. `learned`: options that rows prove, by
    /// source; what is configured goes before.
    init(account: AccountConfiguration, root: String, learned: LearnedOptions = LearnedOptions()) throws {
        let currencies: CurrencyTable
        let currenciesPath = root + "/" + Catalogue.currenciesPath
        guard let data = FileManager.default.contents(atPath: currenciesPath) else {
            throw OperatorError("no_currencies", "\(currenciesPath) cannot be read", status: .usage)
        }
        do { currencies = try CurrencyTable(currencies: String(decoding: data, as: UTF8.self)) } catch {
            throw OperatorError("currencies", "\(currenciesPath): \(error)", status: .usage)
        }
        all = try account.sources.map { source in
            guard let entry = Catalogue.entry(source.provider) else {
                let known = Catalogue.entries.map(\.name)
                let hint = Suggestion.nearest(to: source.provider, among: known).map { "; did you mean '\($0)'?" } ?? ""
                throw OperatorError(
                    "no_provider", "source '\(source.name)': there is no provider '\(source.provider)'\(hint)",
                    advice: "providers: \(known.sorted().joined(separator: ", "))", status: .usage)
            }
            for option in source.options.keys.sorted() where !entry.optionNames.contains(option) {
                let hint =
                    Suggestion.nearest(to: option, among: entry.optionNames).map { "; did you mean '\($0)'?" } ?? ""
                throw OperatorError(
                    "no_option", "source '\(source.name)': '\(option)' is no option of \(entry.name)\(hint)",
                    advice: "options: \(entry.optionNames.sorted().joined(separator: ", "))", status: .usage)
            }
            for secret in source.secrets.keys.sorted() where !entry.secretNames.contains(secret) {
                let hint =
                    Suggestion.nearest(to: secret, among: entry.secretNames).map { "; did you mean '\($0)'?" } ?? ""
                throw OperatorError(
                    "no_secret", "source '\(source.name)': '\(secret)' is no secret of \(entry.name)\(hint)",
                    advice: entry.secretNames.isEmpty
                        ? "\(entry.name) has `api_key` alone"
                        : "secrets: \(entry.secretNames.sorted().joined(separator: ", "))",
                    status: .usage)
            }
            let path = root + "/" + Catalogue.statusMapPath(entry.name)
            guard let csv = FileManager.default.contents(atPath: path) else {
                throw OperatorError("no_status_map", "\(path) cannot be read", status: .usage)
            }
            let map: StatusMap
            do { map = try StatusMap(csv: String(decoding: csv, as: UTF8.self)) } catch {
                throw OperatorError("status_map", "\(path): \(error)", status: .usage)
            }
            let options = source.options.merging(learned.bySource[source.name] ?? [:]) { own, _ in own }
            let provider: any Provider
            do {
                provider = try entry.make(
                    ProviderOptions(
                        environment: source.environment.rawValue, apiBase: source.apiBase, apiKey: source.apiKey,
                        secrets: source.secrets, webhookSecrets: source.webhookSecrets, options: options),
                    ProviderReference(statusMap: map, currencies: currencies))
            } catch {
                throw OperatorError("source_settings", "source '\(source.name)': \(error)", status: .usage)
            }
            return PreparedSource(
                configuration: source, provider: provider,
                declarationJSON: Self.declaration(provider.declaration, map, source),
                reading: Self.reading(
                    provider, map, currencies: data,
                    options: entry.decisive(options)))
        }
    }

    /// As a run makes them: with what the stored rows prove. `connection` nil: nothing can be looked up yet.
    init(_ account: AccountConfiguration, root: String, on connection: Connection?, sql: SQLLibrary) throws {
        let learned = try connection.map { try LearnedOptions(account, on: $0, sql: sql) } ?? LearnedOptions()
        try self.init(account: account, root: root, learned: learned)
    }

    /// Comments of a status map (its last column) decide nothing.
    private static func reading(
        _ provider: any Provider, _ map: StatusMap, currencies: Data, options: [String: String]
    ) -> [UInt8] {
        var hasher = SHA256Hasher()
        hasher.update(field: type(of: provider).name)
        hasher.update(field: String(type(of: provider).mappingVersion))
        for line in map.text.split(separator: "\n") {
            hasher.update(field: line.lastIndex(of: ",").map { String(line[..<$0]) } ?? String(line))
        }
        hasher.update(Array(currencies))
        // Only where there are any: sources without them keep the digest they had before there were options.
        for (name, value) in options.sorted(by: { $0.key < $1.key }) {
            hasher.update(field: name)
            hasher.update(field: value)
        }
        return hasher.finish()
    }

    private static func declaration(
        _ declared: Declaration, _ map: StatusMap, _ source: SourceConfiguration
    ) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("lists", strings: declared.lists)
            writer.member("reads_by_id", strings: declared.readsByID)
            writer.member("settles_to", declared.settlesTo.rawValue)
            writer.member("event_history", bool: declared.eventHistory)
            writer.member("events_carry_amounts", bool: declared.eventsCarryAmounts)
            writer.member("fees_seen", strings: declared.feesSeen)
            writer.member("event_states", strings: map.announcedStatuses)
            writer.member("shows_returns", declared.showsReturns.rawValue)
            writer.member("shows_disputes", bool: declared.showsDisputes)
            if declared.settledByLines { writer.member("settled_by_lines", bool: true) }
            if declared.showsTags { writer.member("shows_tags", bool: true) }
            if !declared.providerNames.isEmpty {
                writer.object("provider_names") { writer in
                    for (word, name) in declared.providerNames.sorted(by: { $0.key < $1.key }) {
                        writer.member(word, name)
                    }
                }
            }
            writer.member("max_age", integer: source.maxAgeSeconds)
            writer.member("credit_policy", source.creditPolicy.rawValue)
            if source.unsignedCounts { writer.member("signature", "none") }
            if source.sweep == .off { writer.member("sweep", "off") }
        }
        return String(decoding: writer.take(), as: UTF8.self)
    }

    /// The source that `--source` names, or all.
    func named(_ name: String?) throws(OperatorError) -> [PreparedSource] {
        guard let name else { return all }
        guard let source = all.first(where: { $0.name == name }) else {
            let hint = Suggestion.nearest(to: name, among: all.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
            throw .usage("there is no source '\(Terminal.safe(name))'\(hint)")
        }
        return [source]
    }
}
