import Crypto
import Payments

/// The event log, and the deliveries that tell of it.
extension StripeSimulator {
    /// One event of the account.
    struct LoggedEvent: Sendable {
        let id: String
        let type: String
        /// Whole seconds.
        let created: Timestamp
        /// The index of its trade; nil: another product's.
        let trade: Int?
        let status: String
        let before: String?
    }

    /// Every event that was ever made: of each change of each session, whether or not its delivery came, and a few of
    /// other products.
    static func events(of source: SimulatedSource) -> [LoggedEvent] {
        var events: [LoggedEvent] = []
        for (index, trade) in source.trades.enumerated() {
            for (number, step) in trade.steps.enumerated() where !trade.lostEvents.contains(step.status) {
                guard let word = word(step.status), isAnnounced(step.status) else { continue }
                let frame = Deliveries.frame(of: number, trade, source)
                events.append(
                    LoggedEvent(
                        id: eventID(frame.id), type: eventType, created: WireTime.cut(frame.created), trade: index,
                        status: word, before: before(trade, step.at)))
            }
            for tale in trade.tales where !tale.isForged {
                guard let word = word(tale.status) else { continue }
                events.append(
                    LoggedEvent(
                        id: eventID(tale.eventId), type: eventType, created: WireTime.cut(tale.at), trade: index,
                        status: word, before: nil))
            }
        }
        for night in 1...source.shape.nights {
            var random = source.randomness(41, "other \(night)")
            events.append(
                LoggedEvent(
                    id: eventID(Identifiers.base58(22, &random)), type: "charge.succeeded",
                    created: WireTime.cut(source.shape.night(night).adding(seconds: -7_200)), trade: nil,
                    status: "succeeded", before: nil))
        }
        return events
    }

    static func eventID(_ id: String) -> String { "evt_1\(id)" }

    /// A session that is only made is announced by nothing that is documented, nor is a word that nobody modelled.
    private static func isAnnounced(_ status: Status) -> Bool {
        status != .pendingCreated && status != .retryScheduled
    }

    /// The word before a change.
    private static func before(_ trade: Trade, _ moment: Timestamp) -> String? {
        trade.steps.last { $0.at < moment && word($0.status) != nil }.flatMap { word($0.status) }
    }

    func eventKey(of tale: Trade.Tale, _ trade: Trade) -> String? { Self.eventID(tale.eventId) }

    func announcements(
        of status: Status, _ trade: Trade, _ frame: EventFrame, _ random: inout Randomness
    ) -> [[UInt8]] {
        guard let word = Self.word(status), Self.isAnnounced(status),
            let index = places[trade.id]
        else { return [] }
        let moment = trade.steps.last { $0.status == status && $0.at <= frame.created }?.at ?? frame.created
        let event = LoggedEvent(
            id: Self.eventID(frame.id), type: Self.eventType, created: WireTime.cut(frame.created), trade: index,
            status: word, before: Self.before(trade, moment))
        return [body(of: event, at: frame.created, isPending: true)]
    }

    /// Another product of the account delivers to the same endpoint.
    func testEvent(_ frame: EventFrame, _ random: inout Randomness) -> [UInt8]? {
        let event = LoggedEvent(
            id: Self.eventID(frame.id), type: "charge.succeeded", created: WireTime.cut(frame.created), trade: nil,
            status: "succeeded", before: nil)
        return body(of: event, at: frame.created, isPending: true)
    }

    /// The event as it was made: rendered at its own time, whenever it is asked for.
    func body(of event: LoggedEvent, at moment: Timestamp, isPending: Bool = false) -> [UInt8] {
        var json = JSONText()
        json.object { json in
            json.text("id", event.id)
            json.text("object", "event")
            json.text("api_version", "2026-08-26.dahlia")
            json.number("created", String(WireTime.seconds(event.created)))
            json.object("data") { data in
                data.object("object") { object in
                    if let trade = event.trade {
                        session(source.trades[trade], event.status, at: event.created, to: &object)
                    } else {
                        object.text("id", "ch_\(event.id)")
                        object.text("object", "charge")
                        object.text("status", event.status)
                        object.object("billing_details") { $0.text("email", "payer@example.com") }
                    }
                }
                if let before = event.before {
                    data.object("previous_attributes") { $0.text("status", before) }
                }
            }
            json.flag("livemode", false)
            // Falls as deliveries succeed.
            json.number("pending_webhooks", isPending ? "1" : "0")
            json.object("request") {
                $0.text("id", nil)
                $0.text("idempotency_key", nil)
            }
            json.text("type", event.type)
        }
        return json.bytes
    }

    func headers(of delivery: Delivery, signedWith key: Secret, capitals: Bool) -> [(name: String, value: String)] {
        let time = String(WireTime.seconds(delivery.receivedAt))
        let code = Hex.encode(HMACCode.sha256(key: key, message: Array("\(time).".utf8) + delivery.body))
        // Test mode sends an old scheme too, which proves nothing.
        let old = String(repeating: "0", count: 64)
        return [(capitals ? "STRIPE-SIGNATURE" : "Stripe-Signature", "t=\(time),v1=\(code),v0=\(old)")]
    }
}
