package import Payments

/// Everything that ever happens, from a seed. What can be seen at a moment is a pure function of the moment.
package struct World: Sendable {
    package let shape: WorldShape
    /// Newest first by (`createdAt`, `id`), as the list endpoint orders them.
    package let trades: [Trade]
    /// Oldest first by (`createdAt`, `id`).
    package let orders: [BookEntry]
    package let planted: [Planted]
    package let twins: [(subject: String, why: String)]
    /// Ids of the transactions whose row cannot be taken in.
    package let quarantined: [String]

    package init(_ shape: WorldShape) {
        var plot = Plot(shape: shape)
        plot.plantDuplicates()
        plot.plantUnsettled()
        plot.plantExpired()
        plot.plantWebhooks()
        plot.plantAmounts()
        plot.plantUnknowns()
        plot.plantStates()
        plot.plantSides()
        plot.plantSignals()
        plot.tellBackground()
        self.shape = shape
        trades = plot.trades.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        orders = plot.orders.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
        planted = plot.planted
        twins = plot.twins
        quarantined = plot.quarantined
    }

    /// The transactions that the provider would show at `moment`, newest first.
    package func visible(at moment: Timestamp) -> [Trade] { trades.filter { $0.isVisible(at: moment) } }
}
