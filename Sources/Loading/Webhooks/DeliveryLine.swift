import Crypto
import JSON
import Payments
import Providers

/// Reads one line of a webhook history: one delivery with the exact bytes of its body.
enum DeliveryLine {
    /// Moments that a capture may carry; others are slips, and each month of them would cost a partition.
    static let plausible = Timestamp(seconds: 946_684_800)...Timestamp(seconds: 7_258_118_400)

    /// Throws a `RowFault` that names the member at fault.
    static func read(_ bytes: [UInt8]) throws(RowFault) -> WebhookDelivery {
        let root: JSONValue
        do throws(JSONFault) {
            root = try JSONDocument(bytes).root
        } catch {
            throw RowFault("line: no JSON, \(error)")
        }
        guard root.isObject else { throw RowFault("line: no object") }
        guard let text = root["receivedAt"]?.string else { throw RowFault("receivedAt: missing") }
        guard let receivedAt = Timestamp(text), plausible.contains(receivedAt) else {
            throw RowFault("receivedAt: not a time with an offset")
        }
        if let method = root["method"]?.string, method.uppercased() != "POST" {
            throw RowFault("method: not POST")
        }
        return WebhookDelivery(
            receivedAt: receivedAt, url: root["url"]?.string ?? "", headers: try headers(root["headers"]),
            body: try body(root))
    }

    /// Values are strings, or arrays of strings where a header came more than once.
    static func headers(_ value: JSONValue?) throws(RowFault) -> [(name: String, value: String)] {
        guard let value, !value.isNull else { return [] }
        guard value.isObject else { throw RowFault("headers: no object") }
        var headers: [(name: String, value: String)] = []
        for (name, value) in value.members {
            if value.isArray {
                for element in value.elements {
                    if let text = element.scalarText { headers.append((name, text)) }
                }
            } else if let text = value.scalarText {
                headers.append((name, text))
            } else if !value.isNull {
                throw RowFault("headers: neither text nor a list of texts")
            }
        }
        return headers
    }

    private static func body(_ root: JSONValue) throws(RowFault) -> [UInt8] {
        let raw = root["rawBody"].flatMap { $0.isNull ? nil : $0 }
        let packed = root["rawBodyBase64"].flatMap { $0.isNull ? nil : $0 }
        switch (raw, packed) {
        case (let raw?, nil):
            guard let bytes = raw.textBytes else { throw RowFault("rawBody: no text") }
            return Array(bytes)
        case (nil, let packed?):
            guard let text = packed.string, let bytes = Base64.decode(text, padding: .optional) else {
                throw RowFault("rawBodyBase64: no Base64")
            }
            return bytes
        case (nil, nil): throw RowFault("rawBody: missing")
        case (_?, _?): throw RowFault("rawBody: given twice")
        }
    }
}
