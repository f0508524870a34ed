import Foundation
import Loading
import Payments
import Postgres
import Providers

/// Loads order-book files, then webhook captures: those of the command line, else those of the configuration.
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
        let endpoints = sources.webhookEndpoints
        // Without a file too: what waits for a key is judged again, or cut when its time is over.
        if !webhooks.isEmpty || !endpoints.isEmpty {
            let loader = WebhookHistoryLoader(context, connection, sources: endpoints)
            let outcome = try loader.load(
                paths: webhooks, source: webhooks.isEmpty ? nil : try arguments.value("source"),
                coversUntil: coversUntil)
            if webhooks.isEmpty, outcome.records == 0 { return }
            note(outcome, feed: "webhook", path: webhooks.joined(separator: ", "))
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
                ("quarantined", String(outcome.quarantined)),
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
    /// The sources that get webhooks, with the addresses they were captured at.
    var webhookEndpoints: [WebhookSource] {
        all.compactMap { source in
            source.provider.webhooks.map {
                WebhookSource(id: source.name, scheme: $0, urls: source.configuration.webhookURLs)
            }
        }
    }
}
