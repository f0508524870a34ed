import Foundation
import Loading
import Payments
import Postgres
import Reconciling
import Sandbox
import TestSupport

@testable import JobRunner

/// One account with three sources, each a world and a server of its own; the first has the book and the webhooks too.
final class ThreeSources {
    static let names = ["meld-sandbox", "meld-two", "meld-three"]
    let folder: String
    let database: TestDatabase
    let shapes: [WorldShape]
    private let apis: [SimulatedAPI]
    private let servers: [HTTPServer]
    private let controls: [Secret]

    init() throws {
        folder = NSTemporaryDirectory() + "tieout-sources-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let workspace = Sandbox.Workspace(directory: folder)
        _ = try Generate.run(["--seed", "7", "--transactions", "160", "--providers", "meld", "--output", folder])
        shapes = (0..<3).map { place in
            var shape = WorldShape(seed: UInt64(7 + place), transactions: 160)
            shape.firstOrder = place * 1_000_000
            return shape
        }
        let certificates = try Certificates(directory: folder)
        let secrets = shapes.map { Sandbox.Workspace.Secrets(seed: $0.seed) }
        controls = secrets.map(\.control)
        apis = zip(shapes, secrets).map {
            SimulatedAPI(world: World($0), apiKey: $1.apiKey, controlToken: $1.control, now: $0.night(1))
        }
        servers = try apis.map { try HTTPServer(api: $0, certificates: certificates, port: 0) }
        database = try TestDatabase.make(templateName: "nights") { try ReferenceData.load(on: $0, root: $1) }
        try workspace.write("secrets/database", Array(database.conninfo.utf8), isSecret: true)
        for (place, secret) in secrets.enumerated() {
            try workspace.write("secrets/key-\(place)", Array(secret.apiKey.reveal().utf8), isSecret: true)
        }
        for inbox in ["inbox/orders", "inbox/webhooks"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(inbox)", withIntermediateDirectories: true)
        }
        try workspace.write("tieout.json5", Array(configuration.utf8))
    }

    deinit {
        servers.forEach { $0.stop() }
        database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private var configuration: String {
        let sources = servers.enumerated().map { place, server in
            """
            "\(Self.names[place])": {
                provider: "meld", environment: "sandbox", api_base: "https://localhost:\(server.port)",
                api_key: {file: "secrets/key-\(place)"}, ca_file: "tls/ca.pem", requests_per_minute: 600000,
                webhook_secrets: [{file: "secrets/webhook-secret"}],
                webhook_urls: ["\(place == 0 ? Names.webhookURL : "https://recon.example.com/hooks/\(place)")"],
                options: {meld_version: "\(Names.version)"},
            }
            """
        }
        return """
            {
                reports: "reports", database: {file: "secrets/database"},
                accounts: {
                    \(Names.account): {
                        zone: "UTC", orders: ["inbox/orders"], webhooks: ["inbox/webhooks"],
                        sources: {\(sources.joined(separator: ", "))},
                        terms: [{amount: 24, unit: "hours"}],
                    },
                },
            }
            """
    }

    /// The key that source `place` is asked with from now on.
    func setKey(_ place: Int, _ key: String) throws {
        try Sandbox.Workspace(directory: folder).write("secrets/key-\(place)", Array(key.utf8), isSecret: true)
    }

    func rightKey(_ place: Int) -> String { Sandbox.Workspace.Secrets(seed: shapes[place].seed).apiKey.reveal() }

    /// The first source's files of night `number` arrive, and every provider's clock moves on.
    func arrive(_ number: Int) throws {
        try FileManager.default.copyItem(
            atPath: "\(folder)/orders-night\(number).csv", toPath: "\(folder)/inbox/orders/night\(number).csv")
        for name in ["capture-a.jsonl", "capture-b.jsonl.gz"] {
            try FileManager.default.copyItem(
                atPath: "\(folder)/webhooks-night\(number)/\(name)",
                toPath: "\(folder)/inbox/webhooks/night\(number)-\(name)")
        }
        for place in apis.indices { setClock(place, shapes[place].night(number)) }
    }

    /// What the provider of source `place` takes for now; long ago it has no row at all.
    func setClock(_ place: Int, _ moment: Timestamp) {
        _ = apis[place].answer(
            APIRequest(
                method: "POST", path: "/_sandbox/clock",
                headers: ["x-sandbox-token": controls[place].reveal(), "content-type": "application/json"],
                body: Array("{\"now\":\"\(moment)\"}".utf8)))
    }

    func night(_ number: Int, later: Int64 = 0, _ options: String...) async -> SimulatedNights.Result {
        let now = shapes[0].night(number).adding(seconds: later).description
        let output = SimulatedNights.Output()
        let errors = SimulatedNights.Output()
        let arguments = ["--config", folder + "/tieout.json5", "--root", Checkout.root, "run", "nightly", "--now", now]
        let status = await CommandLineTool.run(
            arguments: arguments + options, executable: "/none", environment: [:], stop: StopFlag(),
            machineClock: { Timestamp(seconds: 1_800_000_000) }, output: { output.add($0) }, errors: { errors.add($0) })
        return SimulatedNights.Result(status: status, output: output.all, errors: errors.all)
    }

    /// A file of the newest report.
    func report(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/reports/\(Names.account)/nightly/latest/\(name)", encoding: .utf8)
    }

    func text(_ sql: String) throws -> [String] {
        try database.connection().query(sql).map { try $0.optionalText(0) ?? "-" }
    }
}
