import Crypto
import Payments

/// Stripe's crypto onramp: a list of sessions that knows no update time, and the account's log of events, 30 days back.
struct StripeSimulator: SimulatedProvider {
    static let profile = ProviderProfile(
        name: "stripe", bookPrefix: "ST-",
        corridors: [
            Corridor(provider: "STRIPE", method: "CREDIT_DEBIT_CARD", fiat: .dollar, weight: 6),
            Corridor(provider: "STRIPE", method: "APPLE_PAY", fiat: .euro, weight: 3),
            Corridor(provider: "STRIPE", method: "APPLE_PAY", fiat: .pound, weight: 1),
        ],
        secrets: [
            .init("api-key", .apiKey) { "sk_test_" + Identifiers.base58(32, &$0) },
            .init("webhook-secret", .webhook) { "whsec_" + Identifiers.base58(32, &$0) },
        ],
        switches: [
            .init("source", ["includes", "excludes"], "whether `source_amount` holds the fees"),
            .init("wildcard", ["works", "refused"], "whether `type=crypto.*` selects events"),
            .init("edges", ["exclusive", "free"], "whether `starting_after` and `ending_before` exclude each other"),
        ],
        turns: turns,
        plays: Play.among(turns).subtracting([.webhookMissing]).union([.changedType, .webhookForged]),
        transactionID: { "cos_1" + Identifiers.base58(22, &$0) })

    private static let turns: Set<Status> = [
        .pendingCreated, .pending, .settling, .settled, .declined, .failed, .retryScheduled,
    ]
    /// Events can be listed for so many seconds.
    static let retention: Int64 = 30 * 86_400
    /// The one type of event that is documented.
    static let eventType = "crypto.onramp_session.updated"
    static let eventShelf = "event"

    let source: SimulatedSource
    let items: [Item]
    /// By the subject of an item on the events' shelf.
    let events: [LoggedEvent]
    /// Indices of the trades, by id.
    let places: [String: Int]

