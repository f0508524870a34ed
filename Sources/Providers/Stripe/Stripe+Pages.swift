import Crypto
import HTTP
import JSON
import Payments

/// How requests of the account are made: the key as HTTP Basic user name with an empty password, and the version header
/// only where it is configured.
struct StripeDoor: Sendable {
    let configuration: StripeConfiguration
    private let authorization: Secret

    init(configuration: StripeConfiguration) {
        self.configuration = configuration
        let pair = Array("\(configuration.apiKey.reveal()):".utf8)
        authorization = Secret("Basic \(Base64.encode(pair, alphabet: .standard, padding: true))")
    }

    func request(_ path: String, _ query: [(name: String, value: String)] = []) -> HTTPRequest {
        var headers = [(name: "Accept", value: "application/json")]
        if let version = configuration.version { headers.append(("Stripe-Version", version)) }
        let tail = query.isEmpty ? "" : "?" + URLText.query(query)
        return HTTPRequest(
            url: configuration.apiBase + path + tail, headers: headers,
            secretHeaders: [("Authorization", authorization)])
    }

    /// The query of one page. Bounds are whole seconds, both inclusive: a second is never cut in two.
    static func query(_ ask: PageAsk, limit: Int) -> [(name: String, value: String)] {
        var query = [(name: "limit", value: String(min(ask.limit, limit)))]
        if let from = ask.from { query.append(("created[gte]", String(seconds(from, up: false)))) }
        if let to = ask.to { query.append(("created[lte]", String(seconds(to, up: true)))) }
        if let cursor = ask.cursor { query.append(("starting_after", cursor)) }
        return query
    }

    /// Whole unix seconds, away from what is asked for.
    private static func seconds(_ time: Timestamp, up: Bool) -> Int64 {
        let (whole, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if up { return rest > 0 ? whole + 1 : whole }
        return rest < 0 ? whole - 1 : whole
    }

    /// The elements of a list, and the position behind them where there is more.
    static func list(
        _ response: HTTPResponse, to ask: PageAsk
    ) throws(ProviderFault) -> (elements: [JSONValue], next: String?, saysEnd: Bool) {
        guard (200...299).contains(response.status) else {
            // The object that a position names is gone (events vanish after their 30 days), or was never ours.
            if ask.cursor != nil, [400, 404].contains(response.status) { throw .cursorRejected }
            throw .refused(status: response.status, code: code(response))
        }
        let root = try Answer.json(response)
        guard let data = root["data"], data.isArray else { throw .unreadable("no list in `data`") }
        guard let more = root["has_more"]?.boolValue else { throw .unreadable("`has_more` is no bool") }
        let elements = Array(data.elements)
        let last = elements.last { $0["id"]?.string?.isEmpty == false }?["id"]?.string
        // That more follows and after what it follows must come together: this is no end.
        if more, last == nil { throw .unreadable("`has_more` without a row to go on from") }
        return (elements, more ? last : nil, !more)
    }

    /// The code of an error answer, or its type where it has none.
    static func code(_ response: HTTPResponse) -> String? {
        guard let error = try? JSONDocument(response.body.bytes, unreadable: .mark).root["error"] else { return nil }
        return Answer.word(error["code"]) ?? Answer.word(error["type"])
    }
}

/// The list of onramp sessions, newest first, and single sessions.
struct StripeSessions: Lister, SingleReader {
    static let path = "/v1/crypto/onramp_sessions"

    let door: StripeDoor
    let mapping: StripeMapping

    var pageLimit: Int { door.configuration.pageLimit }
    var expectedStatuses: Set<Int> { [400, 404] }
    var keys: Set<ReadKey> { [.id] }
    var idKinds: [String] { ["stripe:transaction"] }

    func request(for ask: PageAsk) -> HTTPRequest {
        door.request(Self.path, StripeDoor.query(ask, limit: pageLimit))
    }

