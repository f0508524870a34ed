import Payments

/// Customers charged twice, and look-alikes who were not.
extension Plot {
    package mutating func plantDuplicates() {
        sameOrder()
        refundedSurplus()
        heldSurplus()
        otherOrders()
        duplicateTwins()
    }

    private mutating func surplus(
        _ story: Story, opens: Int = 1, severity: String = "critical", heals: Int? = nil, why: String
    ) {
        add(trade: story.trade)
        plant(
            Planted(
                "duplicate_charge", Subject.transaction(story.trade.id), nights: shape.nights, opens: opens,
                severity: severity, heals: heals,
                difference: Convention.surplus(story.trade, isSameOrder: severity == "critical"),
                currency: story.trade.sourceCurrency, why: why))
    }

    /// No window, any provider beneath, found through whichever reference the second charge carries.
    private mutating func sameOrder() {
        var first = story(day: 3, hour: 9, corridor: .applePayEuro, amount: 12_010)
        first.trade.linking = .both
        first.settle()
        add(first)
        var second = first.again(after: 40)
        second.trade.corridor = Corridor(provider: "BANXA", method: "CREDIT_DEBIT_CARD", fiat: .euro, weight: 0)
        second.settle()
        surplus(second, why: "the same order paid again through another provider")

        for (hour, linking) in [(10, Trade.Linking.orderOnly), (12, .sessionOnly)] {
            var first = story(day: 4, hour: hour, corridor: .cardPound, amount: 9_900 + hour)
            first.trade.linking = .both
            first.settle()
            add(first)
            var second = first.again(after: 300)
            second.trade.linking = linking
            second.settle()
            surplus(second, why: "the same order charged twice; the second knows only the provider's own reference")
        }

        var one = story(day: 5, hour: 14, corridor: .cardDollar, amount: 25_075)
        one.trade.linking = .reference
        one.settle()
        add(one)
        var two = one.again(after: 60)
        two.settle()
        surplus(two, why: "second of three charges of one order")
        var three = two.again(after: 60)
        three.settle()
        surplus(three, why: "third of three charges of one order")
    }

    /// The surplus charge is given back in full on a later day: heals.
    private mutating func refundedSurplus() {
        for (bought, refunded) in [(6, shape.days), (shape.days, shape.days + 1)] {
            var first = story(day: bought, hour: 10, corridor: .cardEuro, amount: 31_300 + bought)
            first.trade.linking = .both
            first.settle()
            add(first)
            var second = first.again(after: 120)
            second.settle()
            second.wait(until: shape.moment(day: refunded, hour: 11))
            second.provider(.refunded)
            let opens = bought < shape.days ? 1 : 2
            surplus(second, opens: opens, heals: refunded - shape.days + 2, why: "charged twice, then given back")
        }
    }

    /// A wallet payment that was accepted, not captured, and taken for a failure: the money is held.
    private mutating func heldSurplus() {
        var first = story(day: shape.days, hour: 13, corridor: .applePayEuro, amount: 8_725)
        first.trade.linking = .both
        first.settle()
        add(first)
        var second = first.again(after: 30)
        second.begin()
        second.trade.feesKnownFrom = Timestamp(microseconds: .max)
        surplus(second, opens: 2, why: "a second wallet payment of the same order is accepted and never captured")
    }

    /// Two orders of one customer, equal in amount, currency and destination, within a day.
    private mutating func otherOrders() {
        var failed = story(day: 7, hour: 9, corridor: .applePayEuro, amount: 44_450)
        failed.begin()
        failed.wait(30...60)
        failed.provider(.settling)
        failed.book(.failed, after: 2)
        failed.wait(300...600)
        failed.provider(.settled)
        add(failed)
        plant(
            Planted(
                "accepted_as_failed", Subject.order(failed.order.id), nights: shape.nights, severity: "high",
                difference: (-failed.trade.sourceAmount).plain, currency: failed.trade.sourceCurrency,
                why: "the book calls failed what the provider took and delivered"))
        var retried = twinOrder(of: failed, day: 7, hour: 11)
        retried.settle()
        add(order: retried.order)
        surplus(retried, severity: "high", why: "bought again because the book called the first order failed")

        for day in [8, shape.days] {
            var first = story(day: day, hour: 8, corridor: .cardPound, amount: 32_000 + day)
            first.settle()
            add(first)
            var second = twinOrder(of: first, day: day, hour: 11)
            second.settle()
            add(order: second.order)
            surplus(
                second, opens: day < shape.days ? 1 : 2, severity: "low",
                why: "two equal orders of one customer within a day, nothing says that the first had failed")
        }
    }

    /// Another order of the same customer for the same amount and destination.
    private mutating func twinOrder(of story: Story, day: Int, hour: Int) -> Story {
        let minor = Int(story.trade.fiatAmount.text(digits: story.trade.corridor.fiat.digits).filter { $0 != "." }) ?? 0
        var next = self.story(
            day: day, hour: hour, corridor: story.trade.corridor, amount: minor, customer: story.trade.customer)
        next.trade.crypto = story.trade.crypto
        next.trade.cryptoAmount = story.trade.cryptoAmount
        next.trade.wallet = story.trade.wallet
        next.order.wallet = story.order.wallet
        next.order.destinationAmount = story.order.destinationAmount
        next.order.destinationCurrency = story.order.destinationCurrency
        return next
    }

    private mutating func duplicateTwins() {
        var declined = story(day: 3, hour: 15, corridor: .cardPound, amount: 15_150)
        declined.trade.linking = .both
        let opened = declined
        declined.begin()
        declined.wait(20...60)
        declined.provider(.declined)
        var paid = declined.again(after: 90)
        paid.order.steps = opened.order.steps
        paid.settle()
        add(trade: declined.trade)
        add(paid)
        twin(Subject.transaction(paid.trade.id), "a declined first try is no charge")

        var kept = story(day: 5, hour: 9, corridor: .cardEuro, amount: 20_020)
        kept.trade.linking = .both
        kept.settle()
        add(kept)
        var back = kept.again(after: 60)
        back.settle()
        back.wait(600...900)
        back.provider(.refunded)
        add(trade: back.trade)
        twin(Subject.transaction(back.trade.id), "a surplus charge given back in full before the first night")

        var monday = story(day: 6, hour: 8, corridor: .cardPound, amount: 5_320)
        monday.settle()
        add(monday)
        var tuesday = twinOrder(of: monday, day: 7, hour: 13)
        tuesday.settle()
        add(tuesday)
        twin(Subject.transaction(tuesday.trade.id), "an equal order of the same customer more than a day later")

        var ticket = story(day: 6, hour: 15, corridor: .cardPound, amount: 3_200)
        ticket.settle()
        add(ticket)
        var other = story(day: 6, hour: 16, corridor: .cardPound, amount: 3_210, customer: ticket.trade.customer)
        other.settle()
        add(other)
        twin(Subject.transaction(other.trade.id), "two tickets of one customer on one day, of different amounts")
    }
}
