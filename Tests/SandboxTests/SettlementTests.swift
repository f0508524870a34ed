import Payments
import Testing

@testable import Sandbox

@Suite struct SettlementTests {
    private static func source() -> SimulatedSource {
        World(WorldShape(seed: 5, transactions: 900), providers: ["mercuryo"]).sources[0]
    }

    /// One payment with everything that can happen to its money.
    private static func source(_ change: (inout Story) -> Void) -> SimulatedSource {
        let shape = WorldShape(seed: 5)
        let profile = MercuryoSimulator.profile
        var plot = Plot(shape: shape, profile: profile, size: 1)
        var story = plot.scene(day: 2, hour: 9, amount: 10_000)
        change(&story)
        plot.add(story)
        return SimulatedSource(
            name: profile.source, simulator: MercuryoSimulator.self, shape: shape, seed: 5, trades: plot.trades,
            orders: plot.orders, quarantined: [])
    }

    @Test("every payout is the sum of its lines, and every released line is in one payout")
    func sums() {
        let settlement = Settlement(Self.source(), fee: { $0.fees.transaction }) { moment in
            Timestamp(microseconds: moment.microseconds / 86_400_000_000 * 86_400_000_000 + 86_400_000_000)
        }
        #expect(settlement.payouts.count > 3)
        for payout in settlement.payouts {
            let lines = settlement.lines(of: payout)
            #expect(lines.reduce(Amount.zero) { $0 + $1.net } == payout.amount)
            #expect(lines.allSatisfy { $0.payout == payout.number && $0.currency == payout.currency })
        }
        let bundled = settlement.payouts.flatMap(\.lines)
        #expect(Set(bundled).count == bundled.count)
        #expect(bundled.count == settlement.lines.count { $0.payout != nil })
        // Money that was taken and never delivered is on its way for ever.
        #expect(settlement.lines.contains { $0.payout == nil && $0.kind == .charge })
    }

    @Test("returns and disputes are lines of their own, negative; a dispute that is won comes back")
    func kinds() {
        let source = Self.source { story in
            story.settle()
            story.trade.refunds = [
                Trade.Refund(at: story.clock.adding(seconds: 60), amount: Amount(2_500, digits: 2)),
                Trade.Refund(
                    at: story.clock.adding(seconds: 90), amount: Amount(1, digits: 2), failedAt: story.clock),
            ]
            story.trade.disputes = [
                Trade.Dispute(
                    at: story.clock.adding(seconds: 120), amount: Amount(7_500, digits: 2),
                    ended: (at: story.clock.adding(seconds: 180), isWon: true))
            ]
        }
        let settlement = Settlement(source, fee: { _ in Amount(290, digits: 2) })
        #expect(settlement.lines.map(\.kind) == [.charge, .refund, .chargeback, .chargebackReversal])
        #expect(settlement.lines.map(\.net.plain) == ["97.1", "-25", "-75", "75"])
        #expect(settlement.payouts.count == 4)
    }

    @Test("a full return after a part gives back the rest; a payment that never took money has no line")
    func returns() {
        let full = Self.source { story in
            story.settle()
            story.trade.refunds = [Trade.Refund(at: story.clock, amount: Amount(4_000, digits: 2))]
            story.wait(60...60)
            story.provider(.refunded)
        }
        #expect(full.trades[0].returns.map(\.amount.plain) == ["40", "60"])
        #expect(Settlement(Self.source { $0.refuse(.declined) }).lines.isEmpty)
    }

    @Test("a payout that is short is less than its lines; every other one is what they come to")
    func short() {
        let source = Self.source { story in
            story.settle()
            story.trade.quirks.insert(.shortPayout)
        }
        let payout = Settlement(source).payouts[0]
        #expect(payout.amount.plain == "82.73" && payout.shortfall.plain == "17.27")
        #expect(Settlement(Self.source()).payouts.allSatisfy { $0.shortfall.isZero })
    }
}
