import Crypto
package import Payments
import Synchronization

/// The provider's API over a world, at a simulated moment that is set from outside. Answers are a function of the
/// request and the moment alone.
package final class SimulatedAPI: Sendable {
    private struct State {
        var now: Timestamp
        var requests = 0
    }

    package let world: World
    private let apiKey: Secret
    private let controlToken: Secret
    private let listing: Listing
    private let ids: [String: Int]
    private let sessions: [String: [Int]]
    private let state: Mutex<State>

    /// Versions that changed something, oldest first.
    private static let versions = [
        "2021-10-27", "2022-02-02", "2022-11-10", "2023-12-19", "2025-03-01", "2025-03-04", "2026-02-03", "2026-05-01",
    ]
    /// The account's default: the key is an old one, so a client that sends no version gets the old field names.
    private static let defaultVersion = "2023-12-19"

    package init(world: World, apiKey: Secret, controlToken: Secret, now: Timestamp? = nil) {
        self.world = world
        self.apiKey = apiKey
        self.controlToken = controlToken
        listing = Listing(world)
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
        var used = Self.defaultVersion
        var response: APIResponse
        do throws(Refusal) {
            try authorize(request)
            used = try version(request)
            response = APIResponse(200, try data(request, version: used, at: now))
        } catch {
            response = refuse(error, number: number, at: now)
        }
        response.headers.append(("Meld-Version", used))
        return response
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

    private func data(_ request: APIRequest, version: String, at now: Timestamp) throws(Refusal) -> [UInt8] {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        guard request.method == "GET", parts.starts(with: ["payments", "transactions"]) else {
            throw Refusal(status: 404, code: "NOT_FOUND", message: "No such endpoint")
        }
        let isNew = version >= "2025-03-04"
        switch parts.count {
        case 2:
            return try list(Query(request.query), isNew: isNew, at: now)
        case 3:
            guard let index = ids[parts[2]], world.trades[index].isVisible(at: now) else {
                throw Refusal(
                    status: 404, code: "TRANSACTION_INVALID_ID", message: "Transaction is invalid or not found")
            }
            return single(world.trades[index], isNew: isNew, at: now)
        case 4 where parts[2] == "sessions":
            let seen = (sessions[parts[3]] ?? []).first {
                world.trades[$0].isVisible(at: now) && world.trades[$0].status(at: now) != .pendingCreated
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

    private func list(_ query: Query, isNew: Bool, at now: Timestamp) throws(Refusal) -> [UInt8] {
        let (page, remaining, total) = try listing.page(query, at: now)
        var json = JSONText()
        json.reserve(page.count * 2_000 + 100)
        json.object {
            $0.number("count", String(page.count))
            $0.number("remaining", String(remaining))
            $0.number("totalCount", String(total))
            $0.array("transactions") {
                for index in page {
                    let trade = world.trades[index]
                    Row(trade: trade, moment: now, hasNewWalletNames: isNew).write(to: &$0, key: listing.key(of: trade))
                }
            }
        }
        return json.bytes
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

    /// `GET` or `POST /_sandbox/clock`; needs the control token.
    private func control(_ request: APIRequest) -> APIResponse {
        let given = request.headers["x-sandbox-token"] ?? ""
        guard constantTimeEqual(Array(given.utf8), Array(controlToken.reveal().utf8)) else {
            return refuse(Refusal(status: 403, code: "FORBIDDEN", message: "Control token missing"), number: 0, at: now)
        }
        guard request.path == "/_sandbox/clock" else {
            return refuse(Refusal(status: 404, code: "NOT_FOUND", message: "No such control"), number: 0, at: now)
        }
        if request.method == "POST" {
            guard let moment = ControlBody.moment(request.body) else {
                return refuse(.bad(#"The body must be {"now": "…Z"}"#), number: 0, at: now)
            }
            state.withLock { $0.now = moment }
        }
        var json = JSONText()
        json.object { $0.text("now", now.description) }
        return APIResponse(200, json.bytes)
    }
}
