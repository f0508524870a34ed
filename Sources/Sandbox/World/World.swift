package import Payments

/// Everything that ever happens, from a seed. What can be seen at a moment is a pure function of the moment.
package struct World: Sendable {
    package let shape: WorldShape
    /// One account at each provider.
    package let sources: [SimulatedSource]
    /// The merchant's one book, oldest first by (`createdAt`, `id`).
    package let orders: [BookEntry]
    package let planted: [Planted]
    package let twins: [(subject: String, why: String)]

    /// - Parameters:
    ///   - providers: names of simulated providers, in the order of the sources; names of none are passed over.
    ///   - beneath: names of providers that show what Meld gave them to carry out, each in a source of its own.
    ///   - switches: assumptions turned round, by provider and name.
    package init(
        _ shape: WorldShape, providers: [String] = [Names.provider], beneath: [String] = [],
        switches: [String: [String: String]] = [:]
    ) {
        var sources: [SimulatedSource] = []
        var planted: [Planted] = []
        var twins: [(subject: String, why: String)] = []
        for simulator in providers.compactMap({ SimulatorCatalogue.entry($0) }) {
            let profile = simulator.profile
            var plot = Plot(
                shape: shape, profile: profile, size: shape.size(of: profile.name),
                switches: switches[profile.name] ?? [:])
            simulator.tell(&plot)
            let source = SimulatedSource(
                name: plot.casting.source, simulator: simulator, shape: shape, seed: plot.seed,
                trades: plot.trades.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) },
                orders: plot.orders.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) },
                quarantined: plot.quarantined, switches: switches[profile.name] ?? [:])
            sources.append(source)
            let provider = simulator.init(source)
            planted += plot.planted + Self.forgeries(plot, provider) + Self.shortPayouts(provider)
            twins += plot.twins
        }
        if let above = sources.first(where: { $0.name == Names.source }) {
            let subjects = Set(planted.map(\.subject) + twins.map(\.subject))
            let told = above.trades.filter {
                subjects.contains(Subject.transaction($0.id)) || subjects.contains(Subject.order($0.bookOrder))
                    || above.quarantined.contains($0.id) || !$0.tales.isEmpty
            }
            let touched = Set(told.map(\.bookOrder))
            for simulator in beneath.compactMap({ SimulatorCatalogue.entry($0) }) {
                let own = switches[simulator.profile.name] ?? [:]
                guard let below = Self.beneath(simulator, above: above, touched: touched, switches: own) else {
                    continue
                }
                sources.append(below.source)
                planted += below.planted
            }
        }
        self.shape = shape
        self.sources = sources
        self.planted = planted
        self.twins = twins
        orders =
            sources.count == 1
            ? sources[0].orders : sources.flatMap(\.orders).sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Events that nobody can prove, under the keys that the provider gives them.
    private static func forgeries(_ plot: Plot, _ provider: any SimulatedProvider) -> [Planted] {
        plot.forgeries.compactMap { forgery in
            guard let key = provider.eventKey(of: forgery.tale, forgery.trade) else { return nil }
            return Planted(
                "webhook_unverified", "event:\(plot.casting.source)/\(key)", nights: plot.shape.nights,
                severity: "medium", difference: Convention.noAmount,
                why: "\(plot.profile.name): signed with a key that is not ours: anybody may send that")
        }
    }

    /// Payouts that are not what their lines come to, under the ids that the provider gives them.
    private static func shortPayouts(_ provider: any SimulatedProvider) -> [Planted] {
        let source = provider.source
        return provider.shortPayouts.compactMap { payout in
            guard let night = (1...source.shape.nights).first(where: { source.shape.night($0) >= payout.at }) else {
                return nil
            }
            return Planted(
                "payout_variance", "payout:\(source.name)/\(payout.id)", nights: source.shape.nights, opens: night,
                severity: "high", difference: (-payout.shortfall).plain, currency: payout.currency,
                why: "\(source.provider): a payout that is not what its lines come to")
        }
    }

    /// The source of that name; the first where none is named.
    package func source(_ name: String? = nil) -> SimulatedSource? {
        name == nil ? sources.first : sources.first { $0.name == name }
    }

    /// The payments of the first source, newest first by (`createdAt`, `id`).
    package var trades: [Trade] { sources.first?.trades ?? [] }
    /// Ids of the first source's payments whose row cannot be taken in.
    package var quarantined: [String] { sources.first?.quarantined ?? [] }

    /// The payments that the first source's provider would show at `moment`, newest first.
    package func visible(at moment: Timestamp) -> [Trade] { trades.filter { $0.isVisible(at: moment) } }
}
