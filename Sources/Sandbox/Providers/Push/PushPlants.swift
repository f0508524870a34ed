import Payments

/// How payments go at Push Cash, and what can go wrong there that other providers cannot show.
///
/// The merchant credits on approval; the money comes days later, by the transfer of 16:00 in New York.
extension PushSimulator {
    static func settle(_ story: inout Story) {
        story.begin()
        story.wait(20...240)
        approve(&story)
        let days = story.random.between(1...3)
        settle(&story, at: PushLedger.transfer(atOrAfter: story.clock.adding(seconds: Int64(days - 1) * 86_400)))
    }

    /// Approved, and credited by the merchant on the spot.
    private static func approve(_ story: inout Story) {
        story.provider(.settling, book: .paid)
        story.wait(10...20)
        story.book(.credited)
    }

    /// Its transaction settles then; nothing else happens meanwhile, so the clock stays.
    private static func settle(_ story: inout Story, at moment: Timestamp) {
        story.trade.steps.append(Trade.Step(at: moment, status: .settled))
    }

    static func tell(_ plot: inout Plot) {
        plot.play(without: [.testMode])
        unsettled(&plot)
        missing(&plot)
        disputes(&plot)
        testMode(&plot)
        for number in 0..<max(plot.size / 15, 3) { payOut(&plot, number) }
        plot.tellEveryday()
    }

    private static func unsettled(_ plot: inout Plot) {
        for isLate in [false, true] {
            var story = plot.scene(day: 0, hour: 11, minute: isLate ? 30 : 0, amount: isLate ? 18_019 : 17_061)
            story.begin()
            story.wait(30...120)
            approve(&story)
            if isLate {
                settle(&story, at: PushLedger.transfer(atOrAfter: plot.shape.moment(day: plot.shape.days, hour: 9)))
            }
            plot.add(story)
            let why = isLate ? "settled a week late" : "its line in the ledger stays pending"
            plot.raise(
                "paid_unsettled", plot.subject(story), story, severity: "high", heals: isLate ? 2 : nil, why: why)
            plot.raise(
                "settlement_missing", plot.subject(story), story, severity: "high", heals: isLate ? 2 : nil,
                difference: story.trade.fiatAmount.plain, isPrimary: false, why: "\(why): no transfer has it")
        }
        var awaiting = plot.scene(day: plot.shape.days - 1, hour: 15, amount: 18_219)
        awaiting.begin()
        awaiting.wait(30...120)
        approve(&awaiting)
        settle(&awaiting, at: PushLedger.transfer(atOrAfter: plot.shape.moment(day: plot.shape.days + 2, hour: 9)))
        plot.add(awaiting)
        plot.twin(plot.subject(awaiting), "push: paid yesterday, T+3 not over; settled within it")
    }

    /// Settled by its line, and in no transfer.
    private static func missing(_ plot: inout Plot) {
        var story = plot.scene(day: 0, hour: 12, amount: 21_413)
        settle(&story)
        story.trade.quirks.insert(.leftOut)
        plot.add(story)
        plot.raise(
            "settlement_missing", plot.subject(story), story, severity: "high",
            why: "its line is settled, and no transfer has it")
    }

    private static func disputes(_ plot: inout Plot) {
        // A bank debit that came back: the money is gone with the dispute's first word.
        var back = plot.scene(day: 2, hour: 13, amount: 23_419, corridor: 1)
        settle(&back)
        back.trade.disputes.append(
            Trade.Dispute(at: plot.shape.moment(day: 6, hour: 15), amount: back.trade.fiatAmount))
        plot.add(back)
        plot.raise(
            "credited_unpaid", plot.order(back), back, severity: "critical",
            why: "a bank debit came back (R01), and the order is still credited")

        var won = plot.scene(day: 2, hour: 14, amount: 24_421)
        settle(&won)
        won.trade.disputes.append(
            Trade.Dispute(
                at: plot.shape.moment(day: 4, hour: 15), amount: won.trade.fiatAmount,
                ended: (at: plot.shape.moment(day: 8, hour: 15), isWon: true)))
        plot.add(won)
        plot.twin(plot.subject(won), "push: disputed and won: the payment stands")
    }

    /// A sandbox payment in a live account; no order asked for it.
    private static func testMode(_ plot: inout Plot) {
        var story = plot.scene(day: 6, hour: 7, amount: 6_007)
        settle(&story)
        story.trade.id = story.trade.id.replacing("intent_production_", with: "intent_sandbox_")
        plot.add(trade: story.trade)
        plot.raise(
            "environment_mixed", plot.subject(story), story, severity: "high", why: "a sandbox intent in a live account"
        )
    }

    /// A withdrawal: approved by Push or by the merchant, confirmed by the network with the next transfer.
    private static func payOut(_ plot: inout Plot, _ number: Int) {
        var story = plot.story(
            day: number % (plot.shape.allDays - 1), hour: 7 + number % 12, minute: 7 * number % 60,
            corridor: plot.profile.corridors[0], amount: 60_000 + 37 * number, direction: .out)
        story.trade.linking = .both
        story.order.amount = story.trade.fiatAmount
        story.order.currency = story.trade.corridor.fiat.code
        story.order.amountDigits = 2
        // Waits for no session: the merchant releases it, or the network does.
        story.order.showsExpiry = false
        story.begin()
        story.wait(30...600)
        story.take()
        let settled = PushLedger.transfer(atOrAfter: story.clock)
        story.wait(until: settled)
        story.provider(.settled, book: .credited)
        plot.add(story)
    }
}
