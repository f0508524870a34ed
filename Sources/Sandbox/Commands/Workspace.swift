import Foundation
package import Payments

/// A directory that holds one generated world: its files, secrets, certificates and a configuration for Tieout.
package struct Workspace: Sendable {
    package let directory: String

    package init(directory: String) {
        let url = URL(fileURLWithPath: directory).standardizedFileURL
        self.directory = url.path
    }

    package func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Writes a file whole, so that nobody ever reads half of it. `isSecret`: readable by its owner alone.
    package func write(_ name: String, _ bytes: [UInt8], isSecret: Bool = false) throws {
        try write(absolute: path(name), bytes, isSecret: isSecret)
    }

    /// The same for a file anywhere.
    package func write(absolute path: String, _ bytes: [UInt8], isSecret: Bool = false) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(
            atPath: folder.isEmpty ? "." : folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: isSecret ? 0o700 : 0o755])
        let part = path + ".part"
        try? FileManager.default.removeItem(atPath: part)
        guard
            FileManager.default.createFile(
                atPath: part, contents: Data(bytes), attributes: [.posixPermissions: isSecret ? 0o600 : 0o644])
        else { throw UsageError("\(path) cannot be written") }
        guard rename(part, path) == 0 else { throw UsageError("\(path) cannot be written") }
    }

    package func read(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path(name)).map { Array($0) }
    }

    // MARK: secrets

    /// Secrets of a made-up account follow from the seed like everything else; they open nothing but the sandbox.
    package struct Secrets: Sendable {
        package let apiKey: Secret
        package let webhook: Secret
        package let control: Secret

        package init(seed: UInt64) {
            var random = Randomness(seed: seed, 8)
            apiKey = Secret("\(Identifiers.meld(&random)):\(Identifiers.base58(32, &random))")
            webhook = Secret(Identifiers.base58(28, &random))
            control = Secret(Identifiers.base58(32, &random))
        }
    }

    package func write(_ secrets: Secrets) throws {
        try write("secrets/api-key", Array("\(secrets.apiKey.reveal())\n".utf8), isSecret: true)
        try write("secrets/webhook-secret", Array("\(secrets.webhook.reveal())\n".utf8), isSecret: true)
        try write("secrets/control-token", Array("\(secrets.control.reveal())\n".utf8), isSecret: true)
    }

    // MARK: shape

    /// sandbox.txt: what the world was generated from, one `name value` a line.
    package func write(_ shape: WorldShape) throws {
        let text = """
            seed \(shape.seed)
            transactions \(shape.transactions)
            days \(shape.days)
            nights \(shape.nights)

            """
        try write("sandbox.txt", Array(text.utf8))
    }

    /// The shape the directory was generated from; nil where nothing was.
    package func shape() -> WorldShape? {
        guard let bytes = read("sandbox.txt") else { return nil }
        var values: [String: UInt64] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let pair = line.split(separator: " ")
            if pair.count == 2 { values[String(pair[0])] = UInt64(pair[1]) }
        }
        guard let seed = values["seed"], let transactions = values["transactions"], let days = values["days"],
            let nights = values["nights"]
        else { return nil }
        return WorldShape(seed: seed, transactions: Int(transactions), days: Int(days), nights: Int(nights))
    }

    // MARK: configuration

    /// tieout.json5 for this directory and port: paths are relative to the file.
    package func writeConfiguration(port: Int) throws {
        // Nobody is spared by going slowly here; a real provider asks for one or two requests a second.
        let budget = 600_000
        let text = """
            // Written by tieout-sandbox. The API answers at this address while `tieout-sandbox serve` runs.
            {
                reports: "reports",
                accounts: {
                    \(Names.account): {
                        zone: "UTC",
                        credit_policy: "on_settled",
                        orders: ["inbox/orders"],
                        webhooks: ["inbox/webhooks"],
                        sources: {
                            "\(Names.source)": {
                                provider: "meld",
                                environment: "sandbox",
                                api_base: "https://localhost:\(port)",
                                api_key: {file: "secrets/api-key"},
                                webhook_secrets: [{file: "secrets/webhook-secret"}],
                                webhook_urls: ["\(Names.webhookURL)"],
                                ca_file: "tls/ca.pem",
                                requests_per_minute: \(budget),
                                options: {meld_version: "\(Names.version)", account_id_expected: "\(Deliveries.account)"},
                            },
                        },
                        terms: [
                            {source: "\(Names.source)", amount: 24, unit: "hours"},
                            {source: "\(Names.source)", payment_method: "SEPA", amount: 3, unit: "business_days"},
                            {source: "\(Names.source)", payment_method: "ACH", amount: 5, unit: "business_days"},
                        ],
                    },
                },
            }

            """
        try write("tieout.json5", Array(text.utf8))
    }
}
