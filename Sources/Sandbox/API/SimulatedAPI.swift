import Crypto
package import Payments
import Synchronization

/// The provider's API over a world, at a simulated moment that is set from outside. Answers are a function of the
/// request and the moment alone.
///
/// A misbehaviour that is set from outside changes what is answered and how it travels, by the number of the request.
package final class SimulatedAPI: Sendable {
    private struct State {
        var now: Timestamp
        var requests = 0
    }

    package let world: World
    private let apiKey: Secret
    private let controlToken: Secret
    let listing: Listing
    let disturbance: Disturbance
    /// The server's clock on the wire; simulated time is another one.
    let wall: @Sendable () -> Timestamp
    /// Nil: each row is rendered whenever it is asked for.
    let rendered: RenderedRows?
    private let ids: [String: Int]
    private let sessions: [String: [Int]]
    private let state: Mutex<State>

    /// Versions that changed something, oldest first.
    private static let versions = [
        "2021-10-27", "2022-02-02", "2022-11-10", "2023-12-19", "2025-03-01", "2025-03-04", "2026-02-03", "2026-05-01",
    ]
    /// The account's default: the key is an old one, so a client that sends no version gets the old field names.
    private static let defaultVersion = "2023-12-19"

    package init(
        world: World, apiKey: Secret, controlToken: Secret, now: Timestamp? = nil,
        misbehaviour: Misbehaviour = Misbehaviour(), keepsRows: Bool = false,
        wall: @escaping @Sendable () -> Timestamp = WireClock.machine
    ) {
        self.world = world
        self.wall = wall
        disturbance = Disturbance(misbehaviour, seed: world.shape.seed)
        self.apiKey = apiKey
        self.controlToken = controlToken
        listing = Listing(world)
        rendered = keepsRows ? RenderedRows(count: world.trades.count) : nil
        var ids: [String: Int] = [:]
        var sessions: [String: [Int]] = [:]
        for (index, trade) in world.trades.enumerated() {
            ids[trade.id] = index
            sessions[trade.session, default: []].append(index)
        }
        self.ids = ids
        self.sessions = sessions
        state = Mutex(State(now: now ?? world.shape.night(1)))
    }

    /// Simulated time.
    package var now: Timestamp { state.withLock { $0.now } }

    package func answer(_ request: APIRequest) -> APIResponse {
        if request.path.hasPrefix("/_sandbox/") { return control(request) }
        let number = state.withLock {
            $0.requests += 1
            return $0.requests
        }
        let now = now
        let faults = disturbance.meet(Self.occasion(request))
        var used = Self.defaultVersion
        var response: APIResponse
        do throws(Refusal) {
            try authorize(request)
            used = try version(request)
            try refuse(by: faults)
            response = APIResponse(200, try data(request, version: used, at: now, faults))
        } catch {
            response = refuse(error, number: number, at: now.adding(seconds: skew(faults)))
        }
        response.headers.append(("Meld-Version", used))
        disturb(&response, by: faults)
        return response
    }

    private static func parts(_ request: APIRequest) -> [String] {
        request.path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    }

    private static func occasion(_ request: APIRequest) -> Disturbance.Occasion {
        let names = Set(request.query.map(\.name))
        return Disturbance.Occasion(
            isList: parts(request) == ["payments", "transactions"],
            hasCursor: !names.isDisjoint(with: ["after", "before"]),
            hasWindow: !names.isDisjoint(with: ["from", "to"]))
    }

    private func authorize(_ request: APIRequest) throws(Refusal) {
        let given = request.headers["authorization"] ?? ""
        let expected = "BASIC \(apiKey.reveal())"
        guard constantTimeEqual(Array(given.utf8), Array(expected.utf8)) else {
            throw Refusal(status: 401, code: "UNAUTHORIZED", message: "Invalid credentials")
        }
    }

    /// The newest version that is not newer than the one asked for; older than the oldest gives the oldest.
    private func version(_ request: APIRequest) throws(Refusal) -> String {
        guard let asked = request.headers["meld-version"] else { return Self.defaultVersion }
        guard asked.count == 10, Timestamp(asked + "T00:00:00Z") != nil else {
            throw .bad("[Meld-Version] must be a date")
        }
        return Self.versions.last { $0 <= asked } ?? Self.versions[0]
    }

    private func data(
        _ request: APIRequest, version: String, at now: Timestamp, _ faults: [Fault]
    ) throws(Refusal) -> [UInt8] {
        let parts = Self.parts(request)
        guard request.method == "GET", parts.starts(with: ["payments", "transactions"]) else {
            throw Refusal(status: 404, code: "NOT_FOUND", message: "No such endpoint")
        }
        let isNew = version >= "2025-03-04"
        switch parts.count {
        case 2:
            return try list(Query(request.query), isNew: isNew, at: now, faults)
        case 3:
            guard let index = ids[parts[2]], isVisible(index, at: now) else {
                throw Refusal(
                    status: 404, code: "TRANSACTION_INVALID_ID", message: "Transaction is invalid or not found")
            }
            return single(world.trades[index], isNew: isNew, at: now)
        case 4 where parts[2] == "sessions":
            let seen = (sessions[parts[3]] ?? []).first {
                isVisible($0, at: now) && world.trades[$0].status(at: now) != .pendingCreated
            }
            guard let index = seen else {
                throw Refusal(
                    status: 404, code: "TRANSACTION_FETCH_BY_SESSION_NOT_YET_CREATED_WITH_PROVIDER",
                    message: "The provider has no transaction for this session yet")
            }
            return single(world.trades[index], isNew: isNew, at: now)
        default: throw Refusal(status: 404, code: "NOT_FOUND", message: "No such endpoint")
        }
    }

    /// The rows that a fault of the world keeps from everybody now.
    func hidden(at now: Timestamp) -> Set<Int> {
        disturbance.hidden { listing.rows(Query.Filter(), at: now) }
    }

    private func isVisible(_ index: Int, at now: Timestamp) -> Bool {
        world.trades[index].isVisible(at: now) && !hidden(at: now).contains(index)
    }

    private func single(_ trade: Trade, isNew: Bool, at now: Timestamp) -> [UInt8] {
        var json = JSONText()
        json.object {
            Row(trade: trade, moment: now, hasNewWalletNames: isNew).write(to: &$0, name: "transaction", key: nil)
        }
        return json.bytes
    }

    private func refuse(_ refusal: Refusal, number: Int, at now: Timestamp) -> APIResponse {
        var random = Randomness(seed: world.shape.seed, 6, UInt64(number))
        let request = Identifiers.base58(22, &random)
        var json = JSONText()
        json.object {
            $0.text("code", refusal.code)
            $0.text("message", refusal.message)
            $0.text("requestId", request)
            $0.text("timestamp", now.description)
        }
        return APIResponse(refusal.status, json.bytes)
    }

    // MARK: the sandbox's own controls

    /// `GET` or `POST /_sandbox/clock` and `/_sandbox/misbehave`; needs the control token.
    private func control(_ request: APIRequest) -> APIResponse {
        do throws(Refusal) {
            let given = request.headers["x-sandbox-token"] ?? ""
            guard constantTimeEqual(Array(given.utf8), Array(controlToken.reveal().utf8)) else {
                throw Refusal(status: 403, code: "FORBIDDEN", message: "Control token missing")
            }
            switch request.path {
            case "/_sandbox/clock":
                if request.method == "POST" {
                    guard let moment = ControlBody.moment(request.body) else {
                        throw .bad(#"The body must be {"now": "…Z"}"#)
                    }
                    state.withLock { $0.now = moment }
                    disturbance.clockWasSet()
                }
                var json = JSONText()
                json.object { $0.text("now", now.description) }
                return APIResponse(200, json.bytes)
            case "/_sandbox/misbehave":
                if request.method == "POST" { try misbehave(request.body) }
                return APIResponse(200, tally())
            default: throw Refusal(status: 404, code: "NOT_FOUND", message: "No such control")
            }
        } catch {
            return refuse(error, number: 0, at: now)
        }
    }

    private func misbehave(_ body: [UInt8]) throws(Refusal) {
        guard let text = ControlBody.specification(body) else { throw .bad(#"The body must be {"spec": "…"}"#) }
        do throws(UsageError) { misbehave(try Misbehaviour(text)) } catch { throw .bad(error.description) }
    }

    /// From the next request on; every count begins anew.
    package func misbehave(_ misbehaviour: Misbehaviour) { disturbance.replace(by: misbehaviour) }

    /// How often each fault had an occasion and struck, and all requests so far.
    private func tally() -> [UInt8] {
        var json = JSONText()
        json.object {
            $0.number("requests", String(requests))
            $0.array("faults") {
                for tally in disturbance.tallies {
                    $0.object {
                        $0.text("fault", tally.fault.description)
                        $0.number("seen", String(tally.seen))
                        $0.number("hits", String(tally.hits))
                    }
                }
            }
        }
        return json.bytes
    }

    /// Requests answered so far, the sandbox's own controls aside.
    package var requests: Int { state.withLock { $0.requests } }
}
