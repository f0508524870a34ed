import Foundation
import HTTP
import Payments
import Postgres
import Sandbox
import Synchronization

@testable import Loading

/// Machine time that passes only while somebody sleeps or says so.
final class VirtualTime: Sendable {
    static let epoch = Timestamp.at("2026-08-10T02:30:00Z")
    private let passed = Mutex(0)

    /// Milliseconds since the epoch.
    var now: Int { passed.withLock { $0 } }
    var wall: Timestamp { Self.epoch.adding(seconds: Int64(now / 1000)) }
    func pass(_ milliseconds: Int) { passed.withLock { $0 += milliseconds } }

    var clock: MachineClock {
        MachineClock(
            milliseconds: { self.now }, wall: { self.wall },
            sleep: { milliseconds in
                self.pass(milliseconds)
                await Task.yield()
            })
    }
}

/// The simulated provider behind our own fetcher, without a socket, in virtual time: pauses cost nothing, and when each
/// request went out is written down.
final class MisbehavingMeld: Sendable {
    let api: SimulatedAPI
    let world: World
    let time = VirtualTime()
    /// One request that went out.
    struct Call: Sendable {
        let at: Int
        let path: String
        let status: Int
    }
    private let log = Mutex<[Call]>([])

    init(_ spec: String = "", transactions: Int = 600, seed: UInt64 = 7) throws {
        world = World(WorldShape(seed: seed, transactions: transactions))
        let time = time
        api = SimulatedAPI(
            world: world, apiKey: Secret("W1:key"), controlToken: Secret("t"), misbehaviour: try Misbehaviour(spec),
            wall: { time.wall })
    }

    var calls: [Call] { log.withLock { $0 } }
    var night: Timestamp { world.shape.night(1) }

    func set(now: Timestamp) {
        _ = api.answer(
            APIRequest(
                method: "POST", path: "/_sandbox/clock", headers: ["x-sandbox-token": "t"],
                body: Array("{\"now\":\"\(now)\"}".utf8)))
    }

    /// A fetcher of one run: its own budget and metrics.
    func fetcher() -> Fetcher {
        let clock = time.clock
        return Fetcher(
            budget: RateBudget([.paced(permits: 100_000, per: .seconds(60), burst: 1000)], clock: clock), clock: clock,
            send: { request async throws(HTTPError) in try self.send(request) })
    }

    private func send(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        guard let url = URLComponents(string: request.url) else { throw HTTPError(.invalid("URL"), request) }
        var headers: [String: String] = [:]
        for (name, value) in request.headers { headers[name.lowercased()] = value }
        for (name, value) in request.secretHeaders { headers[name.lowercased()] = value.reveal() }
        let answer = api.answer(
            APIRequest(
                method: request.method, path: url.path,
                query: (url.queryItems ?? []).map { ($0.name, $0.value ?? "") }, headers: headers))
        log.withLock { $0.append(Call(at: time.now, path: url.path, status: answer.status)) }
        switch answer.delivery {
        case .whole, .drip: break
        case .cut, .hangUp: throw HTTPError(.cut, request)
        case .stall:
            time.pass(30_000)
            throw HTTPError(.stalled, request)
        case .padded: throw HTTPError(.tooLarge, request)
        }
        return HTTPResponse(
            status: answer.status, headers: HTTPHeaders(answer.headers), body: HTTPBody(answer.body))
    }
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

extension VirtualTime {
    /// For what ticks: its sleeps take real time, or it would spin.
    var runner: MachineClock {
        let system = MachineClock.system()
        return MachineClock(milliseconds: { self.now }, wall: { self.wall }, sleep: system.sleep)
    }
}
