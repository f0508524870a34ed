package import HTTP
import JSON
import Payments

/// Requests of Mercuryo's one list and how its answers are read. The list goes by offset, and rows shift when new ones
/// arrive; it knows whole days of creation only, and no single transaction: one is looked for by the merchant's
/// reference.
package struct MercuryoPages: Lister, SingleReader {
    package let configuration: MercuryoConfiguration
    let mapping: MercuryoMapping

    package var pageLimit: Int { configuration.pageLimit }
    package var expectedStatuses: Set<Int> { [400, 404, 422] }
    /// It is asked for the whole days that cover a window.
    package var hasExactWindows: Bool { false }

    package func request(for ask: PageAsk) -> HTTPRequest {
        var items: [(name: String, value: String)] = []
        if let widget = configuration.widgetID { items.append(("widget_id", widget)) }
        // Days that cover the span, in case that an end's own day is not listed a day more was asked for already.
        if let from = ask.from { items.append(("date_start", from.utcDate)) }
        if let to = ask.to { items.append(("date_end", to.utcDate)) }
        items.append(("limit", String(min(ask.limit, pageLimit))))
        items.append(("offset", ask.cursor ?? "0"))
        return request(items)
    }

    package var keys: Set<ReadKey> { [.row, .order] }
    package var idKinds: [String] { [] }

    package func request(for ask: ReadAsk) -> HTTPRequest? {
        ask.reference("book:order").map { request([("merchant_transaction_id", $0), ("limit", "50")]) }
    }

    private func request(_ items: [(name: String, value: String)]) -> HTTPRequest {
        HTTPRequest(
            url: configuration.apiBase + "/v1.6/sdk-partner/transactions?" + URLText.query(items),
            headers: [("Accept", "application/json")],
            secretHeaders: [("Sdk-Partner-Token", configuration.partnerToken)])
    }

    package func page(from response: HTTPResponse, to ask: PageAsk) throws(ProviderFault) -> ProviderPage {
        guard (200...299).contains(response.status) else {
            // The same request without a position was answered, so it is the position that is refused.
            if ask.cursor != nil { throw .cursorRejected }
            throw .refused(status: response.status, code: Self.code(response))
        }
        let root = try Answer.json(response)
        let elements = try Self.elements(of: root)
        // A page that holds more rows than were asked for holds some of the next one.
        let step = min(elements.count, min(ask.limit, pageLimit))
        let next = elements.isEmpty ? nil : String((ask.cursor.flatMap { Int($0) } ?? 0) + step)
        return ProviderPage(elements, mapping, next: next, total: Answer.count(root["total"]))
    }

    package func answer(from response: HTTPResponse, to ask: ReadAsk) throws(ProviderFault) -> SingleAnswer {
        switch response.status {
        case 200...299: return .elements(try Self.elements(of: try Answer.json(response)))
        case 404: return .elements([])
        default: throw .refused(status: response.status, code: Self.code(response))
        }
    }

    private static func elements(of root: JSONValue) throws(ProviderFault) -> [JSONValue] {
        // Wrapped, or a bare array.
        let list = root.isArray ? root : root["data"]
        guard let list, list.isArray else { throw .unreadable("no list of transactions") }
        return Array(list.elements)
    }

    private static func code(_ response: HTTPResponse) -> String? {
        guard let root = try? JSONDocument(response.body.bytes).root else { return nil }
        return Answer.word(root["code"])
    }
}
