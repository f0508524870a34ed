package import HTTP
import JSON
import Payments

/// Requests of Meld's transaction search and of single transactions, and how their answers are read.
///
/// The search is walked by the opaque `key` of its rows. Unknown query names are answered with 400, so nothing
/// speculative is ever sent; the same filters go with every page.
package struct MeldPages: Lister, SingleReader {
    package let configuration: MeldConfiguration
    let mapping: MeldMapping

    package var pageLimit: Int { configuration.pageLimit }
    package var expectedStatuses: Set<Int> { [400, 404, 410, 422] }

    package func request(for ask: PageAsk) -> HTTPRequest {
        var query = "limit=\(min(ask.limit, pageLimit))"
        if let from = ask.from { query += "&from=" + URLText.escape(Self.moment(from)) }
        if let to = ask.to { query += "&to=" + URLText.escape(Self.moment(to)) }
        if let cursor = ask.cursor { query += "&\(ask.edge.rawValue)=" + URLText.escape(cursor) }
        return request("/payments/transactions?\(query)")
    }

    package var isOneWay: Bool { false }
    package var keys: Set<ReadKey> { [.id] }
    package var idKinds: [String] { ["meld:transaction"] }

    package func request(for ask: ReadAsk) -> HTTPRequest? {
        ask.id.map { request("/payments/transactions/\(URLText.escape($0))") }
    }

    private func request(_ path: String) -> HTTPRequest {
        HTTPRequest(
            url: configuration.apiBase + path,
            headers: [("Meld-Version", configuration.version), ("Accept", "application/json")],
            // The literal word and the raw key: this is not RFC 7617, nothing is encoded.
            secretHeaders: [("Authorization", Secret("BASIC \(configuration.apiKey.reveal())"))])
    }

    package func page(from response: HTTPResponse, to ask: PageAsk) throws(ProviderFault) -> ProviderPage {
        guard (200...299).contains(response.status) else {
            // The same request without a position was answered, so it is the position that is refused.
            if ask.cursor != nil { throw .cursorRejected }
            throw .refused(status: response.status, code: Self.code(response))
        }
        let root = try Answer.json(response)
        // Wrapped, or a bare array as some integrators defend against.
        let list = root.isArray ? root : root["transactions"]
        guard let list, list.isArray else { throw .unreadable("no list of transactions") }
        let elements = Array(list.elements)
        let next = elements.last { $0["key"]?.string?.isEmpty == false }?["key"]?.string
        return ProviderPage(
            elements, mapping, next: next, remaining: Answer.count(root["remaining"]),
            total: Answer.count(root["totalCount"]))
    }

    package func answer(from response: HTTPResponse, to ask: ReadAsk) throws(ProviderFault) -> SingleAnswer {
        .elements(try element(from: response).map { [$0] } ?? [])
    }

    /// Nil: the provider does not know the id.
    private func element(from response: HTTPResponse) throws(ProviderFault) -> JSONValue? {
        switch response.status {
        case 200...299: break
        case 404, 410: return nil
        default:
            let code = Self.code(response)
            if response.status == 400, code == "TRANSACTION_INVALID_ID" { return nil }
            throw .refused(status: response.status, code: code)
        }
        let root = try Answer.json(response)
        if let wrapped = root["transaction"] {
            if wrapped.isNull { return nil }
            guard wrapped.isObject else { throw .unreadable("`transaction` is no object") }
            return wrapped
        }
        guard root.isObject, root["id"] != nil else { throw .unreadable("no transaction") }
        return root
    }

    /// The code of an error answer: at the top, or under `error`, or none.
    private static func code(_ response: HTTPResponse) -> String? {
        guard let root = try? JSONDocument(response.body.bytes).root else { return nil }
        return Answer.word(root["code"] ?? root["error"]?["code"])
    }

    /// `2026-07-30T12:00:00`, UTC; the zone in which Meld reads it is not documented, which the walk's overlap covers.
    static func moment(_ time: Timestamp) -> String { String(time.description.prefix(19)) }
}
