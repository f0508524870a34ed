package import Payments

/// What a test asks of a simulated source beside its API, without a socket or a file.
extension SimulatedAPI {
    /// Sets the simulated moment, of every source that shares the clock.
    package func set(now: Timestamp) { clock.set(now) }

    /// One payment as its row shows it.
    package struct Shown: Sendable, Hashable {
        package let id: String
        package let createdAt: Timestamp
        /// The status in the provider's words.
        package let status: String
        package let direction: Direction
        package let bookOrder: String
        package let charged: String?
        package let chargedCurrency: String?
        package let delivered: String?
        package let deliveredCurrency: String?
        /// Its row cannot be taken in.
        package let isSpoilt: Bool
    }

    /// Every payment that is there now, newest first; amounts are plain decimals.
    package func shown() -> [Shown] {
        let now = now
        let spoilt = Set(source.quarantined)
        return source.trades.filter { $0.isVisible(at: now) }.map { trade in
            let amounts = provider.shown(trade, at: now)
            return Shown(
                id: trade.id, createdAt: trade.createdAt, status: provider.word(trade, at: now),
                direction: trade.direction, bookOrder: trade.bookOrder, charged: amounts.charged?.amount.plain,
                chargedCurrency: amounts.charged?.currency, delivered: amounts.delivered?.amount.plain,
                deliveredCurrency: amounts.delivered?.currency, isSpoilt: spoilt.contains(trade.id))
        }
    }

    /// The deliveries of a night's capture as JSON Lines, both files in one.
    package func captureLines(night: Int) -> [UInt8] {
        let deliveries = Deliveries(provider).all().filter { $0.night == night }
        return Capture.lines(deliveries, of: provider, seed: source.seed &+ UInt64(max(night, 0)))
    }

    /// Ids of what a list shows now, newest first: `transaction`, `refund`, `dispute`, …
    package func ids(_ shelf: String) -> [String] {
        let items = listing.items(shelf)
        return listing.rows(shelf, ListAsk.Filter(), at: now).map { items[$0].id }
    }

    /// The settlement files that arrive before a night.
    package func settlementFiles(night: Int) -> [(name: String, bytes: [UInt8])] {
        provider.settlementFiles(night: night)
    }

    /// The secret of each payment, by the payment's id; empty where they have none of their own.
    package func paymentSecrets() -> [String: Secret] {
        guard source.profile.hasPaymentSecrets else { return [:] }
        var secrets: [String: Secret] = [:]
        for trade in source.trades { secrets[trade.id] = provider.webhookSecret(of: trade) }
        return secrets
    }
}
