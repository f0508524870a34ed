package import HTTP
import JSON
import Payments

/// Coinbase's two lists of v1 transactions, newest first. That of the app goes by a period of creation (its end left out)
/// and may show finished transactions alone; that of a customer shows all of hers and is asked for whoever has an order
/// that is not paid for or a transaction that is not final. Page keys count rows, so rows shift.
package struct CoinbasePages: Lister, SingleReader {
    package let configuration: CoinbaseConfiguration
    let mapping: CoinbaseMapping

    package var pageLimit: Int { configuration.pageLimit }
    package var expectedStatuses: Set<Int> { [400, 404] }
    /// Open transactions are missing from it, which says nothing against it.
    package var showsAllRows: Bool { false }

    /// Without a start the list goes back a month only. No onramp is older.
    static let first = "2020-01-01T00:00:00Z"

    package func request(for ask: PageAsk) -> HTTPRequest {
        var items = [("page_size", String(min(ask.limit, pageLimit)))]
        items.append(("start_date", Self.moment(ask.from) ?? Self.first))
        if let to = Self.moment(ask.to) { items.append(("end_date", to)) }
        if let cursor = ask.cursor { items.append(("page_key", cursor)) }
        return request("/onramp/v1/buy/transactions", items)
    }

    /// Whole seconds: a fraction is not documented.
    private static func moment(_ time: Timestamp?) -> String? { time.map { String($0.description.prefix(19)) + "Z" } }

    package var keys: Set<ReadKey> { [.customer, .row] }
    package var idKinds: [String] { [] }

    package func request(for ask: ReadAsk) -> HTTPRequest? {
        guard let customer = ask.customerID, CoinbaseFields.canBeAskedFor(customer) else { return nil }
        return request(customer, pageKey: nil)
    }

    private func request(_ customer: String, pageKey: String?) -> HTTPRequest {
        // One row a page is the default.
        var items = [("page_size", String(pageLimit))]
        if let pageKey { items.append(("page_key", pageKey)) }
        var request = request("/onramp/v1/buy/user/\(URLText.escape(customer))/transactions", items)
        request.shownPath = "/onramp/v1/buy/user/…/transactions"
        return request
    }

    package func following(_ response: HTTPResponse, to ask: ReadAsk) -> HTTPRequest? {
        guard (200...299).contains(response.status), let root = try? Answer.json(response), let key = Self.next(root),
            let customer = ask.customerID
        else { return nil }
        return request(customer, pageKey: key)
    }

    private func request(_ path: String, _ items: [(String, String)]) -> HTTPRequest {
        let named = items.map { (name: configuration.usesCamelCase ? CoinbaseFields.camel($0) : $0, value: $1) }
        return HTTPRequest(
            url: "\(configuration.apiBase)\(path)?\(URLText.query(named))", headers: [("Accept", "application/json")])
    }

    package func page(from response: HTTPResponse, to ask: PageAsk) throws(ProviderFault) -> ProviderPage {
        guard (200...299).contains(response.status) else {
            // The same request without a position was answered, so it is the position that is refused.
            if ask.cursor != nil { throw .cursorRejected }
            throw .refused(status: response.status, code: Coinbase.code(response))
        }
        let root = try Answer.json(response)
        let elements = try Self.elements(root)
        let next = Self.next(root)
        // Without a key there is no further page, also behind a full one; an empty page may be a lapse.
        return ProviderPage(
            elements, mapping, next: next, total: Answer.count(root["total_count"] ?? root["totalCount"]),
            saysEnd: next == nil && !elements.isEmpty)
    }

    package func answer(from response: HTTPResponse, to ask: ReadAsk) throws(ProviderFault) -> SingleAnswer {
        switch response.status {
        case 200...299: return .elements(try Self.elements(try Answer.json(response)))
        // A customer of whom nothing is known.
        case 404: return .elements([])
        default: throw .refused(status: response.status, code: Coinbase.code(response))
        }
    }

    private static func elements(_ root: JSONValue) throws(ProviderFault) -> [JSONValue] {
        if root.isArray { return Array(root.elements) }
        guard let list = root["transactions"] else {
            // An empty list may be left out, as empty texts and zeros are.
            guard root.isObject, root["code"] == nil, root["errorType"] == nil else {
                throw .unreadable("no list of transactions")
            }
            return []
        }
        if list.isNull { return [] }
        guard list.isArray else { throw .unreadable("no list of transactions") }
        return Array(list.elements)
    }

    private static func next(_ root: JSONValue) -> String? {
        (root["next_page_key"] ?? root["nextPageKey"])?.scalarText.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension Coinbase {
    /// The code of an error answer of either generation; nil for plain text.
    static func code(_ response: HTTPResponse) -> String? {
        guard let root = try? JSONDocument(response.body.bytes).root else { return nil }
        return Answer.word(root["errorType"] ?? root["code"])
    }
}
