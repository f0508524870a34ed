import Crypto
package import JSON
package import Payments

/// Stripe's webhooks: `Stripe-Signature: t=…,v1=…`, where each `v1` is the lower-case hex of HMAC-SHA-256 over
/// `t.raw body`, keyed with the whole text of an endpoint's secret. Any `v1` may fit, other schemes are ignored. The
/// tolerance of 300 s (Stripe's libraries: DEFAULT_TOLERANCE, only the past) is judged at the time of arrival.
package struct StripeWebhooks: WebhookScheme {
    package let signatureHeaders = ["stripe-signature"]

    private let keys: WebhookKeys
    private let tolerance: Int64?
    private let body: StripeEventBody

    init(secrets: [Secret], tolerance: Int64?, body: StripeEventBody) {
        keys = WebhookKeys(secrets)
        self.tolerance = tolerance
        self.body = body
    }

    package var keyFingerprints: [String] { keys.fingerprints }

    package func redaction(ofKind kind: String?) -> Redaction { body.redaction(ofKind: kind) }

    package func check(_ delivery: WebhookDelivery, also others: [Secret]) -> SignatureCheck {
        guard let header = delivery.header("stripe-signature"), !header.isEmpty else {
            return SignatureCheck(.unsigned)
        }
        guard let signature = Signature(header) else { return SignatureCheck(.invalid) }
        var message = Array(signature.time.utf8)
        message.reserveCapacity(message.count + delivery.body.count + 1)
        message.append(UInt8(ascii: "."))
        message += delivery.body
        let isStale = tolerance.map { delivery.receivedAt > signature.moment.adding(seconds: $0) }
        let verdict: Verdict = isStale == true ? .stale : .valid
        return keys.check(also: others, as: verdict) { signature.isProven(by: $0, message) }
    }

    package func event(
        _ delivery: WebhookDelivery, root: JSONValue, bodyDigest: [UInt8]
    ) throws(RowFault) -> MappedEvent {
        try body.read(root, fallbackKey: Hex.encode(bodyDigest))
    }

    /// What the header says; nil where it is no such header.
    private struct Signature {
        /// Verbatim: it is part of what is signed.
        let time: String
        let moment: Timestamp
        let codes: [String]

        init?(_ header: String) {
            var time: String?
            var codes: [String] = []
            for part in header.split(separator: ",") {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2 else { continue }
                let name = pair[0].filter { $0 != " " && $0 != "\t" }
                let value = String(pair[1].filter { $0 != " " && $0 != "\t" })
                switch name {
                // Which of two times was signed nobody can tell.
                case "t" where time != nil: return nil
                case "t": time = value
                case "v1": codes.append(value)
                default: continue
                }
            }
            guard let time, let moment = Int64(time).flatMap({ Timestamp(unixSeconds: $0) }), !codes.isEmpty else {
                return nil
            }
            self.time = time
            self.moment = moment
            self.codes = codes
        }

        func isProven(by secret: Secret, _ message: [UInt8]) -> Bool {
            let expected = Hex.encode(HMACCode.sha256(key: secret, message: message))
            return codes.contains { constantTimeEqual(expected.utf8, $0.utf8) }
        }
    }
}

/// What the body of an event says, whether it was delivered or fetched.
struct StripeEventBody: Sendable {
    /// The one type with official backing.
    static let officialKind = "crypto.onramp_session.updated"
    private static let prefix = "crypto.onramp_session."
    /// Changes with deliveries, or tells of the request behind the event: not of the event.
    static let volatilePaths = ["pending_webhooks", "request"]

    private let statusMap: StatusMap
    private let isLive: Bool
    private let orderKey: String
    private let own: Redaction
    /// Other types of the account belong to other products, whose bodies are nobody's business here.
    private let foreign = Redaction(keepingOnly: [
        "account", "api_version", "created", "id", "livemode", "object", "type",
    ])