    func page(from response: HTTPResponse, to ask: PageAsk) throws(ProviderFault) -> ProviderPage {
        let (elements, next, saysEnd) = try StripeDoor.list(response, to: ask)
        return ProviderPage(elements, mapping, next: next, saysEnd: saysEnd)
    }

    func request(for ask: ReadAsk) -> HTTPRequest? {
        ask.id.map { door.request("\(Self.path)/\(URLText.escape($0))") }
    }

    func answer(from response: HTTPResponse, to ask: ReadAsk) throws(ProviderFault) -> SingleAnswer {
        guard (200...299).contains(response.status) else {
            let code = StripeDoor.code(response)
            if response.status == 404 || code == "resource_missing" { return .elements([]) }
            throw .refused(status: response.status, code: code)
        }
        let root = try Answer.json(response)
        guard root.isObject, root["id"] != nil else { throw .unreadable("no session") }
        return .elements([root])
    }
}

/// The account's event log, newest first, 30 days back (https://docs.stripe.com/api/events/list).
struct StripeEvents: EventLister {
    let door: StripeDoor
    let body: StripeEventBody

    var retentionDays: Int { 30 }
    var pages: any Lister { Pages(door: door) }

    func event(_ element: JSONValue) throws(RowFault) -> MappedEvent? {
        guard element.isObject, body.isOurs(element["type"]?.string) else {
            // An element that is no object is nobody's event, and a fault of the page's.
            if element.isObject { return nil }
            throw RowFault("no object")
        }
        let event = try body.read(element, fallbackKey: nil)
        guard event.eventTime != nil else {
            throw RowFault("missing: created", recordID: event.eventKey, references: event.references)
        }
        return event
    }

    func redaction(ofKind kind: String?) -> Redaction { body.redaction(ofKind: kind) }

    func comparison(ofKind kind: String?) -> Redaction {
        body.redaction(ofKind: kind).cutting(StripeEventBody.volatilePaths)
    }

    private struct Pages: Lister {
        let door: StripeDoor
        var pageLimit: Int { door.configuration.pageLimit }
        var expectedStatuses: Set<Int> { [400, 404] }

        func request(for ask: PageAsk) -> HTTPRequest {
            // The one type that says anything about a session; by its full name, since wildcards are not documented here.
            door.request(
                "/v1/events",
                StripeDoor.query(ask, limit: pageLimit) + [("type", StripeEventBody.officialKind)])
        }

        func page(from response: HTTPResponse, to ask: PageAsk) throws(ProviderFault) -> ProviderPage {
            let (elements, next, saysEnd) = try StripeDoor.list(response, to: ask)
            let identities = elements.map {
                RowIdentity(
                    id: $0["id"]?.string.flatMap { $0.isEmpty ? nil : $0 }, createdAt: StripeTime.lenient($0["created"])
                )
            }
            let rows = zip(elements, identities).map { element, identity in
                RowFacts(
                    id: identity.id ?? String(decoding: element.sourceBytes, as: UTF8.self),
                    createdAt: identity.createdAt)
            }
            return ProviderPage(
                elements: elements, identities: identities,
                facts: PageFacts(rows: rows, next: next, saysEnd: saysEnd))
        }
    }
}

/// Stripe's times: whole unix seconds as JSON numbers.
enum StripeTime {
    /// Nil for anything else, and for what is no moment.
    static func lenient(_ value: JSONValue?) -> Timestamp? { value?.integer.flatMap { Timestamp(unixSeconds: $0) } }

    /// Nil where it is absent or null; anything but a whole number of seconds is a fault.
    static func read(_ value: JSONValue?, _ path: String) throws(RowFault) -> Timestamp? {
        guard let value, !value.isNull else { return nil }
        guard value.kind == .number else { throw ElementReader.changed(path, "number", value) }
        guard let time = lenient(value) else { throw RowFault("\(path): not a time in whole seconds") }
        return time
    }
}
