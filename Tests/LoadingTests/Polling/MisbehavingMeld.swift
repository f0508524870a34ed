import HTTP
import Payments
import Postgres
import Sandbox
import SandboxSupport

@testable import Loading

/// The simulated provider behind our own fetcher, without a socket, in virtual time.
final class MisbehavingMeld: Sendable {
    let api: SimulatedAPI
    let world: World
    let time = VirtualTime()
    private let wire: Wire

    init(_ spec: String = "", transactions: Int = 600, seed: UInt64 = 7) throws {
        world = World(WorldShape(seed: seed, transactions: transactions))
        let time = time
        api = SimulatedAPI(
            world: world, apiKey: Secret("W1:key"), controlToken: Secret("t"), misbehaviour: try Misbehaviour(spec),
            wall: { time.wall })
        wire = Wire(api, time)
    }

    var calls: [Wire.Call] { wire.calls }
    var night: Timestamp { world.shape.night(1) }

    func set(now: Timestamp) { api.set(now: now) }

    /// A fetcher of one run: its own budget and metrics.
    func fetcher() -> Fetcher { wire.fetcher() }
}

extension PollingBench {
    /// One run against `meld`, with rows of strangers refused.
    @discardableResult
    func poll(
        _ meld: MisbehavingMeld, at now: Timestamp, rereads: [String] = [], stop: StopFlag = StopFlag()
    ) async throws -> PollOutcome {
        options = ["account_id_expected": Deliveries.account, "meld_version": "2026-05-01"]
        let poller = Poller(
            source: try handle(), context: context(at: now), connection: connection, fetcher: meld.fetcher(),
            machine: meld.time.runner)
        return try await poller.poll(rereads: rereads, stop: stop)
    }

    /// What is held against what the provider showed at its moment.
    func compare(_ meld: MisbehavingMeld) throws -> RowVerification {
        let rows = try connection.query(
            "select transaction_id, raw_status from tieout.transaction where source_id = $1", [.text(source)])
        let held = try rows.map { (id: try $0.text(0), status: Optional(try $0.text(1))) }
        return RowVerification(rows: held, meld.world, at: meld.api.now)
    }
}
