import Crypto
import Payments

/// Doors and paths of the three surfaces.
extension BanxaSimulator {
    /// Seconds by which a nonce may differ from the server's clock.
    private static let tolerance: Int64 = 300

    // MARK: credentials

    func authenticate(_ request: APIRequest, at door: Door) throws(Refusal) {
        if ["api", "eapi"].contains(request.parts.first) { return try checkSignature(request, at: door) }
        let given = Array((request.headers["x-api-key"] ?? "").utf8)
        guard constantTimeEqual(given, Array(source.secret("api-key").reveal().utf8)) else {
            throw refusal(.unauthorized)
        }
    }

    /// `Authorization: Bearer KEY:SIGNATURE:NONCE` over `METHOD\nPATH\nNONCE` and, where there is one, the body.
    private func checkSignature(_ request: APIRequest, at door: Door) throws(Refusal) {
        let header = request.headers["authorization"] ?? ""
        let parts = header.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard header.hasPrefix("Bearer "), parts.count == 3 else { throw Self.denied("40101", "Digest malformed") }
        guard parts[0].dropFirst("Bearer ".count) == source.secret("api-key").reveal() else {
            throw Self.denied("40100", "Merchant not found")
        }
        let nonce = parts[2]
        guard let number = Int64(nonce), [10, 13].contains(nonce.utf8.count) else {
            throw Self.denied("40001", "Nonce is not a timestamp")
        }
        let sent = Timestamp(microseconds: nonce.utf8.count == 13 ? number * 1_000 : number * 1_000_000)
        guard abs(sent.microseconds - door.wall().microseconds) <= Self.tolerance * 1_000_000 else {
            throw Self.denied("40002", "Nonce is too different from our time")
        }
        var message = "\(request.method)\n\(request.target)\n\(nonce)"
        if !request.body.isEmpty { message += "\n" + String(decoding: request.body, as: UTF8.self) }
        let code = HMACCode.sha256(key: source.secret("api_secret"), message: Array(message.utf8))
        guard constantTimeEqual(Array(Hex.encode(code).utf8), Array(parts[1].utf8)) else {
            throw Self.denied("40103", "Not authorized")
        }
        guard door.isFresh("\(parts[0]):\(nonce)") else { throw Self.denied("40003", "Nonce was used before") }
    }

    private static func denied(_ code: String, _ message: String) -> Refusal {
        Refusal(status: 401, code: code, message: message)
    }

    // MARK: paths

    func route(_ request: APIRequest) throws(Refusal) -> Route {
        let parts = request.parts
        guard request.method == "GET" else { throw refusal(.noRoute) }
        switch parts.first {
        case Self.partner where parts.count >= 3 && parts[1] == "v2" && parts[2] == "orders":
            if parts.count == 3 { return .list(try list(request, dialect: "v2")) }
            if parts.count == 4 { return .one(shelf: Item.transactions, id: parts[3], dialect: "v2") }
        case "api" where parts.count >= 2 && parts[1] == "orders":
            if parts.count == 2 { return .list(try list(request, dialect: "legacy")) }
            if parts.count == 3 { return .one(shelf: Item.transactions, id: parts[2], dialect: "legacy") }
        case "eapi" where parts.count == 4 && parts[1] == "v0" && parts[2] == "ramps":
            return .one(shelf: Item.transactions, id: parts[3], dialect: "native")
        default: break
        }
        throw refusal(.noRoute)
    }

    private func list(_ request: APIRequest, dialect: String) throws(Refusal) -> ListAsk {
        let isLegacy = dialect == "legacy"
        let (start, end) = isLegacy ? ("start_date", "end_date") : ("start", "end")
        var ask = ListAsk(limit: 10)
        ask.dialect = dialect
        ask.isOldestFirst = source.setting("order") == "oldest"
        var days: (from: Timestamp?, to: Timestamp?)
        var page: Int?
        var skip = 0
        for (name, value) in request.query {
            switch name {
            case start: days.from = try day(name, value)
            case end: days.to = try day(name, value)
            case isLegacy ? "per_page" : "limit": ask.limit = try number(name, value, 1...200)
            case "page": page = try number(name, value, 0...1_000_000)
            case "skip" where !isLegacy: skip = try number(name, value, 0...10_000_000)
            case "status":
                ask.filter.fields[name] =
                    isLegacy ? value.split(separator: ",").map(String.init).sorted() : [value]
            case isLegacy ? "account_reference" : "externalCustomerId": ask.filter.fields[name] = [value]
            default: throw refusal(.badParameter(name: name, problem: "is unknown"))
            }
        }
        guard let from = days.from else { throw refusal(.badParameter(name: start, problem: "is required")) }
        guard let to = days.to else { throw refusal(.badParameter(name: end, problem: "is required")) }
        if source.setting("limit") == "capped" { ask.limit = min(ask.limit, Self.cap) }
        window(from, to, of: &ask)
        let first = source.setting("page") == "zero" ? 0 : 1
        let rows = (max(page ?? first, first) - first) * ask.limit + skip
        if rows > 0 { ask.position = .offset(rows) }
        return ask
    }

