import Crypto
package import JSON
package import Payments

/// Mercuryo's callbacks: `X-Signature` is the hexadecimal HMAC-SHA-256 over the body, keyed with the widget's sign key.
/// Its documents disagree whether white space is taken out of the body first: either reading proves a delivery. There
/// is
/// neither a delivery id nor a time in what is signed, so a replay verifies for ever and is told by its content.
package struct MercuryoWebhooks: WebhookScheme {
    package let signatureHeaders = ["x-signature"]
    package let transactionKinds = ["mercuryo:operation", "book:order"]
    private static let openRedaction = Redaction(
        paths: Mercuryo.redactedPaths + ["**.address", "**.country_code", "**.uuid4"])
    /// Events of other products: of these only what they are.
    private static let closedRedaction = Redaction(keepingOnly: ["event_id", "event_name"])

    private let keys: WebhookKeys
    private let statusMap: StatusMap

    package init(signKeys: [Secret], statusMap: StatusMap) {
        keys = WebhookKeys(signKeys)
        self.statusMap = statusMap
    }

    package var keyFingerprints: [String] { keys.fingerprints }

    package func redaction(ofKind kind: String?) -> Redaction {
        kind?.hasPrefix(Self.otherProduct) == true ? Self.closedRedaction : Self.openRedaction
    }

    /// Before the name of an event that is no callback about an operation.
    private static let otherProduct = "event:"

    // MARK: Signature

    package func check(_ delivery: WebhookDelivery, also others: [Secret]) -> SignatureCheck {
        guard let given = delivery.header("x-signature"), !given.isEmpty else { return SignatureCheck(.unsigned) }
        guard let signature = Hex.decode(given) else { return SignatureCheck(.invalid) }
        let stripped = Self.withoutWhiteSpace(delivery.body)
        // Which of the two it was can be told where they differ.
        let areSame = stripped.count == delivery.body.count
        return keys.check(
            also: others,
            form: { secret in
                if constantTimeEqual(HMACCode.sha256(key: secret, message: delivery.body), signature) {
                    return areSame ? .only : .named("raw")
                }
                if areSame { return nil }
                let isStripped = constantTimeEqual(HMACCode.sha256(key: secret, message: stripped), signature)
                return isStripped ? .named("without_blanks") : nil
            })
    }

    /// Without what `\s` of JavaScript means, in which the reading is documented.
    static func withoutWhiteSpace(_ body: [UInt8]) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
        guard body.contains(where: { $0 >= 0x80 }), let text = String(validating: body, as: UTF8.self) else {
            return body.filter { !isBlank($0) }
        }
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !blanks.contains(scalar.value) { kept.append(scalar) }
        return Array(String(kept).utf8)
    }

    private static let blanks: Set<UInt32> = Set(
        Array(9...13) + [0x20, 0xA0, 0x1680] + Array(0x2000...0x200A) + [
            0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF,
        ])

    // MARK: Body

    package func event(
        _ delivery: WebhookDelivery, root: JSONValue, bodyDigest: [UInt8]
    ) throws(RowFault) -> MappedEvent {
        let data = root["data"] ?? root["payload"]?["data"]
        do throws(RowFault) {
            try ElementReader.checkUsable(root)
            if let name = root["event_name"]?.scalarText {
                var event = MappedEvent(eventKey: root["event_id"]?.scalarText ?? Hex.encode(bodyDigest))
                event.kind = Self.otherProduct + name
                return event
            }
            guard let data, data.isObject else { throw RowFault("missing: data") }
            return try event(data, delivery, bodyDigest)
        } catch {
            var fault = error
            fault.recordID = data?["id"]?.scalarText ?? Hex.encode(bodyDigest)
            fault.references = MercuryoMapping.references(
                transaction: data?["transaction_id"]?.scalarText, operation: data?["id"]?.scalarText,
                merchant: data?["merchant_transaction_id"]?.scalarText, hash: data?["tx"]?["id"]?.scalarText)
            throw fault
        }
    }

    private func event(
        _ data: JSONValue, _ delivery: WebhookDelivery, _ bodyDigest: [UInt8]
    ) throws(RowFault) -> MappedEvent {
        let reader = ElementReader(element: data)
        let id = try reader.text("id")
        let type = try reader.text("type")
        let status = try reader.text("status")
        let updated = try reader.text("updated_at")
        let seconds = data["updated_at_ts"]?.integer ?? data["updated_at_ts"]?.string.flatMap { Int64($0) }
        let time =
            try MercuryoOperation.time(data["updated_at"], "data.updated_at")
            ?? seconds.flatMap { Timestamp(unixSeconds: $0) }

        // Without a delivery id, what it says of which operation tells a repeated one.
        var event = MappedEvent(eventKey: Hex.encode(bodyDigest))
        if let type, let id, let status, let moment = updated ?? seconds.map({ String($0) }) {
            event.eventKey = "\(type)/\(id)/\(status)/\(moment)"
        }
        event.kind = type
        event.eventTime = time
        event.rawStatus = status
        let named = try reader.text("transaction_id")
        event.transactionID = named
        try reader.checkObject("tx")
        let hash = try reader.text("tx.id")
        if let status {
            let kind = Self.kind(type, try reader.text("payment_method"))
            let reading = MercuryoPayment.reading(status, kind: kind, hasHash: hash != nil, statusMap)
            event.reading = reading
            event.direction = MercuryoPayment.direction(kind)
            if !reading.isKnown { event.flags.append("status_unknown") }
        }
        // The list shows no fees: here alone they are told, and in which currency.
        let currency = try reader.text("fiat_currency") ?? ""
        for (name, path) in [("fee", "fee"), ("partner_fee", "partner_fee")] {
            if let fee = try ElementReader.amount(data[path], "data.\(path)") {
                event.flags.append("\(name)=\(fee) \(currency)")
            }
        }
        event.references = MercuryoMapping.references(
            transaction: named, operation: id, merchant: try reader.text("merchant_transaction_id"), hash: hash)
        return event
    }

    /// The key that the operation has in an element of the list.
    private static func kind(_ type: String?, _ method: String?) -> String {
        guard type == nil || type == "buy" else { return type ?? "" }
        switch method {
        case "mobile_pay": return "mobile_pay"
        case "invoice": return "buy_acquirer"
        default: return "buy"
        }
    }
}