    init(_ source: SimulatedSource) {
        self.source = source
        places = Dictionary(
            source.trades.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
        events = Self.events(of: source)
        let sessions = source.trades.enumerated().map { index, trade in
            Item(
                id: trade.id, createdAt: WireTime.cut(trade.createdAt), visibleFrom: trade.shownFrom, subject: index)
        }
        items =
            sessions
            + events.enumerated().map { index, event in
                var item = Item(
                    shelf: Self.eventShelf, id: event.id, createdAt: event.created, visibleFrom: event.created,
                    subject: index)
                item.visibleUntil = event.created.adding(seconds: Self.retention)
                return item
            }
    }

    static func tell(_ plot: inout Plot) {
        plot.play()
        tellSilences(&plot)
        plot.tellEveryday()
    }

    /// An event that was never made, and one whose delivery never came, though the log has it.
    private static func tellSilences(_ plot: inout Plot) {
        var silent = plot.scene(day: 4, hour: 8, amount: 7_111)
        plot.settle(&silent)
        silent.trade.lostEvents.insert(.settled)
        plot.add(silent)
        plot.raise(
            "webhook_missing", plot.subject(silent), silent, opens: 1, severity: "low",
            why: "delivered, and no event was ever made of it")
        var undelivered = plot.scene(day: 6, hour: 12, amount: 7_555)
        plot.settle(&undelivered)
        undelivered.trade.eventsFiledAt[.settled] = plot.shape.nights + 100
        plot.add(undelivered)
        plot.twin(plot.subject(undelivered), "\(plot.profile.name): its delivery never came, and the event log has it")
    }

    // MARK: requests

    func authenticate(_ request: APIRequest, at door: Door) throws(Refusal) {
        let key = source.secret("api-key").reveal()
        let given = Array((request.headers["authorization"] ?? "").utf8)
        let good = ["Basic \(Base64.encode(Array("\(key):".utf8)))", "Bearer \(key)"]
        guard good.contains(where: { constantTimeEqual(given, Array($0.utf8)) }) else {
            throw refusal(.unauthorized)
        }
    }

    func route(_ request: APIRequest) throws(Refusal) -> Route {
        guard request.method == "GET" else { throw refusal(.noRoute) }
        let parts = request.parts
        switch parts.count {
        case 3 where parts == ["v1", "crypto", "onramp_sessions"]: return .list(try sessions(request))
        case 4 where parts.dropLast() == ["v1", "crypto", "onramp_sessions"]:
            return .one(shelf: Item.transactions, id: parts[3])
        case 2 where parts == ["v1", "events"]: return .list(try events(request))
        case 3 where parts.dropLast() == ["v1", "events"]: return .one(shelf: Self.eventShelf, id: parts[2])
        default: throw refusal(.noRoute)
        }
    }

    private func sessions(_ request: APIRequest) throws(Refusal) -> ListAsk {
        var ask = ListAsk(limit: 10)
        for (name, value) in request.query {
            if try read(name, value, into: &ask) { continue }
            switch name {
            case "status", "destination_currency", "destination_network": ask.filter.fields[name] = [value]
            case "expand[]": continue
            default: throw unknown(name)
            }
        }
        return try checked(ask, request)
    }

    private func events(_ request: APIRequest) throws(Refusal) -> ListAsk {
        var ask = ListAsk(limit: 10)
        ask.shelf = Self.eventShelf
        var types: [String] = []
        for (name, value) in request.query {
            if try read(name, value, into: &ask) { continue }
            switch name {
            case "type", "types[]": types.append(value)
            case "delivery_success" where value == "true" || value == "false": continue
            default: throw unknown(name)
            }
        }
        if request.value("type") != nil, request.value("types[]") != nil || types.count > 1 || types.count > 20 {
            throw refusal(.badParameter(name: "types", problem: "cannot be used with `type`"))
        }
        if types.contains(where: { $0.hasSuffix("*") }), source.setting("wildcard") == "refused" {
            throw refusal(.badParameter(name: "type", problem: "is no type"))
        }
        if !types.isEmpty {
            let all = Set(events.map(\.type))
            ask.filter.fields["type"] = types.flatMap { wanted in
                guard wanted.hasSuffix("*") else { return [wanted] }
                return all.filter { $0.hasPrefix(wanted.dropLast()) }.sorted()
            }
        }
        return try checked(ask, request)
    }

    /// What all lists take. False: another name.
    private func read(_ name: String, _ value: String, into ask: inout ListAsk) throws(Refusal) -> Bool {
        switch name {
        case "limit":
            guard let limit = Int(value), (1...100).contains(limit) else {
                throw refusal(.badParameter(name: name, problem: "must be 1 to 100"))
            }
            ask.limit = limit
        case "starting_after": ask.position = .afterID(value)
        case "ending_before": ask.position = .beforeID(value)
        case "created":
            ask.filter.from = try seconds(name, value)
            ask.filter.until = try seconds(name, value).adding(seconds: 1)
        case "created[gt]": ask.filter.from = try seconds(name, value).adding(seconds: 1)
        case "created[gte]": ask.filter.from = try seconds(name, value)
        case "created[lt]": ask.filter.until = try seconds(name, value)
        case "created[lte]": ask.filter.until = try seconds(name, value).adding(seconds: 1)
        default: return false
        }
        return true
    }

    private func checked(_ ask: ListAsk, _ request: APIRequest) throws(Refusal) -> ListAsk {
        if request.value("starting_after") != nil, request.value("ending_before") != nil,
            source.setting("edges") == "exclusive"
        {
            throw refusal(.badParameter(name: "ending_before", problem: "cannot be used with `starting_after`"))
        }
        return ask
    }

    private func unknown(_ name: String) -> Refusal { refusal(.badParameter(name: name, problem: "is unknown")) }

    private func seconds(_ name: String, _ text: String) throws(Refusal) -> Timestamp {
        guard let seconds = Int64(text), (0...253_402_300_799).contains(seconds) else {
            throw refusal(.badParameter(name: name, problem: "must be unix seconds"))
        }
        return Timestamp(seconds: seconds)
    }

    // MARK: answers

    func envelope(_ page: Page, _ ask: ListAsk) -> [UInt8] {
        var json = JSONText()
        json.object {
            $0.text("object", "list")
            $0.text("url", ask.shelf == Self.eventShelf ? "/v1/events" : "/v1/crypto/onramp_sessions")
            $0.flag("has_more", page.remaining > 0)
            $0.raw("data", bytes: page.array)
        }
        return json.bytes
    }

    func headers(answering request: APIRequest, number: Int) -> [(name: String, value: String)] {
        [("Request-Id", "req_sandbox\(number)")]
    }

    func marks(ofShelf shelf: String) -> RowMarks {
        RowMarks(ids: ["id"], owner: nil, amount: "source_amount", status: "status")
    }

    func refusal(_ trouble: Trouble) -> Refusal {
        let invalid = "invalid_request_error"
        switch trouble {
        case .unauthorized: return Refusal(status: 401, code: invalid, message: "Invalid API Key provided")
        case .forbidden: return Refusal(status: 403, code: invalid, message: "The key has no permission for that")
        case .tooMany: return Refusal(status: 429, code: "rate_limit", message: "Too many requests")
        case .redirect(let status): return Refusal(status: status, code: "api_error", message: "Moved")
        case .badCursor:
            return Refusal(
                status: 400, code: "resource_missing", message: "No such object", parameter: "starting_after")
        case .server(let status): return Refusal(status: status, code: "api_error", message: "Something went wrong")
        case .noRoute: return Refusal(status: 404, code: invalid, message: "Unrecognized request URL")
        case .notFound(let shelf, let id):
            let kind = shelf == Self.eventShelf ? "event" : "onramp session"
            return Refusal(
                status: 404, code: "resource_missing", message: "No such \(kind): '\(id)'", parameter: "id")
        case .badParameter(let name, let problem):
            return Refusal(status: 400, code: "parameter_invalid", message: "\(name) \(problem)", parameter: name)
        }
    }

    func answer(_ refusal: Refusal, number: Int, at moment: Timestamp) -> APIResponse {
        var json = JSONText()
        json.object {
            $0.object("error") {
                if refusal.code == "api_error" || refusal.code == "invalid_request_error" {
                    $0.text("type", refusal.code)
                } else {
                    $0.text("code", refusal.code)
                    $0.text("type", "invalid_request_error")
                }
                $0.text("message", refusal.message)
                if let parameter = refusal.parameter { $0.text("param", parameter) }
            }
        }
        return APIResponse(refusal.status, json.bytes)
    }
}
