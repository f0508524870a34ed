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

    /// Secrets of Meld's made-up account, and the token of the sandbox's own controls. They follow from the seed like
    /// everything else, and open nothing but the sandbox.
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

    /// Writes the control token; the secrets of accounts are their source's.
    package func write(_ secrets: Secrets) throws {
        try write("secrets/control-token", Array("\(secrets.control.reveal())\n".utf8), isSecret: true)
    }

    /// Writes what a client of the source needs: its credentials, and a table where each payment has a secret of its own.
    func writeSecrets(of provider: any SimulatedProvider) throws {
        let source = provider.source
        for slot in source.profile.secrets where slot.role != .server {
            try write(Self.file(of: slot, source), Array("\(source.secret(slot.name).reveal())\n".utf8), isSecret: true)
        }
        guard source.profile.hasPaymentSecrets else { return }
        var table = Array("reference,secret\n".utf8)
        for trade in source.trades {
            table += Array("\(trade.id),\(provider.webhookSecret(of: trade).reveal())\n".utf8)
        }
        try write(Self.table(of: source), table, isSecret: true)
    }

    /// Meld's secrets lie on top, everybody else's in a folder of the source.
    private static func file(of slot: ProviderProfile.SecretSlot, _ source: SimulatedSource) -> String {
        source.name == Names.source ? "secrets/\(slot.name)" : "secrets/\(source.name)/\(slot.name)"
    }

    private static func table(of source: SimulatedSource) -> String { "secrets/\(source.name)/payment-secrets.csv" }

    // MARK: plan

    /// sandbox.txt: what the world was generated from, one `name value` a line.
    func write(_ plan: WorldPlan) throws {
        var text = """
            seed \(plan.shape.seed)
            transactions \(plan.shape.transactions)
            days \(plan.shape.days)
            nights \(plan.shape.nights)
            providers \(plan.providers.joined(separator: ","))

            """
        if !plan.beneath.isEmpty { text += "beneath \(plan.beneath.joined(separator: ","))\n" }
        for (provider, switches) in plan.switches.sorted(by: { $0.key < $1.key }) {
            for (name, value) in switches.sorted(by: { $0.key < $1.key }) {
                text += "switch \(provider).\(name)=\(value)\n"
            }
        }
        try write("sandbox.txt", Array(text.utf8))
    }

    /// The plan that the directory was generated from; nil where nothing was, or where nobody can read it.
    package func plan() -> WorldPlan? {
        guard let bytes = read("sandbox.txt") else { return nil }
        var values: [String: [String]] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let pair = line.split(separator: " ")
            if pair.count == 2 { values[String(pair[0]), default: []].append(String(pair[1])) }
        }
        func number(_ name: String) -> UInt64? { values[name]?.first.flatMap { UInt64($0) } }
        guard let seed = number("seed"), let transactions = number("transactions"), let days = number("days"),
            let nights = number("nights")
        else { return nil }
        let shape = WorldShape(seed: seed, transactions: Int(transactions), days: Int(days), nights: Int(nights))
        let switches = (values["switch"] ?? []).joined(separator: ",")
        return WorldPlan(
            shape, providers: (try? WorldPlan.providers(values["providers"]?.first ?? "")) ?? [Names.provider],
            beneath: (try? WorldPlan.providers(values["beneath"]?.first ?? "")) ?? [],
            switches: (try? WorldPlan.switches(switches)) ?? [:])
    }

    /// The shape alone.
    package func shape() -> WorldShape? { plan()?.shape }

    // MARK: configuration

    /// tieout.json5 for this directory and the ports of the sources, in their order: paths are relative to the file.
    package func writeConfiguration(_ world: World, ports: [Int]) throws {
        var lines = [
            "// Written by tieout-sandbox. The APIs answer at these addresses while `tieout-sandbox serve` runs.", "{",
            "    reports: \"reports\",", "    accounts: {", "        \(Names.account): {", "            zone: \"UTC\",",
            "            credit_policy: \"on_settled\",", "            orders: [\"inbox/orders\"],",
            "            webhooks: [\"inbox/webhooks\"],",
        ]
        let filing = world.sources.filter { Self.files($0.simulator.init($0)) }
        if !filing.isEmpty {
            lines.append("            settlements: [")
            for source in filing {
                lines.append(
                    "                {path: \"inbox/settlements/\(source.name)\", source: \"\(source.name)\"},")
            }
            lines.append("            ],")
        }
        lines.append("            sources: {")
        for (source, port) in zip(world.sources, ports) { lines += configuration(of: source, port: port) }
        lines.append("            },")
        lines.append("            terms: [")
        for source in world.sources {
            for term in source.profile.terms {
                lines.append("                {source: \"\(source.name)\", \(term.members)},")
            }
        }
        lines += ["            ],", "        },", "    },", "}", ""]
        try write("tieout.json5", Array(lines.joined(separator: "\n").utf8))
    }

    /// Whether the provider settles by files.
    private static func files(_ provider: any SimulatedProvider) -> Bool {
        (1...provider.source.shape.nights).contains { !provider.settlementFiles(night: $0).isEmpty }
    }

    /// The same for a directory whose first source answers on `port`.
    package func writeConfiguration(port: Int) throws {
        guard let plan = plan() else { throw UsageError("\(directory) holds no world") }
        try writeConfiguration(plan.world, ports: [port])
    }

    private func configuration(of source: SimulatedSource, port: Int) -> [String] {
        // Nobody is spared by going slowly here; a real provider asks for one or two requests a second.
        let budget = 600_000
        func files(_ role: ProviderProfile.SecretSlot.Role) -> [(name: String, file: String)] {
            source.profile.secrets.filter { $0.role == role }.map { ($0.name, Self.file(of: $0, source)) }
        }
        var members = [
            "provider: \"\(source.provider)\"", "environment: \"\(source.profile.environment)\"",
            "api_base: \"https://localhost:\(port)\"",
        ]
        members += files(.apiKey).map { "api_key: {file: \"\($0.file)\"}" }
        let named = files(.named).map { "\($0.name): {file: \"\($0.file)\"}" }
        if !named.isEmpty { members.append("secrets: {\(named.joined(separator: ", "))}") }
        let keys = files(.webhook).map { "{file: \"\($0.file)\"}" }
        if !keys.isEmpty { members.append("webhook_secrets: [\(keys.joined(separator: ", "))]") }
        if source.profile.hasPaymentSecrets {
            members.append("webhook_secret_table: {file: \"\(Self.table(of: source))\"}")
        }
        members += [
            "webhook_urls: [\"\(source.webhookURL)\"]", "ca_file: \"tls/ca.pem\"", "requests_per_minute: \(budget)",
        ]
        // How often the one above gives it something to carry out is not in its hands.
        if let above = source.beneath { members += ["beneath: \"\(above)\"", "max_age: \"30 days\""] }
        // A settlement is a day old when it comes.
        if Self.files(source.simulator.init(source)) { members.append("max_age: \"3 days\"") }
        members += source.profile.configuration(source)
        let indent = String(repeating: " ", count: 16)
        return ["\(indent)\"\(source.name)\": {"] + members.map { "\(indent)    \($0)," } + ["\(indent)},"]
    }
}
