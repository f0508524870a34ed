import Crypto
package import JSON
package import Payments

/// Banxa's webhooks: `Authorization: Bearer KEY:SIGNATURE:NONCE`, signed over `POST`, the path of the merchant's own
/// endpoint, the nonce and the raw body. Whether a query is part of the path is not documented: both are accepted. The
/// nonce is taken as it is: no tolerance is documented, and history never goes stale.
package struct BanxaWebhooks: WebhookScheme {
    package let signatureHeaders = ["authorization"]
    private static let redaction = Redaction(keepingOnly: Banxa.keptOfEvents, opaque: Banxa.opaquePaths)

    private let keys: WebhookKeys
    private let statusMap: StatusMap

    package init(secrets: [Secret], statusMap: StatusMap) {
        keys = WebhookKeys(secrets)
        self.statusMap = statusMap
    }

    package var keyFingerprints: [String] { keys.fingerprints }

    package func redaction(ofKind kind: String?) -> Redaction { Self.redaction }

    // MARK: Signatures

    /// The signature and the nonce of a header; the API key before them proves nothing. Nil: not of that form.
    private static func proof(in header: String) -> (signature: Substring, nonce: Substring)? {
        let bare = header.drop { $0 == " " }
        guard let blank = bare.firstIndex(of: " "), bare[..<blank].lowercased() == "bearer" else { return nil }
        let parts = bare[blank...].drop { $0 == " " }.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, let nonce = parts.last, !nonce.isEmpty else { return nil }
        let signature = parts[parts.count - 2]
        return signature.isEmpty ? nil : (signature, nonce)
    }

    /// Without the API key, which is a credential and no part of the proof.
    package func kept(header name: String, _ value: String) -> String {
        Self.proof(in: value).map { "Bearer :\($0.signature):\($0.nonce)" } ?? "Bearer"
    }

    package func check(_ delivery: WebhookDelivery, also others: [Secret]) -> SignatureCheck {
        guard let header = delivery.header("authorization"), !header.isEmpty else { return SignatureCheck(.unsigned) }
        guard let (signature, nonce) = Self.proof(in: header) else { return SignatureCheck(.invalid) }
        let target = BanxaSignature.target(of: delivery.url)
        let path = target.prefix { $0 != "?" }
        let messages = (path.endIndex == target.endIndex ? [target] : [path, target]).map {
            BanxaSignature.message(method: "POST", path: $0, nonce: nonce, body: delivery.body)
        }
        return keys.check(also: others) { secret in
            messages.contains { constantTimeEqual(BanxaSignature.make(secret, $0).utf8, signature.utf8) }
        }
    }

    // MARK: Bodies

    /// The legacy documents write `{'order_id':'…'}`, which is no JSON. Exactly that form is read as if its quotes were
    /// double; nil for everything else.
    package func readable(_ body: [UInt8]) -> [UInt8]? {
        let text = String(decoding: body, as: UTF8.self)
        let bare = text.filter { !$0.isWhitespace }
        let (head, tail) = ("{'order_id':'", "'}")
        guard bare.hasPrefix(head), bare.hasSuffix(tail), bare.utf8.count > head.utf8.count + tail.utf8.count else {
            return nil
        }
        let id = bare.dropFirst(head.count).dropLast(tail.count)
        let isID = id.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 95
        }
        return isID ? Array("{\"order_id\":\"\(id)\"}".utf8) : nil
    }

    package func event(
        _ delivery: WebhookDelivery, root: JSONValue, bodyDigest: [UInt8]
    ) throws(RowFault) -> MappedEvent {
        do throws(RowFault) {
            try ElementReader.checkUsable(root)
            return try event(BanxaReader(element: root), bodyDigest)
        } catch {
            var fault = error
            fault.recordID = Hex.encode(bodyDigest)
            fault.references = BanxaWord.references(root["order_id"]?.scalarText, order: nil, hash: nil)
            throw fault
        }
    }

    /// There is no event id. A change of an order is named by the order, its status and the moment of the status;
    /// whatever lacks one of them by the digest of its body, which a retry repeats.
    private func event(_ reader: BanxaReader, _ bodyDigest: [UInt8]) throws(RowFault) -> MappedEvent {
        let order = try reader.text("order_id")
        let status = try reader.text("status")
        let statusDate = try reader.time("status_date")
        var key = Hex.encode(bodyDigest)
        if let order, let status, let statusDate { key = "\(order)/\(status)/\(statusDate)" }
        var event = MappedEvent(eventKey: key)
        event.eventTime = statusDate
        if statusDate == nil { event.eventTime = try reader.time("updated_at") }
        let customer = try reader.customer(
            "external_customer_id", "identity_reference", "identityReference", "account_reference")
        if case .named(let id) = customer { event.customerID = id }
        guard let order else {
            // About a person or an account: no payment is named, and nothing is said about money.
            event.flags.append("order_id_missing")
            return event
        }
        event.transactionID = order
        event.direction = BanxaWord.direction(try reader.text("order_type"))
        let hash = BanxaWord.chainHash(try reader.text("transaction_hash"))
        event.references = BanxaWord.references(order, order: try reader.text("external_id"), hash: hash)
        event.rawStatus = status
        guard let status else { return event }
        let method = BanxaWord.methodClass(try reader.text("payment_method"))
        // One without a direction is read so that the money holds for whatever direction the order turns out to have.
        let direction = event.direction ?? BanxaWord.direction(ofStatus: status) ?? .in
        var reading = statusMap.reading(status, .init(direction: direction, method: method))
        if let money = BanxaWord.money(reading, event.direction, hash: hash) { reading = reading.with(money) }
        event.reading = reading
        if !reading.isKnown { event.flags.append("status_unknown") }
        return event
    }
}
