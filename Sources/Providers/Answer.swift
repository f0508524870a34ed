import HTTP
import JSON

/// What all providers' answers have in common when they are read.
enum Answer {
    /// The body as JSON. A value that cannot be used is marked and costs its row, not the page.
    static func json(_ response: HTTPResponse) throws(ProviderFault) -> JSONValue {
        do throws(JSONFault) {
            return try JSONDocument(response.body.bytes, unreadable: .mark).root
        } catch {
            throw .unreadable("no JSON: \(error)")
        }
    }

    /// A count that is written as a number or as text; nil where it is neither or below zero.
    static func count(_ value: JSONValue?) -> Int? {
        guard let value else { return nil }
        let number = value.integer ?? value.string.flatMap { Int64($0) }
        return number.flatMap { $0 >= 0 ? Int($0) : nil }
    }

    /// A plain word of an error answer (`TRANSACTION_INVALID_ID`, `rate_limit`, `5001`): nil for anything that could be a
    /// message, which may hold data.
    static func word(_ value: JSONValue?) -> String? {
        guard let text = value?.scalarText, !text.isEmpty, text.utf8.count <= 100 else { return nil }
        let isWord = text.utf8.allSatisfy {
            (65...90).contains($0) || (97...122).contains($0) || (48...57).contains($0) || $0 == 95
        }
        return isWord ? text : nil
    }
}

extension ProviderPage {
    /// A page of `elements`, each identified by `mapping`.
    init(
        _ elements: [JSONValue], _ mapping: any ElementMapping, next: String?, remaining: Int? = nil, total: Int? = nil,
        saysEnd: Bool = false
    ) {
        let identities = elements.map { mapping.identity(of: $0) }
        let rows = zip(elements, identities).map { element, identity in
            RowFacts(
                id: identity.id ?? String(decoding: element.sourceBytes, as: UTF8.self),
                createdAt: identity.createdAt, isStranger: identity.isStranger)
        }
        self.init(
            elements: elements, identities: identities,
            facts: PageFacts(rows: rows, next: next, remaining: remaining, total: total, saysEnd: saysEnd))
    }
}

/// Text that goes into URLs.
enum URLText {
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

    /// `name=value&…`, both percent-encoded, in the given order.
    static func query(_ items: [(name: String, value: String)]) -> String {
        items.map { escape($0.name) + "=" + escape($0.value) }.joined(separator: "&")
    }
}
