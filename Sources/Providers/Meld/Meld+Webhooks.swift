import Crypto
package import JSON
package import Payments

/// Meld's webhooks: `meld-signature` is the Base64url code, padding included, of HMAC-SHA-256 over
/// `timestamp.URL.raw body`, keyed with the profile's secret. The timestamp is that of sending and is taken as it is;
/// Meld documents no tolerance, so history never goes stale.
package struct MeldWebhooks: WebhookScheme {
    package let signatureHeaders = ["meld-signature", "meld-signature-timestamp"]
    private static let openRedaction = Redaction(
        paths: PersonalData.paths + [
            "**.address", "**.addressDetails", "**.addresses", "**.kycRecipient", "**.name",
            "**.paymentMethodResponseDetails", "**.receivingBankInformation", "**.redirectUrl", "**.secret",
            "**.serviceProviderWidgetUrl", "**.sessionToken", "**.token", "**.widgetUrl", "**.accountNumber",
            "**.routingNumber", "**.iban", "**.multiFactorAuthorizationStatus", "**.serviceProviderDetails",
        ], keeping: ["customer": Meld.keptOfCustomer, "payload.customer": Meld.keptOfCustomer])
    /// Events about people and their bank accounts: of these only who, whose and what became of it.
    private static let closedRedaction = Redaction(keepingOnly: [
        "accountId", "eventId", "eventType", "payload.accountId", "payload.customerId", "payload.externalCustomerId",
        "payload.requestId", "payload.serviceProvider", "payload.status", "payload.statusUpdatedAt", "profileId",
        "timestamp", "version",
    ])
    private static let closedKinds = ["BANK_", "CUSTOMER_", "FINANCIAL_"]
    private let keys: WebhookKeys
    private let statusMap: StatusMap

    package init(secrets: [Secret], statusMap: StatusMap) {
        keys = WebhookKeys(secrets)
        self.statusMap = statusMap
    }

    package var keyFingerprints: [String] { keys.fingerprints }

    package func redaction(ofKind kind: String?) -> Redaction {
        let isClosed = kind.map { kind in Self.closedKinds.contains { kind.hasPrefix($0) } } == true
        return isClosed ? Self.closedRedaction : Self.openRedaction
    }

    package func check(_ delivery: WebhookDelivery, also others: [Secret]) -> SignatureCheck {
        guard let signature = delivery.header("meld-signature"), !signature.isEmpty else {
            return SignatureCheck(.unsigned)
        }
        guard let timestamp = delivery.header("meld-signature-timestamp") else { return SignatureCheck(.invalid) }
        var message: [UInt8] = []
        message.reserveCapacity(timestamp.utf8.count + delivery.url.utf8.count + delivery.body.count + 2)
        message += timestamp.utf8
        message.append(UInt8(ascii: "."))
        message += delivery.url.utf8
        message.append(UInt8(ascii: "."))
        message += delivery.body
        return keys.check(also: others) { secret in
            let code = HMACCode.sha256(key: secret, message: message)
            let expected = Base64.encode(code, alphabet: .url, padding: true)
            return constantTimeEqual(expected.utf8, signature.utf8)
        }
    }

    package func event(
        _ delivery: WebhookDelivery, root: JSONValue, bodyDigest: [UInt8]
    ) throws(RowFault) -> MappedEvent {
        let reader = ElementReader(element: root)
        do throws(RowFault) {
            return try event(reader, delivery, bodyDigest)
        } catch {
            var fault = error
            fault.recordID =
                Self.key(root["eventId"]?.scalarText, root["profileId"]?.scalarText) ?? Hex.encode(bodyDigest)
            fault.references =
                [Reference("meld:transaction", root["payload"]?["paymentTransactionId"]?.scalarText)].compactMap(\.self)
            throw fault
        }
    }

    /// Two profiles of one account get a delivery each, and may or may not share the event id. Nil: no id is given.
    private static func key(_ id: String?, _ profile: String?) -> String? {
        guard let id, !id.isEmpty else { return nil }
        guard let profile, !profile.isEmpty else { return id }
        return "\(profile)/\(id)"
    }

    private func event(
        _ reader: ElementReader, _ delivery: WebhookDelivery, _ bodyDigest: [UInt8]
    ) throws(RowFault) -> MappedEvent {
        try ElementReader.checkUsable(reader.element)
        try reader.checkObject("payload")
        let eventID = try reader.text("eventId")
        let profile = try reader.text("profileId")
        var event = MappedEvent(eventKey: Self.key(eventID, profile) ?? Hex.encode(bodyDigest))
        event.kind = try reader.text("eventType")
        event.isTest = event.kind == "TEST" || event.kind == "WEBHOOK_TEST"
        event.eventTime = try reader.time("timestamp")
        event.retryCount = delivery.header("meld-retry-count").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        event.transactionID = try reader.text("payload.paymentTransactionId")
        event.rawStatus = try reader.text("payload.paymentTransactionStatus")
        event.customerID = try reader.text(anyOf: "payload.externalCustomerId", "payload.customerId")
        let type = try reader.text(anyOf: "payload.transactionType", "transactionType")
        // Without currencies an unknown type counts as a purchase.
        event.direction = type.map { MeldMapping.direction(kind: $0) ?? .in }
        if let status = event.rawStatus {
            // Provider and method are not in the event: rows that ask for them do not fit, as they must not.
            let reading = statusMap.reading(
                status,
                .init(
                    direction: event.direction ?? .in, kind: type ?? "",
                    kindClass: event.kind?.hasPrefix("TRANSACTION_FIAT_") == true ? "fiat" : "crypto"))
            event.reading = reading
            if !reading.isKnown { event.flags.append("status_unknown") }
        }
        if eventID == nil { event.flags.append("event_id_missing") }
        let external = try reader.text("payload.externalSessionId")
        event.references = [
            Reference("meld:transaction", event.transactionID),
            Reference("meld:order", try reader.text("payload.headlessOrderId")),
            Reference("meld:session", try reader.text("payload.sessionId")),
            Reference("meld:external_session", external),
            Reference("book:order", external),
        ].compactMap(\.self)
        return event
    }
}
