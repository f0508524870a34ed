import Foundation
import HTTP
import Payments
import Synchronization

@testable import Loading

/// Meld's transaction search and single read in process: rows as JSON text, newest first, opaque keys.
final class FakeMeld: Sendable {
    struct Row: Sendable {
        var id: String
        var createdAt: Timestamp
        /// All members besides id, createdAt and key, as JSON text without braces.
        var members: String
        /// Not shown by the list before this many list requests were answered.
        var hidden = false
        /// Not known by id either.
        var gone = false
    }

    struct State {
        var rows: [Row] = []
        var asked: [String] = []
        var fails: [Int: HTTPError.Kind] = [:]
        var keyPrefix = "key-"
        /// Cursors of an older prefix are refused.
        var expireCursors = false
        /// Oldest rows first instead of newest.
        var oldestFirst = false
        /// `after` leads to the head of the list, `before` away from it.
        var swapped = false
        /// A bare array: no counts.
        var isBare = false
        /// Written behind the whole seconds of creation times that have none.
        var fraction = ""
        /// JSON texts that stand on the first page beside the rows.
        var extraElements: [String] = []
        /// The list's own order, the greatest first, where it is not that of creation.
        var sortsBy: (@Sendable (Row) -> Int)?
        var onRequest: (@Sendable (Int, inout State) -> Void)?
    }

    let state = Mutex(State())

    init(_ rows: [Row] = []) { state.withLock { $0.rows = rows } }

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    var asked: [String] { state.withLock { $0.asked } }

    @Sendable func answer(_ request: HTTPRequest, _ expected: Set<Int>) async throws(HTTPError) -> HTTPResponse {
        let result: Result<HTTPResponse, HTTPError> = state.withLock { state in
            state.asked.append(request.url)
            let number = state.asked.count
            state.onRequest?(number, &state)
            if let kind = state.fails[number] { return .failure(HTTPError(kind, request)) }
            return .success(Self.respond(request, &state))
        }
        let response = try result.get()
        guard (200...299).contains(response.status) || expected.contains(response.status) else {
            throw HTTPError(.status(response.status), request)
        }
        return response
    }

    private static func respond(_ request: HTTPRequest, _ state: inout State) -> HTTPResponse {
        let parts = request.url.split(separator: "?", maxSplits: 1)
        let path = parts[0]
        if let id = path.components(separatedBy: "/payments/transactions/").dropFirst().first {
            guard let row = state.rows.last(where: { $0.id == id && !$0.gone }) else {
                return json(404, #"{"code":"TRANSACTION_INVALID_ID","message":"x"}"#)
            }
            return json(200, #"{"transaction":\#(text(row, key: nil))}"#)
        }
        var query: [String: String] = [:]
        for item in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1).map { $0.removingPercentEncoding ?? "" }
            query[pair[0]] = pair.count > 1 ? pair[1] : ""
        }
        let known: Set = ["limit", "from", "to", "after", "before"]
        guard Set(query.keys).isSubset(of: known) else { return json(400, #"{"code":"BAD_REQUEST"}"#) }
        let from = query["from"].flatMap { Timestamp($0, assumingUTC: true) }
        let to = query["to"].flatMap { Timestamp($0, assumingUTC: true) }
        let listed = state.rows.filter { !$0.hidden && !$0.gone }
            .filter { row in from.map { row.createdAt > $0 } != false && to.map { row.createdAt < $0 } != false }
            .sorted { a, b in
                if let key = state.sortsBy { return key(a) > key(b) }
                return ((a.createdAt, a.id) > (b.createdAt, b.id)) != state.oldestFirst
            }
        var slice = listed[...]
        if let cursor = query["after"] ?? query["before"] {
            guard cursor.hasPrefix(state.keyPrefix), !state.expireCursors,
                let place = listed.firstIndex(where: { cursor == state.keyPrefix + $0.id })
            else { return json(400, #"{"code":"BAD_REQUEST","message":"bad key"}"#) }
            let isBack = (query["before"] != nil) != state.swapped
            // Towards the head the rows nearest to the position come, in the list's own order.
            slice = isBack ? listed[..<place].suffix(query["limit"].flatMap { Int($0) } ?? 10) : listed[(place + 1)...]
        }
        let page = slice.prefix(query["limit"].flatMap { Int($0) } ?? 10)
        let extra = query["after"] == nil && query["before"] == nil ? state.extraElements : []
        let texts = (page.map { text($0, key: state.keyPrefix + $0.id, state.fraction) } + extra)
            .joined(separator: ",")
        if state.isBare { return json(200, "[\(texts)]") }
        let numbers =
            #""count":\#(page.count),"remaining":\#(slice.count - page.count),"totalCount":\#(listed.count)"#
        return json(200, "{\(numbers),\"transactions\":[\(texts)]}")
    }

    static func text(_ row: Row, key: String?, _ fraction: String = "") -> String {
        let key = key.map { #""key":"\#($0)","# } ?? ""
        let createdAt = row.createdAt.description.replacing("Z", with: fraction + "Z")
        return "{\(key)\"id\":\"\(row.id)\",\"createdAt\":\"\(createdAt)\",\(row.members)}"
    }

    private static func json(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: HTTPHeaders([("content-type", "application/json")]),
            body: HTTPBody(Array(text.utf8)))
    }
}

extension FakeMeld.Row {
    /// A purchase with the usual members.
    static func purchase(
        _ id: String, _ createdAt: Timestamp, status: String = "SETTLED", amount: String = "100.00",
        currency: String = "EUR", updatedAt: Timestamp? = nil, more: String = ""
    ) -> FakeMeld.Row {
        FakeMeld.Row(
            id: id, createdAt: createdAt,
            members: """
                "accountId":"ACC","transactionType":"CRYPTO_PURCHASE","status":"\(status)","sourceAmount":\(amount),\
                "sourceCurrencyCode":"\(currency)","destinationAmount":0.0015,"destinationCurrencyCode":"BTC",\
                "serviceProvider":"MERCURYO","paymentMethodType":"APPLE_PAY","sessionId":"S-\(id)",\
                "updatedAt":"\(updatedAt ?? createdAt)"\(more)
                """)
    }
}
