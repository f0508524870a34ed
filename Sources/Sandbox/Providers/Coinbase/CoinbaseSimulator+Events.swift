import Crypto
import JSON
import Payments

/// Events of the standard flow, which tell of a transaction, and of the merchant's own checkout, which tell of an order.
extension CoinbaseSimulator {
    func announcements(
        of status: Status, _ trade: Trade, _ frame: EventFrame, _ random: inout Randomness
    ) -> [[UInt8]] {
        let isHeadless = Self.isHeadless(trade)
        // Nothing is sent before the customer has verified herself, nor of a word that nobody modelled.
        guard Self.profile.turns.contains(status), status != .retryScheduled, !(isHeadless && status == .pendingCreated)
        else { return [] }
        let type = type(of: status)
        let moment = frame.created
        let rows = CoinbaseRows(source: source)
        if isHeadless {
            return [rows.order(trade, at: moment, isEvent: true) { $0.text("eventType", type) }]
        }
        let body = rows.transaction(trade, at: moment, isCamel: true) {
            $0.text("eventType", type)
            $0.text("errorCode", "ERROR_CODE_UNSPECIFIED")
        }
        return [body]
    }

    private func type(of status: Status) -> String {
        if source.isTurned("event-type") { return "onramp.transaction.updated" }
        switch status {
        case .pendingCreated: return "onramp.transaction.created"
        case .settled: return "onramp.transaction.success"
        case .failed, .declined: return "onramp.transaction.failed"
        default: return "onramp.transaction.updated"
        }
    }

    func headers(of delivery: Delivery, signedWith key: Secret, capitals: Bool) -> [(name: String, value: String)] {
        let type = (try? JSONDocument(delivery.body).root["eventType"]?.string) ?? "onramp.transaction.updated"
        let sent = [
            ("content-type", "application/json"), ("x-event-id", delivery.eventId), ("x-event-type", type),
        ]
        let time = String(WireTime.seconds(delivery.receivedAt))
        let names = sent.map(\.0).joined(separator: " ")
        let values = sent.map(\.1).joined(separator: ".")
        func code(_ head: String) -> String {
            Hex.encode(HMACCode.sha256(key: key, message: Array("\(head).".utf8) + delivery.body))
        }
        var parts = ["t=\(time)"]
        let versions = source.setting("signature")
        if versions != "v1" { parts.append("v0=\(code(time))") }
        if versions != "v0" { parts += ["h=\(names)", "v1=\(code("\(time).\(names).\(values)"))"] }
        let all = sent + [("x-hook0-signature", parts.joined(separator: ","))]
        return all.map { name, value in
            let parts = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
            return (capitals ? parts.joined(separator: "-") : name, value)
        }
    }

    func eventKey(of tale: Trade.Tale, _ trade: Trade) -> String? { tale.eventId }

    // MARK: what is told

    static func tell(_ plot: inout Plot) {
        plot.play()
        headless(&plot)
        again(&plot)
        plot.tellEveryday()
    }

    /// Orders of the merchant's own checkout: the book knows their id alone, the hash ties the transaction to them.
    private static func headless(_ plot: inout Plot) {
        for number in 0..<4 {
            var story = plot.scene(day: 3 + number, hour: 13, minute: 10 * number, amount: 20_101 + 202 * number)
            own(&story)
            if number == 3 {
                story.begin()
                story.wait(30...300)
                story.provider(.declined, book: .failed)
                plot.add(story)
                plot.raise(
                    "book_conflict", plot.order(story), story, severity: "medium",
                    why: "failed, and an order has no reason: nobody can tell whether it was charged")
                continue
            }
            plot.settle(&story)
            plot.add(story)
            plot.twin(
                plot.order(story), "coinbase: order and transaction are one payment, and only the order is in the book")
        }
        var lost = plot.scene(day: 5, hour: 17, minute: 20, amount: 20_909)
        own(&lost)
        plot.settle(&lost)
        lost.trade.lostEvents.insert(.settled)
        plot.add(lost)
        plot.raise(
            "webhook_missing", plot.subject(lost), lost, opens: 1, severity: "low",
            why: "delivered, and no event told of the order")
        var short = plot.scene(day: 6, hour: 16, minute: 40, amount: 21_210)
        own(&short)
        plot.settle(&short)
        let real = short.trade.fiatAmount
        short.order.amount = real + Amount(700, digits: 2)
        plot.add(short)
        plot.raise(
            "amount_mismatch", Convention.amountMismatch(short).subject, short, or: plot.subject(short),
            severity: "high", difference: (short.order.amount - real).plain,
            why: "less charged than promised, seen by order and transaction and counted once")
    }

    private static func own(_ story: inout Story) {
        story.trade.linking = .orderOnly
        story.trade.headlessOrder = uuid(&story.random)
        story.order.headlessOrder = story.trade.headlessOrder
        story.order.transaction = nil
    }

    /// The same customer buys the same for the same twice within the hour, each time by an order of its own.
    private static func again(_ plot: inout Plot) {
        var first = plot.scene(day: 3, hour: 9, amount: 31_200)
        plot.settle(&first)
        plot.add(first)
        var second = plot.scene(day: 3, hour: 9, minute: 40, amount: 31_200)
        second.trade.customer = first.trade.customer
        second.order.customer = first.order.customer
        second.trade.crypto = first.trade.crypto
        second.trade.cryptoAmount = first.trade.cryptoAmount
        second.trade.wallet = first.trade.wallet
        second.order.wallet = first.order.wallet
        second.order.destinationCurrency = first.order.destinationCurrency
        second.order.destinationAmount = first.order.destinationAmount
        plot.settle(&second)
        plot.add(second)
        plot.raise(
            "duplicate_charge", plot.subject(second), second, severity: "low",
            difference: Convention.surplus(second.trade, isSameOrder: false), why: "bought twice within the hour")
    }
}
