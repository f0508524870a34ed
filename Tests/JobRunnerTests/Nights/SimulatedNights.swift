import Foundation
import Loading
import Payments
import Postgres
import Reconciling
import Sandbox
import Synchronization
import TestSupport

@testable import JobRunner

/// A sandbox world served over TLS in this process, a database of its own, and the whole command line before them.
final class SimulatedNights {
    let folder: String
    /// Where SQL, Reports and Jobs lie.
    var root = Checkout.root
    let database: TestDatabase
    let shape: WorldShape
    private let clock: SandboxClock
    private var servers: [HTTPServer] = []

    /// The sandbox wrote no world that it can read.
    private struct NothingGenerated: Error {}

    /// What a command wrote.
    final class Output: Sendable {
        private let text = Mutex("")
        func add(_ part: String) { text.withLock { $0 += part } }
        var all: String { text.withLock { $0 } }
    }

    init(
        transactions: Int = 250, nights: Int = 3, seed: UInt64 = 7, misbehaviour: Misbehaviour = Misbehaviour(),
        apiKey: String? = nil, providers: [String] = [Names.provider], switched: String? = nil
    ) throws {
        folder = NSTemporaryDirectory() + "tieout-nights-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let workspace = Sandbox.Workspace(directory: folder)
        let switches = switched.map { ["--switch", $0] } ?? []
        _ = try Generate.run(
            [
                "--seed", String(seed), "--transactions", String(transactions), "--days", "10", "--nights",
                String(nights), "--providers", providers.joined(separator: ","), "--output", folder,
            ] + switches)
        guard let world = workspace.plan()?.world else { throw NothingGenerated() }
        shape = world.shape
        clock = SandboxClock(shape.night(1))
        let certificates = try Certificates(directory: folder)
        for source in world.sources {
            guard
                let api = SimulatedAPI(world: world, source: source.name, clock: clock, misbehaviour: misbehaviour)
            else { throw NothingGenerated() }
            servers.append(try HTTPServer(api: api, certificates: certificates, port: 0))
        }
        try workspace.writeConfiguration(world, ports: servers.map(\.port))
        database = try TestDatabase.make(templateName: "nights") { try ReferenceData.load(on: $0, root: $1) }
        try workspace.write("secrets/database", Array(database.conninfo.utf8), isSecret: true)
        if let apiKey { try workspace.write("secrets/api-key", Array(apiKey.utf8), isSecret: true) }
        let settled = world.sources.map(\.name).filter { name in
            (1...nights).contains {
                FileManager.default.fileExists(atPath: "\(folder)/settlements-night\($0)/\(name)")
            }
        }
        for inbox in ["inbox/orders", "inbox/webhooks"] + settled.map({ "inbox/settlements/\($0)" }) {
            try FileManager.default.createDirectory(atPath: path(inbox), withIntermediateDirectories: true)
        }
        let configuration = try String(contentsOfFile: path("tieout.json5"), encoding: .utf8)
            .replacing("reports: \"reports\",", with: "reports: \"reports\", database: {file: \"secrets/database\"},")
        try configuration.write(toFile: path("tieout.json5"), atomically: true, encoding: .utf8)
    }

    deinit {
        servers.forEach { $0.stop() }
        database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String) -> String { folder + "/" + name }

    /// The files of night `number` arrive, and the providers' clock moves on.
    func arrive(_ number: Int) throws {
        try FileManager.default.copyItem(
            atPath: path("orders-night\(number).csv"), toPath: path("inbox/orders/night\(number).csv"))
        let captures = path("webhooks-night\(number)")
        for name in try FileManager.default.contentsOfDirectory(atPath: captures) {
            try FileManager.default.copyItem(
                atPath: "\(captures)/\(name)", toPath: path("inbox/webhooks/night\(number)-\(name)"))
        }
        let settlements = path("settlements-night\(number)")
        if FileManager.default.fileExists(atPath: settlements) {
            for name in try FileManager.default.subpathsOfDirectory(atPath: settlements) where name.contains(".") {
                try FileManager.default.copyItem(
                    atPath: "\(settlements)/\(name)", toPath: path("inbox/settlements/\(name)"))
            }
        }
        clock.set(shape.night(number))
    }

    struct Result {
        let status: ExitStatus
        let output: String
        let errors: String
    }

    /// Runs the command line as a shell would.
    func tieout(_ arguments: [String], stop: StopFlag = StopFlag()) async -> Result {
        let output = Output()
        let errors = Output()
        let status = await CommandLineTool.run(
            arguments: ["--config", path("tieout.json5"), "--root", root] + arguments, executable: "/none",
            environment: [:], stop: stop, machineClock: { Timestamp(seconds: 1_800_000_000) },
            output: { output.add($0) }, errors: { errors.add($0) })
        return Result(status: status, output: output.all, errors: errors.all)
    }

    /// The nightly job of night `number`, at its own moment or `later` seconds after it.
    func night(_ number: Int, later: Int64 = 0, stop: StopFlag = StopFlag()) async -> Result {
        await tieout(["run", "nightly", "--now", shape.night(number).adding(seconds: later).description], stop: stop)
    }

    /// What the truth says is missing or unexpected after night `number`; empty where the breaks agree with it.
    func disagreement(_ number: Int) async throws -> [String] {
        let listed = await tieout(["breaks", "list", "--state", "all", "--json"])
        guard let truth = FileManager.default.contents(atPath: path("truth.json")) else { return ["no truth"] }
        let verification = Verification(
            expected: try Verification.expectations(truth: Array(truth), night: number),
            found: try FoundBreak.read(Array(listed.output.utf8)), rules: Set(Verify.usualRules))
        return verification.missing.map { "missing: \($0)" } + verification.unexpected.map { "unexpected: \($0)" }
    }

    func count(_ table: String) throws -> Int64 {
        try database.connection().query("select count(*) as rows from tieout.\(table)").only().int("rows")
    }

    /// One digest over everything a table holds, whatever the order of its rows.
    func contents(_ table: String) throws -> String {
        try database.connection().query(
            "select coalesce(md5(string_agg(t::text, E'\\n' order by t::text collate \"C\")), '') as digest from tieout.\(table) as t"
        ).only().text("digest")
    }
}