    init(statusMap: StatusMap, isLive: Bool, orderKey: String, metadataKeys: [String]) {
        self.statusMap = statusMap
        self.isLive = isLive
        self.orderKey = orderKey
        var kept: [String: [String]] = [:]
        for (path, allowed) in Stripe.keptOnly(metadataKeys) {
            kept["data.object.\(path)"] = allowed
            // What was there before is as secret as what is there now.
            kept["data.previous_attributes.\(path)"] = allowed
        }
        own = Redaction(paths: Stripe.redactedPaths + ["request.idempotency_key"], keeping: kept)
    }

    func isOurs(_ kind: String?) -> Bool { kind?.hasPrefix(Self.prefix) == true }

    func redaction(ofKind kind: String?) -> Redaction { isOurs(kind) ? own : foreign }

    /// - Parameter fallbackKey: the event's key where the body names none; nil: that is a fault.
    func read(_ root: JSONValue, fallbackKey: String?) throws(RowFault) -> MappedEvent {
        do throws(RowFault) {
            return try read(ElementReader(element: root), fallbackKey)
        } catch {
            var fault = error
            fault.recordID = root["id"]?.scalarText.flatMap { $0.isEmpty ? nil : $0 } ?? fallbackKey
            if isOurs(root["type"]?.string) {
                fault.references = [
                    Reference("stripe:transaction", root["data"]?["object"]?["id"]?.scalarText)
                ].compactMap(\.self)
            }
            throw fault
        }
    }

    private func read(_ reader: ElementReader, _ fallbackKey: String?) throws(RowFault) -> MappedEvent {
        try ElementReader.checkUsable(reader.element)
        let id = try reader.text("id")
        guard let key = id ?? fallbackKey else { throw RowFault("missing: id") }
        var event = MappedEvent(eventKey: key)
        if id == nil { event.flags.append("event_id_missing") }
        event.kind = try reader.text("type")
        event.eventTime = try StripeTime.read(reader.element["created"], "created")
        guard isOurs(event.kind) else {
            // A test event of another product is that product's matter.
            event.flags.append("other_product")
            return event
        }
        try reader.checkObject("data")
        try reader.checkObject("data.object")
        if let isLiveEvent = try reader.bool("livemode") {
            event.isTest = isLive && !isLiveEvent
            if isLive != isLiveEvent { event.flags.append("environment_differs") }
        }
        event.direction = .in
        let session = try reader.text("data.object.id")
        let chain = Reference("chain:tx", try reader.text("data.object.transaction_details.transaction_id"))
        event.references = [
            Reference("stripe:transaction", session),
            Reference("book:order", try reader.text("data.object.metadata.\(orderKey)")), chain,
        ].compactMap(\.self)
        guard event.kind == Self.officialKind else {
            // Seen in hobby code and nowhere documented: it is kept, and says nothing of a state.
            event.flags.append("kind_unofficial")
            return event
        }
        event.transactionID = session
        try state(of: reader, hasTransfer: chain != nil, into: &event)
        return event
    }

    private func state(
        of reader: ElementReader, hasTransfer: Bool, into event: inout MappedEvent
    ) throws(RowFault) {
        event.rawStatus = try reader.text("data.object.status")
        guard let status = event.rawStatus else { return }
        let circumstances = StatusMap.Circumstances(direction: .in, kindClass: hasTransfer ? "transferred" : "")
        var reading = statusMap.reading(status, circumstances)
        if !reading.isKnown { event.flags.append("status_unknown") }
        // What it was just before counts as seen, also where no event of that was.
        if let before = reader.element[path: "data.previous_attributes"], before.isObject,
            let previous = try ElementReader.text(before["status"], "data.previous_attributes.status")
        {
            reading = reading.after(statusMap.reading(previous, .init(direction: .in)).money)
        }
        event.reading = reading
    }
}

extension StatusMap.Reading {
    /// The same with the money that it has where `money` was seen before.
    fileprivate func after(_ money: MoneyState) -> StatusMap.Reading {
        let now =
            switch money {
            case .held: afterHeld
            case .taken: afterTaken
            case .delivered: afterDelivered
            case .none, .returned, .unknown: MoneyState?.none
            }
        return now.map { with($0) } ?? self
    }
}
