import Crypto
package import JSON
package import Payments

/// dLocal's notifications: HMAC-SHA-256 over the configured X-Login, the header X-Date and the raw body, as hexadecimal
/// digits in `Authorization` (or bare in `Signature`, as its other products send it). No tolerance is documented: history
/// never goes stale. There is neither envelope nor event id: the object's shape tells what it is about.
package struct DLocalWebhooks: WebhookScheme {
    package let signatureHeaders = ["authorization", "signature", "x-date"]
    private let login: Secret
    private let keys: WebhookKeys
    private let reading: DLocalReading

    init(configuration: DLocalConfiguration, reading: DLocalReading) {
        login = configuration.login
        var secrets = [configuration.secretKey]
        for secret in configuration.webhookSecrets where !secrets.contains(secret) { secrets.append(secret) }
        keys = WebhookKeys(secrets)
        self.reading = reading
    }

    package var keyFingerprints: [String] { keys.fingerprints }

    /// The kind decides nothing: whatever an object turns out to be, the same is cut.
    package func redaction(ofKind kind: String?) -> Redaction { reading.redaction }

    package func check(_ delivery: WebhookDelivery, also others: [Secret]) -> SignatureCheck {
        let headers = [delivery.header("authorization"), delivery.header("signature")].compactMap(\.self)
            .filter { !$0.isEmpty }
        if headers.isEmpty { return SignatureCheck(.unsigned) }
        let codes = [
            delivery.header("authorization").flatMap { DLocalSignature.code(inAuthorization: $0) },
            delivery.header("signature").flatMap {
                DLocalSignature.code(bare: $0) ?? DLocalSignature.code(inAuthorization: $0)
            },
        ].compactMap(\.self)
        guard !codes.isEmpty, let date = delivery.header("x-date") else { return SignatureCheck(.invalid) }
        return keys.check(also: others) { secret in
            let expected = DLocalSignature.code(key: secret, login: login, date: date, body: delivery.body)
            return codes.contains { constantTimeEqual(expected, $0) }
        }
    }

    package func event(
        _ delivery: WebhookDelivery, root: JSONValue, bodyDigest: [UInt8]
    ) throws(RowFault) -> MappedEvent {
        let key = Self.key(root, bodyDigest)
        do throws(RowFault) {
            return try event(ElementReader(element: root), key, delivery)
        } catch {
            var fault = error
            fault.recordID = key
            fault.references = reading.references(ElementReader(element: root), Self.kind(of: root))
            throw fault
        }
    }

    /// There is no event id: a repeated delivery has the same object, words and bytes.
    private static func key(_ root: JSONValue, _ bodyDigest: [UInt8]) -> String {
        let digest = Hex.encode(bodyDigest)
        guard root.isObject, let id = root["id"]?.scalarText, !id.isEmpty else { return digest }
        return [id, root["status"]?.scalarText ?? "", root["status_code"]?.scalarText ?? "", digest]
            .joined(separator: "/")
    }

    private static func kind(of root: JSONValue) -> DLocalKind? {
        DLocalKind.classify(
            id: root["id"]?.scalarText, status: root["status"]?.scalarText,
            members: Set(root.members.filter { !$0.value.isNull }.map(\.key)))
    }

    private func event(
        _ reader: ElementReader, _ key: String, _ delivery: WebhookDelivery
    ) throws(RowFault) -> MappedEvent {
        try ElementReader.checkUsable(reader.element)
        guard let id = try reader.text("id") else { throw RowFault("missing: id") }
        let kind = Self.kind(of: reader.element)
        var event = MappedEvent(eventKey: key)
        event.kind = kind == .dispute ? "chargeback" : (kind ?? .refund).rawValue
        // The time of sending; no other is given.
        event.eventTime = delivery.header("x-date").flatMap { Timestamp($0) }
        if event.eventTime == nil { event.flags.append("event_time_missing") }
        event.transactionID = (kind ?? .refund).subject(id)
        event.rawStatus = try reader.text("status")
        event.direction = .in
        if kind == .payment {
            event.customerID = try reading.customer(reader)
            if let status = event.rawStatus {
                let meaning = try reading.meaning(of: status, .payment, reader)
                event.reading = meaning
                if !meaning.isKnown { event.flags.append("status_unknown") }
            }
        }
        event.references = reading.references(reader, kind)
        return event
    }
}
