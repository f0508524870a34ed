import Foundation
import HTTP
import Loading
import Payments
import Postgres
import Providers
import SandboxSupport
import TestSupport

@testable import JobRunner
@testable import Sandbox

/// One provider as a job would poll it (configuration, credentials, signing, budget), before its simulated API in this
/// process, with a database of its own. Each night is one run.
final class ConformanceBench {
    let api: SimulatedAPI
    let wire: Wire
    let source: PreparedSource
    let connection: Connection
    private let account: AccountConfiguration
    private let folder: String
    private let database: TestDatabase
    private var run: Int64 = 0
    private var loaded = 0

    /// `switches`: assumptions of the fact sheet turned round; `wrongSecrets`: other credentials than the API takes.
    init(
        _ provider: String, misbehaviour: String = "", switches: [String: String] = [:],
        wrongSecrets: Bool = false
    ) throws {
        let setup = try Setup(provider, switches: switches, wrongSecrets: wrongSecrets)
        folder = setup.folder
        account = setup.account
        source = try SourceSet(account: account, root: Checkout.root).all[0]
        let time = VirtualTime()
        api = try required(
            SimulatedAPI(
                world: setup.world, source: source.name, misbehaviour: try Misbehaviour(misbehaviour),
                wall: { time.wall }), "the source")
        wire = Wire(api, time, prepare: source.preparer(time.clock))
        database = try TestDatabase.make()
        connection = try database.connection()
        try register()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func register() throws {
        let sql = SQLLibrary(root: Checkout.root)
        try connection.execute(
            sql.text("SQL/jobs/set_account.sql"),
            [.int(account.id), .text(account.name), .text(account.zone), .int(account.cutOffSeconds)])
        try connection.execute(
            sql.text("SQL/jobs/set_source.sql"),
            [
                .int(account.id), .text(source.name), .text(source.configuration.provider),
                .text(source.configuration.environment.rawValue), .text(source.configuration.life.rawValue),
                .text(source.configuration.succeeds), .text(source.configuration.beneath),
                .text(source.provider.declaration.settlesTo.rawValue), .json(source.declarationJSON),
                .timestamp(api.world.shape.night(1)),
            ])
    }

    /// Ledger time of night `number`, `later` seconds after it.
    func moment(_ number: Int, later: Int64 = 0) -> Timestamp {
        api.world.shape.night(number).adding(seconds: later)
    }

    /// The files of a night are loaded, then the source is polled.
    @discardableResult
    func night(_ number: Int, later: Int64 = 0, stop: StopFlag = StopFlag()) async throws -> PollOutcome {
        run += 1
        api.set(now: moment(number))
        let context = LoadContext(
            account: account.id, run: run, clock: LedgerClock(fixed: moment(number, later: later)),
            fence: Fence(account: account.id, number: nil), sql: SQLLibrary(root: Checkout.root), log: { _ in })
        while loaded < number {
            loaded += 1
            _ = try BookLoader(context, connection).load(path: "\(folder)/orders-night\(loaded).csv")
            let endpoints = try endpoints()
            if !endpoints.isEmpty {
                _ = try WebhookHistoryLoader(context, connection, sources: endpoints).load(
                    paths: ["\(folder)/webhooks-night\(loaded)"])
            }
        }
        let behind = try WebhookHistoryLoader.idsBehind(
            connection, account: account.id, source: source.name, sql: context.sql, unsignedCounts: false)
        var handle = source.handle
        handle.settings.sweep = .off
        let poller = Poller(
            source: handle, context: context, connection: connection, fetcher: wire.fetcher(),
            machine: wire.time.runner)
        return try await poller.poll(rereads: behind, stop: stop)
    }

    func endpoints() throws -> [WebhookSource] {
        try source.provider.webhooks.map { scheme in
            [
                WebhookSource(
                    id: source.name, scheme: scheme, urls: source.configuration.webhookURLs,
                    unsignedCounts: false, retainsAll: false,
                    lookUp: try source.configuration.webhookSecretTable?.lookUp())
            ]
        } ?? []
    }

    func count(_ table: String, _ condition: String = "true") throws -> Int {
        Int(try connection.query("select count(*) as n from tieout.\(table) where \(condition)").only().int("n"))
    }

    /// Ids held of one resource.
    func held(_ resource: String) throws -> [String] {
        try connection.query(
            "select transaction_id from tieout.transaction where resource = $1", [.text(resource)]
        ).map { try $0.text(0) }
    }

    /// Payments held whose status is not the one that the API shows, and rows that are missing or that nobody shows;
    /// empty where all is right. What cannot be taken in may be missing.
    func differences() throws -> [String] {
        var found: [String] = []
        for resource in source.provider.resources {
            let shown = Set(api.ids(resource.name))
            let held = Set(try held(resource.name))
            let spoilt = resource.name == "transaction" ? Set(api.source.quarantined) : []
            found += shown.subtracting(held).subtracting(spoilt).sorted().map { "lost \(resource.name) \($0)" }
            found += held.subtracting(shown).sorted().map { "strange \(resource.name) \($0)" }
        }
        let rows = try connection.query(
            "select transaction_id, raw_status from tieout.transaction where resource = 'transaction'")
        var statuses: [String: String] = [:]
        for row in rows { statuses[try row.text(0)] = try row.text(1) }
        for payment in api.shown() {
            guard let status = statuses[payment.id], status != payment.status else { continue }
            found.append("stale \(payment.id): \(status) is \(payment.status)")
        }
        return found
    }
}

/// What a check cannot do without.
struct Missing: Error, CustomStringConvertible {
    let description: String
}

func required<Value>(_ value: Value?, _ what: String) throws -> Value {
    guard let value else { throw Missing(description: "\(what) is missing") }
    return value
}