    /// Days of creation, or of the last change, with their own day or without.
    private func window(_ from: Timestamp, _ to: Timestamp, of ask: inout ListAsk) {
        let isInclusive = source.setting("bounds") == "inclusive"
        let lower = isInclusive ? from : from.adding(seconds: 86_400)
        let upper = isInclusive ? to.adding(seconds: 86_400) : to
        guard source.setting("filter") == "updated" else {
            ask.filter.from = lower
            ask.filter.until = upper
            return
        }
        // Every day on which anything can have happened; nothing lies outside.
        let shape = source.shape
        var day = max(lower, WorldShape.firstDay.adding(seconds: -10 * 86_400))
        let last = min(upper, WorldShape.firstDay.adding(seconds: Int64(shape.allDays + 30) * 86_400))
        var wanted: [String] = []
        while day < last {
            wanted.append(day.utcDate)
            day = day.adding(seconds: 86_400)
        }
        ask.filter.fields["updatedOn"] = wanted
    }

    private func day(_ name: String, _ text: String) throws(Refusal) -> Timestamp {
        guard let day = WireTime.day(text) else {
            throw refusal(.badParameter(name: name, problem: "must be a date"))
        }
        return day
    }

    private func number(_ name: String, _ text: String, _ range: ClosedRange<Int>) throws(Refusal) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw refusal(.badParameter(name: name, problem: "must be \(range.lowerBound) to \(range.upperBound)"))
        }
        return number
    }

    // MARK: answers

    func envelope(_ page: Page, _ ask: ListAsk) -> [UInt8] {
        var json = JSONText()
        let pages = (page.total + ask.limit - 1) / ask.limit
        if ask.dialect == "legacy" {
            let first = source.setting("page") == "zero" ? 0 : 1
            json.object {
                $0.object("data") { $0.raw(source.setting("inner"), bytes: page.array) }
                $0.object("meta") {
                    $0.number("current_page", String(page.offset / ask.limit + first))
                    $0.number("from", page.rows.isEmpty ? nil : String(page.offset + 1))
                    $0.number("last_page", String(max(pages - 1 + first, first)))
                    $0.text("per_page", String(ask.limit))
                    $0.number("to", page.rows.isEmpty ? nil : String(page.offset + page.rows.count))
                    $0.number("total", String(page.total))
                }
            }
            return json.bytes
        }
        func members(_ json: inout JSONText) {
            json.raw("orders", bytes: page.array)
            json.number("pageTotal", String(source.setting("page-total") == "pages" ? pages : page.rows.count))
            json.number("total", String(page.total))
        }
        json.object { json in
            if source.setting("envelope") == "data" {
                json.object("data") { members(&$0) }
                json.array("errors") { _ in }
            } else {
                members(&json)
            }
        }
        return json.bytes
    }

    func refusal(_ trouble: Trouble) -> Refusal {
        switch trouble {
        case .unauthorized: Refusal(status: 401, code: "40100", message: "Not authorized")
        case .forbidden: Refusal(status: 403, code: "40103", message: "Not authorized")
        case .tooMany: Refusal(status: 429, code: "429", message: "Too many requests")
        case .redirect(let status): Refusal(status: status, code: "\(status)", message: "Moved")
        case .badCursor: Refusal(status: 422, code: "4002", message: "The page is invalid", parameter: "page")
        case .server(let status): Refusal(status: status, code: "999", message: "System error")
        case .noRoute: Refusal(status: 404, code: "404", message: "Not found")
        case .notFound: Refusal(status: 404, code: "1", message: "Order not found")
        case .badParameter(let name, let problem):
            Refusal(status: 422, code: "4002", message: "\(name) \(problem)", parameter: name)
        }
    }

    func answer(_ refusal: Refusal, number: Int, at moment: Timestamp) -> APIResponse {
        var json = JSONText()
        json.object { json in
            if source.setting("surface") == "v2" {
                json.text("message", refusal.message)
                json.object("errors") { $0.array(refusal.parameter ?? "request") { $0.text(nil, refusal.message) } }
            } else {
                // Sometimes an array, sometimes an object, as the documents and the client have it.
                func error(_ json: inout JSONText) {
                    json.text("status", refusal.code)
                    json.text("code", String(refusal.status))
                    json.text("title", refusal.message)
                }
                if number.isMultiple(of: 2) {
                    json.object("errors") { error(&$0) }
                } else {
                    json.array("errors") { $0.object { error(&$0) } }
                }
            }
        }
        return APIResponse(refusal.status, json.bytes)
    }
}
