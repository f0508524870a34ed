import Crypto
package import JSON
package import Payments

/// Coinbase's webhooks: `X-Hook0-Signature: t=…,v0=…,h=…,v1=…`. v1 is the hexadecimal HMAC-SHA-256 over the time, the
/// names in `h`, those headers' values and the body; v0 is over time and body. Either proves a delivery: a proxy that
/// touches a header breaks v1. What was signed more than five minutes before or after it came is stale.
package struct CoinbaseWebhooks: WebhookScheme {
    package let signatureHeaders = [
        "x-hook0-signature", "content-type", "x-event-id", "x-event-type", "x-hook0-event-id", "x-hook0-id",
    ]
    /// Seconds between signing and arrival.
    static let tolerance: Int64 = 300

    private let keys: WebhookKeys
    private let statusMap: StatusMap
    private let isLive: Bool

    package init(secrets: [Secret], statusMap: StatusMap, isLive: Bool) {
        keys = WebhookKeys(secrets)
        self.statusMap = statusMap
        self.isLive = isLive
    }

    package var keyFingerprints: [String] { keys.fingerprints }

    package func redaction(ofKind kind: String?) -> Redaction { Coinbase.redaction }

    // MARK: Signature

    private struct Signature {
        var time = ""
        var names: [String] = []
        var bare: [UInt8]?
        var withHeaders: [UInt8]?

        /// Nil where the header is none.
        init?(_ header: String) {
            for part in header.split(separator: ",") {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2 else { return nil }
                let value = String(pair[1])
                switch pair[0].filter({ $0 != " " }) {
                case "t": time = value
                case "h": names = value.split(separator: " ").map(String.init)
                case "v0": bare = Hex.decode(value)
                case "v1": withHeaders = Hex.decode(value)
                default: break
                }
            }
            if time.isEmpty || (bare == nil && withHeaders == nil) { return nil }
        }

        var moment: Timestamp? { Int64(time).flatMap { Timestamp(unixSeconds: $0) } }

        /// By which version of the scheme the secret proves the delivery.
        func form(_ secret: Secret, _ delivery: WebhookDelivery) -> SignatureForm? {
            if let withHeaders, constantTimeEqual(code(secret, delivery, names: names), withHeaders) { return .only }
            if let bare, constantTimeEqual(code(secret, delivery, names: nil), bare) { return .named("v0") }
            return nil
        }

        private func code(_ secret: Secret, _ delivery: WebhookDelivery, names: [String]?) -> [UInt8] {
            var message = Array("\(time).".utf8)
            if let names {
                let values = names.map { delivery.header($0) ?? "" }
                message += "\(names.joined(separator: " ")).\(values.joined(separator: ".")).".utf8
            }
            return HMACCode.sha256(key: secret, message: message + delivery.body)
        }
    }

    package func check(_ delivery: WebhookDelivery, also others: [Secret]) -> SignatureCheck {
        guard let header = delivery.header("x-hook0-signature"), !header.isEmpty else {
            return SignatureCheck(.unsigned)
        }
        guard let signature = Signature(header), let moment = signature.moment else { return SignatureCheck(.invalid) }
        let age = delivery.receivedAt.microseconds - moment.microseconds
        let isStale = abs(age) > Self.tolerance * 1_000_000
        return keys.check(also: others, as: isStale ? .stale : .valid, form: { signature.form($0, delivery) })
    }

    // MARK: Body

    package func event(
        _ delivery: WebhookDelivery, root: JSONValue, bodyDigest: [UInt8]
    ) throws(RowFault) -> MappedEvent {
        let key = delivery.header("x-event-id").flatMap { $0.isEmpty ? nil : $0 } ?? Hex.encode(bodyDigest)
        do throws(RowFault) {
            try ElementReader.checkUsable(root)
            return try event(CoinbaseFields(root), delivery, key)
        } catch {
            var fault = error
            let fields = CoinbaseFields(root)
            fault.recordID = key
            fault.references = CoinbaseMapping.references(fields["transaction_id"]?.scalarText, hash: nil)
            fault.references += [Reference("coinbase:order", fields["order_id"]?.scalarText)].compactMap(\.self)
            throw fault
        }
    }

    private func event(
        _ fields: CoinbaseFields, _ delivery: WebhookDelivery, _ key: String
    ) throws(RowFault) -> MappedEvent {
        var event = MappedEvent(eventKey: key)
        event.kind = try fields.text("event_type")
        let transaction = try fields.text("transaction_id")
        let order = try fields.text("order_id")
        // The standard flow tells of a transaction, the headless one of an order.
        event.transactionID = transaction ?? order.map { "order/\($0)" }
        event.eventTime = try fields.time("updated_at")
        if event.eventTime == nil {
            event.eventTime = delivery.header("x-hook0-signature").flatMap { Signature($0)?.moment }
        }
        event.references = CoinbaseMapping.references(transaction, hash: try fields.hash())
        event.references += [Reference("coinbase:order", order)].compactMap(\.self)
        if delivery.header("x-event-id") == nil { event.flags.append("event_id_missing") }
        if let reference = try fields.text("partner_user_ref") {
            event.isTest = isLive && reference.hasPrefix(CoinbaseFields.testPrefix)
            if CoinbaseFields.isOpaque(reference) { event.customerID = reference }
        }
        // `eventType` may disagree with the status and decides nothing.
        guard event.transactionID != nil, let status = try fields.text("status") else { return event }
        let reading = try CoinbaseMapping.reading(status, fields, statusMap)
        event.rawStatus = status
        event.reading = reading
        event.direction = .in
        if !reading.isKnown { event.flags.append("status_unknown") }
        return event
    }
}
