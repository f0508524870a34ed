import Payments

/// What only happens here: an authorization and its capture are two payments.
extension DLocalSimulator {
    static func tell(_ plot: inout Plot) {
        plot.play()
        for number in 0..<3 {
            let (held, capture) = captured(&plot, number)
            plot.add(trade: held)
            plot.add(capture)
            plot.twin(plot.subject(capture), "dlocal: authorized and captured, two payments and one charge")
        }
        var lost = plot.scene(day: 3, hour: 16, amount: 36_060)
        settle(&lost)
        lost.wait(until: plot.shape.moment(day: 5, hour: 9))
        lost.trade.disputes.append(
            Trade.Dispute(
                at: lost.clock, amount: lost.trade.fiatAmount,
                ended: (at: plot.shape.moment(day: 8, hour: 9), isWon: false)))
        lost.book(.disputed, after: 600)
        plot.add(lost)
        plot.twin(plot.subject(lost), "dlocal: charged back for good, and the book carries it")
        plot.tellEveryday()
    }

    private static func captured(_ plot: inout Plot, _ number: Int) -> (held: Trade, capture: Story) {
        var story = plot.scene(day: 2 + number, hour: 13, amount: 33_070 + number * 10)
        let opened = story.order
        story.begin()
        story.wait(20...60)
        story.provider(.authorized)
        let held = story.trade
        var capture = story.again(after: 600)
        capture.order.steps = opened.steps
        capture.book(.pending)
        capture.take()
        capture.wait(300...900)
        capture.deliver()
        return (held, capture)
    }

    /// Paid within minutes, and released to the merchant with the next transfer.
    static func settle(_ story: inout Story) {
        story.begin()
        let isSlow = story.trade.corridor.method == "TICKET"
        story.wait(isSlow ? 600...1_500 : 30...480)
        story.take()
        story.wait(60...3_600)
        story.deliver()
    }
}
