import Crypto
package import JSON
package import Payments

/// Push's webhooks: `X-Webhook-Signature` is the code of HMAC-SHA-256 over the raw body, keyed with the literal bytes of
/// the secret that the payment was given, or of one that all payments share. How it is spelt is not documented:
/// hexadecimal and Base64 are taken, with `sha256=` before it or without.
///
/// Nothing that is signed says when it was sent: `timestamp` is the event's own, and an event is sent again for a day.
/// So no delivery is ever stale; a repeated one is the same event.
package struct PushWebhooks: WebhookScheme {
    package let signatureHeaders = ["x-webhook-signature"]

    private let keys: WebhookKeys
    private let statusMap: StatusMap
    private let isLive: Bool

    package init(secrets: [Secret], statusMap: StatusMap, isLive: Bool) {
        keys = WebhookKeys(secrets)
        self.statusMap = statusMap
        self.isLive = isLive
    }

    package var keyFingerprints: [String] { keys.fingerprints }

    package func redaction(ofKind kind: String?) -> Redaction { Push.redaction }

    // MARK: Signature

    package func check(_ delivery: WebhookDelivery, also others: [Secret]) -> SignatureCheck {
        guard let header = delivery.header("x-webhook-signature"), !header.isEmpty else {
            return SignatureCheck(.unsigned)
        }
        guard let given = Self.code(header) else { return SignatureCheck(.invalid) }
        return keys.check(also: others) { secret in
            constantTimeEqual(HMACCode.sha256(key: secret, message: delivery.body), given)
        }
    }

    /// The 32 bytes that a header spells; nil: it is no such code.
    private static func code(_ header: String) -> [UInt8]? {
        let prefix = "sha256="
        let bare = header.prefix(prefix.count).lowercased() == prefix ? String(header.dropFirst(prefix.count)) : header
        let bytes =
            bare.utf8.count == 64
            ? Hex.decode(bare)
            : Base64.decode(bare, padding: .optional) ?? Base64.decode(bare, alphabet: .url, padding: .optional)
        return bytes?.count == 32 ? bytes : nil
    }

    // MARK: Event

    package func event(
        _ delivery: WebhookDelivery, root: JSONValue, bodyDigest: [UInt8]
    ) throws(RowFault) -> MappedEvent {
        do throws(RowFault) {
            return try event(ElementReader(element: root))
        } catch {
            var fault = error
            fault.recordID = Hex.encode(bodyDigest)
            let subject = Subject(type: root["type"]?.string)
            if subject.kind == .intent { fault.references = PushMapping.payment(root["data"]?["id"]?.string) }
            throw fault
        }
    }

    /// What an event is about, by the first word of its type.
    private struct Subject {
        let kind: PushKind
        /// `approved`, `settled`, …
        let word: String

        init(type: String?) {
            let parts = (type ?? "").split(separator: ".", maxSplits: 1).map(String.init)
            word = parts.count == 2 ? parts[1] : ""
            kind =
                switch parts.first {
                case "refund": .refund
                case "dispute": .dispute
                case "transfer": .transfer
                case "transaction": .line
                default: .intent
                }
        }
    }

    private func event(_ reader: ElementReader) throws(RowFault) -> MappedEvent {
        try ElementReader.checkUsable(reader.element)
        try reader.checkObject("data")
        guard let type = try reader.string("type") else { throw RowFault("missing: type") }
        guard let id = try reader.string("data.id") else { throw RowFault("missing: data.id") }
        let subject = Subject(type: type)
        var event = MappedEvent(eventKey: "\(type)/\(id)/\(Self.substance(of: reader.element))")
        event.kind = type
        event.eventTime = try reader.time("timestamp")
        guard subject.kind == .intent else {
            return try aboutOther(subject.kind, id, reader, event)
        }
        event.transactionID = id
        event.isTest = isLive && id.hasPrefix("intent_sandbox_")
        event.direction = try reader.string("data.direction").map { word throws(RowFault) in
            try PushMapping.direction(word)
        }
        if let status = try Self.status(reader, subject.word) {
            // An event of its own once told of the settlement; its body is that of an approved intent.
            let kind = type == "intent.settled" ? "ledger_settled" : ""
            event.rawStatus = status
            let reading = statusMap.reading(
                status, .init(direction: event.direction ?? .in, kind: kind, kindClass: PushKind.intent.rawValue))
            event.reading = reading
            if reading.state == .unknown { event.flags.append("status_unknown") }
        }
        // Under manual approval this event comes with `pending`, and no second one tells of the approval.
        if type == "intent.approved", event.rawStatus == "pending" { event.flags.append("announces=approved") }
        let names = [try reader.string("data.tag"), try reader.string("data.idempotency_key")].compactMap(\.self)
        event.references = PushMapping.payment(id) + names.compactMap(PushMapping.order)
        if names.contains(where: { !OpaqueRule.plain.keeps($0) }) { event.flags.append("tag_refused") }
        return event
    }

    /// The body's own status. The events of 2023 that say it in their type alone are taken by that word, and one that
    /// told of the settlement speaks of an approved intent; else the type decides nothing.
    private static func status(_ reader: ElementReader, _ word: String) throws(RowFault) -> String? {
        switch word {
        case "processed", "chargedback": word
        case "settled": try reader.string("data.status") ?? "approved"
        default: try reader.string("data.status")
        }
    }

    /// None is documented today: whose it is and what it is about, no status of a payment.
    private func aboutOther(
        _ kind: PushKind, _ id: String, _ reader: ElementReader, _ event: MappedEvent
    ) throws(RowFault) -> MappedEvent {
        var event = event
        let intent = try reader.string("data.intent_id")
        event.transactionID = "\(kind.rawValue)/\(id)"
        event.isTest = isLive && intent?.hasPrefix("intent_sandbox_") == true
        event.references = kind.idKinds.compactMap { Reference($0, id) } + PushMapping.payment(intent)
        return event
    }

    /// There is no event id. One intent has one event of a type, so type and id are its key; whether a second one can
    /// come is not documented, and only its body would tell it from the first. So the key ends in a digest of what the
    /// body says of its subject and what of that is kept: `timestamp` and the spending profile differ between two renderings
    /// of the same, and the kept bytes must read as the same event.
    private static func substance(of root: JSONValue) -> String {
        var fields = FieldBytes(capacity: 256)
        guard let data = substantial(root)["data"] else { return Hex.encode(fields.digest.prefix(8)) }
        fields.append(leavesOf: data) { path, leaf in
            if leaf.isNull { return nil }
            // `50` and `50.0` are one amount.
            let number = leaf.kind == .number ? (try? leaf.decimal())?.description : nil
            return (path, number ?? leaf.scalarText ?? "")
        }
        return Hex.encode(fields.digest.prefix(8))
    }

    private static func substantial(_ root: JSONValue) -> JSONValue {
        let (bytes, cut) = Push.redaction.kept(root)
        if cut == 0 { return root }
        return (try? JSONDocument(bytes).root) ?? root
    }
}
