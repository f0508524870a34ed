package import HTTP
package import JSON
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
        if let from = ask.from { query += "&from=" + Self.escape(Self.moment(from)) }
        if let to = ask.to { query += "&to=" + Self.escape(Self.moment(to)) }
        if let cursor = ask.cursor { query += "&\(ask.edge.rawValue)=" + Self.escape(cursor) }
        return request("/payments/transactions?\(query)")
    }

    package func request(forID id: String) -> HTTPRequest { request("/payments/transactions/\(Self.escape(id))") }

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
        let root = try Self.document(response)
        // Wrapped, or a bare array as some integrators defend against.
        let list = root.isArray ? root : root["transactions"]
        guard let list, list.isArray else { throw .unreadable("no list of transactions") }
        var elements: [JSONValue] = []
        var identities: [RowIdentity] = []
        var rows: [RowFacts] = []
        elements.reserveCapacity(list.count)
        identities.reserveCapacity(list.count)
        rows.reserveCapacity(list.count)
        var next: String?
        for element in list.elements {
            let identity = mapping.identity(of: element)
            elements.append(element)
            identities.append(identity)
            rows.append(
                RowFacts(
                    id: identity.id ?? String(decoding: element.sourceBytes, as: UTF8.self),
                    createdAt: identity.createdAt, isStranger: identity.isStranger))
            if let key = element["key"]?.string, !key.isEmpty { next = key }
        }
        let facts = PageFacts(
            rows: rows, next: next, remaining: Self.count(root["remaining"]), total: Self.count(root["totalCount"]))
        return ProviderPage(elements: elements, identities: identities, facts: facts)
    }

    package func element(from response: HTTPResponse) throws(ProviderFault) -> JSONValue? {
        switch response.status {
        case 200...299: break
        case 404, 410: return nil
        default:
            let code = Self.code(response)
            if response.status == 400, code == "TRANSACTION_INVALID_ID" { return nil }
            throw .refused(status: response.status, code: code)
        }
        let root = try Self.document(response)
        if let wrapped = root["transaction"] {
            if wrapped.isNull { return nil }
            guard wrapped.isObject else { throw .unreadable("`transaction` is no object") }
            return wrapped
        }
        guard root.isObject, root["id"] != nil else { throw .unreadable("no transaction") }
        return root
    }

    private static func document(_ response: HTTPResponse) throws(ProviderFault) -> JSONValue {
        do throws(JSONFault) {
            // A value that cannot be used is marked and costs its row, not the page.
            return try JSONDocument(response.body.bytes, unreadable: .mark).root
        } catch {
            throw .unreadable("no JSON: \(error)")
        }
    }

    /// The code of an error answer: at the top, or under `error`, or none. Only a plain word, never a message.
    private static func code(_ response: HTTPResponse) -> String? {
        guard let root = try? JSONDocument(response.body.bytes).root else { return nil }
        guard let code = root["code"]?.string ?? root["error"]?["code"]?.string, code.utf8.count <= 100 else {
            return nil
        }
        let isWord = code.utf8.allSatisfy { (65...90).contains($0) || (48...57).contains($0) || $0 == 95 }
        return isWord ? code : nil
    }

    private static func count(_ value: JSONValue?) -> Int? { value?.integer.flatMap { $0 >= 0 ? Int($0) : nil } }

    /// `2026-07-30T12:00:00`, UTC; the zone in which Meld reads it is not documented, which the walk's overlap covers.
    static func moment(_ time: Timestamp) -> String { String(time.description.prefix(19)) }

    /// Percent-encodes all but unreserved characters.
    static func escape(_ text: String) -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, 45, 46, 95, 126: bytes.append(byte)
            default: bytes += [37, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
