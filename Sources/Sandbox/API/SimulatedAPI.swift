import Crypto
package import Payments
import Synchronization

/// One source's API over a world, at a simulated moment that is set from outside. Answers are a function of the request
/// and the moment alone.
///
/// A misbehaviour that is set from outside changes what is answered and how it travels, by the number of the request.
package final class SimulatedAPI: Sendable {
    package let world: World
    package let source: SimulatedSource
    let provider: any SimulatedProvider
    private let controlToken: Secret
    let clock: SandboxClock
    private let door: Door
    let listing: Listing
    let disturbance: Disturbance
    /// The server's clock on the wire; simulated time is another one.
    let wall: @Sendable () -> Timestamp
    /// Nil: each row is rendered whenever it is asked for.
    let rendered: RenderedRows?
    private let counted = Mutex(0)

    /// The API of one source of a world, by the source's own secrets. Nil: the world has no such source.
    /// - Parameter clock: shared by sources that are to show the same moment.
    package convenience init?(
        world: World, source name: String? = nil, controlToken: Secret = Secret("control"), clock: SandboxClock? = nil,
        misbehaviour: Misbehaviour = Misbehaviour(), keepsRows: Bool = false,
        wall: @escaping @Sendable () -> Timestamp = WireClock.machine
    ) {
        guard let source = world.source(name) else { return nil }
        self.init(
            world: world, source: source, controlToken: controlToken,
            clock: clock ?? SandboxClock(world.shape.night(1)),
            misbehaviour: misbehaviour, keepsRows: keepsRows, wall: wall)
    }

    /// Meld's API over a world of Meld's, by a key of one's own.
    package convenience init(
        world: World, apiKey: Secret, controlToken: Secret, now: Timestamp? = nil,
        misbehaviour: Misbehaviour = Misbehaviour(), keepsRows: Bool = false,
        wall: @escaping @Sendable () -> Timestamp = WireClock.machine
    ) {
        let source = world.sources[0].with(secret: "api-key", apiKey)
        self.init(
            world: world, source: source, controlToken: controlToken,
            clock: SandboxClock(now ?? world.shape.night(1)), misbehaviour: misbehaviour, keepsRows: keepsRows,
            wall: wall)
    }

    private init(
        world: World, source: SimulatedSource, controlToken: Secret, clock: SandboxClock, misbehaviour: Misbehaviour,
        keepsRows: Bool, wall: @escaping @Sendable () -> Timestamp
    ) {
        self.world = world
        self.source = source
        self.controlToken = controlToken
        self.clock = clock
        self.wall = wall
        door = Door(wall: wall)
        provider = source.simulator.init(source)
        listing = Listing(provider)
        disturbance = Disturbance(misbehaviour, seed: source.seed)
        rendered = keepsRows ? RenderedRows() : nil
    }

    /// Simulated time.
    package var now: Timestamp { clock.now }

    package func answer(_ request: APIRequest) -> APIResponse {
        if request.path.hasPrefix("/_sandbox/") { return control(request) }
        let number = counted.withLock {
            $0 += 1
            return $0
        }
        let now = now
        let route = route(request)
        let faults = disturbance.meet(Self.occasion(route))
        var response: APIResponse
        do throws(Refusal) {
            try provider.authenticate(request, at: door)
            try refuse(by: faults)
            response = try data(try route.get(), at: now, faults)
        } catch {
            response = provider.answer(error, number: number, at: now.adding(seconds: skew(faults)))
        }
        response.headers += provider.headers(answering: request, number: number)
        disturb(&response, by: faults)
        return response
    }

    private func route(_ request: APIRequest) -> Result<Route, Refusal> {
        do throws(Refusal) { return .success(try provider.route(request)) } catch { return .failure(error) }
    }

    private static func occasion(_ route: Result<Route, Refusal>) -> Disturbance.Occasion {
        switch route {
        case .success(.list(let ask)):
            Disturbance.Occasion(isList: true, hasCursor: ask.hasCursor, hasWindow: ask.hasWindow)
        case .success(.one): Disturbance.Occasion(isList: false, isRecord: true)
        case .success(.other), .failure: Disturbance.Occasion(isList: false)
        }
    }

    private func data(_ route: Route, at now: Timestamp, _ faults: [Fault]) throws(Refusal) -> APIResponse {
        switch route {
        case .list(let ask): return try list(ask, at: now, faults)
        case .one(let shelf, let id, let dialect):
            guard let place = listing.place(of: id, on: shelf), isVisible(place, on: shelf, at: now) else {
                throw provider.refusal(.notFound(shelf: shelf, id: id))
            }
            let item = listing.items(shelf)[place]
            let row = spoil(provider.row(item, View(moment: now, dialect: dialect)), of: shelf, faults)
            return APIResponse(200, provider.single(row, item, at: now))
        case .other(let answer):
            return try answer(
                Answering(moment: now) { item in
                    self.listing.place(of: item.id, on: item.shelf).map {
                        self.isVisible($0, on: item.shelf, at: now)
                    } ?? false
                })
        }
    }

    /// The rows of a list that a fault of the world keeps from everybody now.
    func hidden(on shelf: String, at now: Timestamp) -> Set<Int> {
        disturbance.hidden(on: shelf, settings: clock.settings) { listing.rows(shelf, ListAsk.Filter(), at: now) }
    }

    private func isVisible(_ place: Int, on shelf: String, at now: Timestamp) -> Bool {
        listing.items(shelf)[place].isVisible(at: now) && !hidden(on: shelf, at: now).contains(place)
    }

    // MARK: the sandbox's own controls

    /// `GET` or `POST /_sandbox/clock` and `/_sandbox/misbehave`; needs the control token.
    private func control(_ request: APIRequest) -> APIResponse {
        func refuse(_ status: Int, _ message: String) -> APIResponse {
            var json = JSONText()
            json.object { $0.text("message", message) }
            return APIResponse(status, json.bytes)
        }
        let given = request.headers["x-sandbox-token"] ?? ""
        guard constantTimeEqual(Array(given.utf8), Array(controlToken.reveal().utf8)) else {
            return refuse(403, "Control token missing")
        }
        switch request.path {
        case "/_sandbox/clock":
            if request.method == "POST" {
                guard let moment = ControlBody.moment(request.body) else {
                    return refuse(400, #"The body must be {"now": "…Z"}"#)
                }
                clock.set(moment)
            }
            var json = JSONText()
            json.object { $0.text("now", now.description) }
            return APIResponse(200, json.bytes)
        case "/_sandbox/misbehave":
            if request.method == "POST" {
                guard let text = ControlBody.specification(request.body) else {
                    return refuse(400, #"The body must be {"spec": "…"}"#)
                }
                do throws(UsageError) { misbehave(try Misbehaviour(text)) } catch {
                    return refuse(400, error.description)
                }
            }
            return APIResponse(200, tally())
        default: return refuse(404, "No such control")
        }
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
    package var requests: Int { counted.withLock { $0 } }
}
