import Payments

/// The body of a transaction event: a status and ids, no amount, no currency, no provider.
enum EventBody {
    static func render(
        trade: Trade, status: Status, type: String, eventId: String, created: Timestamp, random: inout Randomness
    ) -> [UInt8] {
        let typeAtTop = random.chance(perMille: 150)
        let request = Identifiers.hex(32, &random)
        let kind = trade.direction == .in ? "CRYPTO_PURCHASE" : "CRYPTO_SELL"
        let isTied = status != .pendingCreated
        let note = extra(&random)
        var json = JSONText()
        json.object {
            $0.text("eventType", type)
            $0.text("eventId", eventId)
            $0.text("timestamp", created.description)
            $0.text("accountId", Deliveries.account)
            $0.text("profileId", Deliveries.profile)
            $0.text("version", Names.version)
            if typeAtTop { $0.text("transactionType", kind) }
            $0.object("payload") {
                $0.text("requestId", request)
                $0.text("accountId", Deliveries.account)
                $0.text("paymentTransactionId", trade.id)
                $0.text("customerId", trade.customer.meldId)
                if !trade.quirks.contains(.sparse) { $0.text("externalCustomerId", trade.customer.externalId) }
                if !typeAtTop { $0.text("transactionType", kind) }
                $0.text("paymentTransactionStatus", status.rawValue)
                // Missing while PENDING_CREATED, as documented.
                if isTied {
                    $0.text("sessionId", trade.session)
                    if trade.linking != .sessionOnly { $0.text("headlessOrderId", trade.headlessOrder) }
                    if trade.linking == .both || trade.linking == .externalSession {
                        $0.text("externalSessionId", trade.bookOrder)
                    }
                }
            }
            if let note { $0.raw("deliveryNote", note) }
        }
        return json.bytes
    }

    /// Members that no document names may come at any time; their escapes must survive byte for byte.
    private static func extra(_ random: inout Randomness) -> String? {
        guard random.chance(perMille: 60) else { return nil }
        return random.pick([
            #""Zo\u00eb \"quoted\" \/ back\\slash""#, #"{"attempt": 1.0,  "tags":["a\u002fb","é"]}"#,
            #""\uD83D\uDE00""#,
            "null",
        ])
    }
}
