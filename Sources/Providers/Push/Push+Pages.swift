package import HTTP
import JSON
import Payments

/// Requests of one kind's list (`/intent/list`, …) and of single records, and how their answers are read.
///
/// Lists go by an opaque `next_cursor`, which holds `=` and is sent back percent-encoded; the window goes with every
/// page, since whether it has to is not documented. `created_at.after` may or may not list its own moment: the walk's
/// overlap covers that. There is no parameter for the size of a page.
package struct PushPages: Lister, SingleReader {
    let configuration: PushConfiguration
    let mapping: PushMapping

    package var pageLimit: Int { configuration.pageSize }
    package var expectedStatuses: Set<Int> { [400, 401, 404, 410, 422] }
    package var keys: Set<ReadKey> { [.id] }
    package var idKinds: [String] { mapping.kind.idKinds }

    package func request(for ask: PageAsk) -> HTTPRequest {
        var query: [(name: String, value: String)] = []
        if let from = ask.from { query.append(("created_at.after", Self.moment(from))) }
        if let to = ask.to { query.append(("created_at.before", Self.moment(to, roundingUp: true))) }
        if mapping.kind == .line, let account = configuration.accountID { query.append(("account_id", account)) }
        if let cursor = ask.cursor { query.append(("cursor", cursor)) }
        let path = "/\(mapping.kind.path)/list"
        return request(query.isEmpty ? path : "\(path)?\(URLText.query(query))")
    }

    package func request(for ask: ReadAsk) -> HTTPRequest? {
        ask.id.map { request("/\(mapping.kind.path)/\(URLText.escape($0))") }
    }

    private func request(_ path: String) -> HTTPRequest {
        HTTPRequest(
            url: configuration.apiBase + path, headers: [("Accept", "application/json")],
            secretHeaders: [("Authorization", Secret("Bearer \(configuration.apiKey.reveal())"))])
    }

    package func page(from response: HTTPResponse, to ask: PageAsk) throws(ProviderFault) -> ProviderPage {
        guard (200...299).contains(response.status) else {
            // The same request without a position was answered, so it is the position that is refused.
            if ask.cursor != nil, response.status != 401 { throw .cursorRejected }
            throw .refused(status: response.status, code: nil)
        }
        let root = try Answer.json(response)
        guard let list = root["data"], list.isArray else { throw .unreadable("no list in `data`") }
        let cursor = root["next_cursor"]
        if let cursor, !cursor.isNull, cursor.string == nil { throw .unreadable("`next_cursor` is no text") }
        let next = cursor?.string.flatMap { $0.isEmpty ? nil : $0 }
        // Null says that nothing follows; a list that lacks the key says nothing.
        return ProviderPage(Array(list.elements), mapping, next: next, saysEnd: cursor != nil && next == nil)
    }

    package func answer(from response: HTTPResponse, to ask: ReadAsk) throws(ProviderFault) -> SingleAnswer {
        switch response.status {
        case 200...299: break
        // Codes are not documented: the status alone says that there is no such record, or that this is no id of one.
        case 400, 404, 410, 422: return .elements([])
        case 401:
            guard let declined = Self.declined(response), declined["created_at"] != nil else {
                throw .refused(status: 401, code: nil)
            }
            return .elements([declined])
        default: throw .refused(status: response.status, code: nil)
        }
        let root = try Answer.json(response)
        guard root.isObject, root["id"] != nil else { throw .unreadable("no \(mapping.kind.path)") }
        return .elements([root])
    }

    /// The intent or refund that an answer of 401 calls declined; nil: it is about the key.
    static func declined(_ response: HTTPResponse) -> JSONValue? {
        guard let root = try? JSONDocument(response.body.bytes, unreadable: .mark).root,
            root["id"]?.string?.isEmpty == false, root["status"]?.string == "declined"
        else { return nil }
        return root
    }

    /// `2026-11-25T00:00:00.000Z`: the API's own precision. An end is rounded up, so that its last rows stay inside.
    static func moment(_ time: Timestamp, roundingUp: Bool = false) -> String {
        let (whole, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1000)
        var milliseconds = rest < 0 ? whole - 1 : whole
        if roundingUp, rest != 0 { milliseconds += 1 }
        let text = Timestamp(microseconds: milliseconds * 1000).description
        return text.count == 20 ? text.dropLast() + ".000Z" : text.prefix(23) + "Z"
    }
}
