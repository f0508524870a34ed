import Payments

/// Sources beneath an aggregator: the same payments once more, as the provider that carried them out lists them, under the
/// ids by which the aggregator names them.
extension World {
    /// What one provider beneath `above` shows, and where the two views of a payment do not agree.
    /// - Parameter touched: orders that a play or its twin speaks of: they are left to the source above.
    static func beneath(
        _ simulator: any SimulatedProvider.Type, above: SimulatedSource, touched: Set<String>,
        switches: [String: String]
    ) -> (source: SimulatedSource, planted: [Planted])? {
        let profile = simulator.profile
        guard let carriedAs = profile.carriedAs else { return nil }
        let name = "\(profile.name)-beneath"
        var trades: [Trade] = []
        for trade in above.trades where trade.corridor.provider == carriedAs && !touched.contains(trade.bookOrder) {
            // Sales are left out where the two call the asset that is charged by different names.
            guard trade.direction == .in || profile.assetCode(trade.crypto) == trade.crypto.code else { continue }
            if let own = carriedOut(trade, by: name) { trades.append(own) }
        }
        var planted: [Planted] = []
        disagree(&trades, name, above.shape, &planted)
        var source = SimulatedSource(
            name: name, simulator: simulator, shape: above.shape,
            seed: SimulatedSource.seed(of: name, in: above.shape),
            trades: trades.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }, orders: [], quarantined: [],
            switches: switches)
        source.beneath = above.name
        return (source, planted)
    }

    /// The payment as the provider has it: from when on the aggregator had handed it over. Nil: it never did.
    private static func carriedOut(_ trade: Trade, by source: String) -> Trade? {
        guard let tied = trade.steps.firstIndex(where: { $0.status != .pendingCreated }) else { return nil }
        var own = trade
        own.id = trade.providerId
        own.steps = Array(trade.steps[tied...])
        own.createdAt = own.steps[0].at
        own.visibleFrom = own.createdAt
        own.withheldUntil = nil
        // The aggregator gives the provider a reference of its own: the merchant's order is not known there.
        var random = Randomness(seed: Identifiers.fold(trade.id), Identifiers.fold(source))
        own.bookOrder = "via-\(Identifiers.hex(20, &random))"
        own.quirks = trade.quirks.intersection([.personalData, .shortNumbers, .sparse])
        own.lostEvents = []
        own.lateEvents = [:]
        own.eventsFiledAt = [:]
        own.tales = []
        return own
    }

    /// Two payments of which the provider says something else than the aggregator: another amount, and another end.
    private static func disagree(
        _ trades: inout [Trade], _ source: String, _ shape: WorldShape, _ planted: inout [Planted]
    ) {
        let settled = trades.indices.filter { index in
            let trade = trades[index]
            return trade.direction == .in && trade.steps.last?.status == .settled
                && trade.steps.last.map { $0.at < shape.moment(day: shape.days - 3, hour: 0) } == true
        }
        guard settled.count >= 2, let other = settled.first, let failed = settled.last else { return }
        let more = Amount(100, digits: trades[other].corridor.fiat.digits)
        trades[other].fiatAmount += more
        planted.append(
            Planted(
                "view_conflict", Subject.transaction(trades[other].id, source: source), nights: shape.nights,
                severity: "high", difference: (-more).plain, currency: trades[other].sourceCurrency,
                why: "\(source): the provider charged more than the aggregator says"))
        guard let last = trades[failed].steps.popLast() else { return }
        trades[failed].steps.append(Trade.Step(at: last.at, status: .failed))
        planted.append(
            Planted(
                "view_conflict", Subject.transaction(trades[failed].id, source: source), nights: shape.nights,
                severity: "critical", difference: Convention.noAmount, currency: trades[failed].sourceCurrency,
                why: "\(source): the provider took the money and failed, the aggregator says delivered"))
    }
}
