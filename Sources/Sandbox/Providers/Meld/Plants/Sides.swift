import Payments

/// Payments that one side alone knows, and charges in another currency than the book's.
extension Plot {
    package mutating func plantSides() {
        unknownToProvider()
        unknownToBook()
        otherCurrency()
    }

    /// Orders and events that speak of payments the provider does not list.
    private mutating func unknownToProvider() {
        for (hour, status) in [(9, BookStatus.paid), (10, .refunded)] {
            var story = unlisted(day: 6, hour: hour, amount: 41_000 + hour)
            story.wait(300...900)
            story.book(status)
            add(order: story.order)
            missing(order: story, why: "the book says \(status.rawValue), the provider lists no payment")
        }

        var later = unlisted(day: shape.days, hour: 11, amount: 41_111)
        later.wait(300...900)
        later.book(.paid)
        add(order: later.order)
        missing(order: later, opens: 2, why: "paid in the book on a later day, the provider lists no payment")

        var corrected = unlisted(day: 7, hour: 12, amount: 41_212)
        corrected.wait(300...900)
        corrected.book(.paid)
        corrected.wait(until: shape.moment(day: shape.days, hour: 10))
        corrected.book(.cancelled)
        add(order: corrected.order)
        missing(order: corrected, heals: 2, why: "paid in the book by mistake, corrected a day later")

        // A payout that was handed over and never arrived there, and one inside its window.
        for (day, isLate) in [(shape.days - 4, true), (shape.days - 1, false)] {
            var payout = story(day: day, hour: 13, corridor: .cardEuro, amount: 41_300 + day, direction: .out)
            payout.order.showsExpiry = false
            payout.begin()
            if isLate {
                add(order: payout.order)
                missing(order: payout, isPaid: false, why: "a payout the book handed over, unknown at the provider")
            } else {
                payout.wait(until: shape.moment(day: shape.days, hour: 9))
                payout.trade.withheldUntil = payout.clock
                payout.take()
                payout.wait(300...900)
                payout.deliver()
                add(payout)
                twin(Subject.order(payout.order.id), "a payout inside the time in which the provider may take it up")
            }
        }

        for (hour, listed) in [(14, Int?.none), (15, 2)] {
            var spoken = story(day: 6, hour: hour, corridor: .cardPound, amount: 41_400 + hour)
            spoken.order.showsExpiry = false
            spoken.settle()
            spoken.trade.withheldUntil =
                listed.map { shape.moment(day: shape.days + $0 - 2, hour: 9) } ?? Timestamp(microseconds: .max)
            // The book hears of nothing meanwhile.
            spoken.order.steps = [spoken.order.steps[0]]
            if listed != nil {
                spoken.wait(until: shape.moment(day: shape.days, hour: 9))
                spoken.book(.credited)
            }
            add(spoken)
            plant(
                Planted(
                    "provider_missing", Subject.transaction(spoken.trade.id), nights: shape.nights, severity: "medium",
                    heals: listed, difference: Convention.noAmount,
                    why: "events say that it was delivered, the provider does not list it"))
        }
    }

    private mutating func unlisted(day: Int, hour: Int, amount: Int) -> Story {
        var story = story(day: day, hour: hour, corridor: .cardPound, amount: amount)
        story.order.transaction = nil
        // No session lapses meanwhile: the payment is missing, nothing else.
        story.order.showsExpiry = false
        return story
    }

    private mutating func missing(
        order story: Story, opens: Int = 1, heals: Int? = nil, isPaid: Bool = true, why: String
    ) {
        plant(
            Planted(
                "provider_missing", Subject.order(story.order.id), nights: shape.nights, opens: opens,
                severity: "medium", heals: heals,
                difference: isPaid ? story.order.amount.plain : Convention.noAmount, currency: story.order.currency,
                why: why))
    }

    /// Charges that no order explains.
    private mutating func unknownToBook() {
        var unknown = story(day: 5, hour: 10, corridor: .applePayEuro, amount: 42_010)
        unknown.settle()
        add(trade: unknown.trade)
        missing(charge: unknown, why: "delivered, and no order of the book names it")

        var later = story(day: shape.days, hour: 10, corridor: .cardEuro, amount: 42_110)
        later.settle()
        add(trade: later.trade)
        missing(charge: later, opens: 2, why: "delivered on a later day, and no order names it")

        var back = story(day: 6, hour: 10, corridor: .cardEuro, amount: 42_210)
        back.settle()
        back.wait(until: shape.moment(day: shape.days, hour: 10))
        back.provider(.refunded)
        add(trade: back.trade)
        missing(charge: back, heals: 2, why: "no order names it; given back in full a day later")

        var refused = story(day: 6, hour: 11, corridor: .cardEuro, amount: 42_310)
        refused.refuse(.declined)
        add(trade: refused.trade)
        twin(Subject.transaction(refused.trade.id), "no order names it, but no money moved")
    }

    private mutating func missing(charge story: Story, opens: Int = 1, heals: Int? = nil, why: String) {
        plant(
            Planted(
                "book_missing", Subject.transaction(story.trade.id), nights: shape.nights, opens: opens,
                severity: "medium", heals: heals, difference: (-story.trade.sourceAmount).plain,
                currency: story.trade.sourceCurrency, why: why))
    }

    private mutating func otherCurrency() {
        var story = story(day: 7, hour: 13, corridor: .cardEuro, amount: 43_010)
        story.settle()
        story.order.currency = "USD"
        add(story)
        plant(
            Planted(
                "currency_mismatch", Subject.transaction(story.trade.id), nights: shape.nights, severity: "high",
                difference: story.order.amount.plain, currency: "USD", why: "charged in euro, booked in dollars"))
    }
}
