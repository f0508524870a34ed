import Foundation
import Loading
import Payments
import Postgres
import Providers

/// Loads order-book files, settlement files, then webhook captures: those of the command line, else those of the
/// configuration.
struct LoadStep {
    let run: AccountRun
    let context: LoadContext
    let sources: SourceSet
    let connection: Connection

    func perform() throws {
        let arguments = run.workspace.arguments
        let orders = run.inputs?.orders ?? run.account.orders
        let webhooks = run.inputs?.webhooks ?? run.account.webhooks
        let coversUntil = try arguments.moment("covers-until")
        for path in try orders.flatMap(Self.bookFiles) {
            var options = BookOptions()
            options.exportedAt = try arguments.moment("exported-at")
            options.coversUntil = coversUntil
            options.encoding = try arguments.value("encoding") ?? options.encoding
            options.isComplete = arguments.has("complete")
            options.baseSource = try arguments.value("source")
            let outcome = try BookLoader(context, connection).load(path: path, options: options)
            note(outcome, feed: "book", path: path)
        }
        if run.inputs == nil {
            for query in run.account.orderInputs.queries {
                try ask(query, feed: "book") { try BookLoader(context, connection).load(query) }
            }
        }
        try loadSettlements()
        let endpoints = try sources.webhookEndpoints()
        // Without a file too: what waits for a key is judged again, or cut when its time is over.
        if !webhooks.isEmpty || !endpoints.isEmpty {
            let loader = WebhookHistoryLoader(context, connection, sources: endpoints)
            let source = webhooks.isEmpty ? nil : try arguments.value("source")
            try unlessOutOfReach(feed: "webhook") {
                let outcome = try loader.load(paths: webhooks, source: source, coversUntil: coversUntil)
                if !webhooks.isEmpty || outcome.records > 0 {
                    note(outcome, feed: "webhook", path: webhooks.joined(separator: ", "))
                }
            }
            if run.inputs == nil {
                for query in run.account.webhookInputs.queries {
                    try ask(query, feed: "webhook") { try loader.load(queries: [query]) }
                }
            }
        }
    }

    private func loadSettlements() throws {
        let arguments = run.workspace.arguments
        let loader = SettlementLoader(context, connection)
        for input in try Self.settlements(run.account, run.inputs?.settlements, arguments) {
            var options = input.options
            options.exportedAt = try arguments.moment("exported-at")
            options.coversUntil = try arguments.moment("covers-until")
            note(
                try loader.load(path: input.path, as: input.name, options: options), feed: "settlement",
                path: input.path)
        }
    }

    /// The settlement files of the command line, else of the configuration, each with how it is written.
    static func settlements(
        _ account: AccountConfiguration, _ paths: [String]?, _ arguments: Arguments
    ) throws -> [SettlementInput] {
        guard let paths else { return try SettlementInput.configured(account) }
        if paths.isEmpty { return [] }
        return try SettlementInput.named(paths, account, try settlementOptions(account, arguments))
    }

    /// `--source`, `--encoding` and `--decimal`; what is not said is as for the source's files in the configuration.
    private static func settlementOptions(
        _ account: AccountConfiguration, _ arguments: Arguments
    ) throws -> SettlementOptions {
        let names = account.sources.map(\.name)
        guard let source = try arguments.value("source") ?? (names.count == 1 ? names[0] : nil) else {
            throw OperatorError.usage(
                "load settlements needs --source, since the account '\(account.name)' has several sources",
                advice: "sources: \(names.joined(separator: ", "))")
        }
        guard names.contains(source) else {
            throw OperatorError.usage("there is no source '\(Terminal.safe(source))'")
        }
        var options =
            account.settlements.first { $0.options.source == source }?.options ?? SettlementOptions(source: source)
        options.encoding = try arguments.value("encoding") ?? options.encoding
        options.decimal = try arguments.word("decimal", SettlementOptions.DecimalMark.self) ?? options.decimal
        return options
    }

    /// A database that cannot be reached tonight leaves its feed behind; everything else goes on.
    private func ask(_ query: MerchantQuery, feed: String, _ load: () throws -> LoadOutcome) throws {
        try unlessOutOfReach(feed: feed) {
            do {
                note(try load(), feed: feed, path: query.name)
            } catch let fault as LoadFault where fault.kind == .unreadable {
                run.log(.error, "query failed", [("feed", feed), ("message", fault.message)])
                run.conditions.insert(.incomplete)
            }
        }
    }

    /// Without the secrets of payments no event is judged: the files stay as they are, and are read again next time.
    private func unlessOutOfReach(feed: String, _ load: () throws -> Void) throws {
        do { try load() } catch let fault as LoadFault where fault.kind == .noSecrets {
            run.log(.error, "secrets out of reach", [("feed", feed), ("message", fault.message)])
            run.conditions.insert(.incomplete)
        }
    }

    private func note(_ outcome: LoadOutcome, feed: String, path: String) {
        run.log(
            outcome.quarantined > 0 ? .warning : .info, "loaded",
            [
                ("feed", feed), ("path", path), ("files", String(outcome.files)),
                ("skipped", String(outcome.skippedFiles)),
                ("records", String(outcome.records)), ("new", String(outcome.new)),
                ("changed", String(outcome.changed)),
                ("unchanged", String(outcome.unchanged)), ("duplicates", String(outcome.duplicates)),
                ("superseded", String(outcome.superseded)), ("quarantined", String(outcome.quarantined)),
            ])
        if outcome.newlyQuarantined > 0 { run.conditions.insert(.quarantined) }
    }

    /// A folder stands for its `.csv` and `.csv.gz` files in the order of their names; a missing folder of the
    /// configuration is an error, an empty one is not.
    static func bookFiles(_ path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
        else {
            return [path]
        }
        return try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".csv") || $0.hasSuffix(".csv.gz") }.sorted().map { path + "/" + $0 }
    }
}

extension SourceSet {
    /// The sources that get webhooks, with the addresses they were captured at. Throws a `LoadFault` where a file of
    /// secrets cannot be read.
    func webhookEndpoints() throws -> [WebhookSource] {
        try all.compactMap { source in
            let configuration = source.configuration
            let lookUp = try configuration.webhookSecretTable?.lookUp()
            return source.provider.webhooks.map {
                WebhookSource(
                    id: source.name, scheme: $0, urls: configuration.webhookURLs,
                    unsignedCounts: configuration.unsignedCounts, retainsAll: configuration.retainsAll, lookUp: lookUp)
            }
        }
    }
}
