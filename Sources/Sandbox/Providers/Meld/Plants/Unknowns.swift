import Payments

/// A status nobody modelled, and a row whose field changed its type.
extension Plot {
    package mutating func plantUnknowns() {
        unknown(day: 6, why: "the provider says retry_scheduled and nothing else since")
        unknown(day: shape.days, opens: 2, why: "retry_scheduled on a later day")
        unknown(day: 7, heals: 2, why: "retry_scheduled, then delivered")

        var malformed = story(day: 5, hour: 11, corridor: .cardEuro, amount: 9_123)
        malformed.settle()
        malformed.trade.quirks.insert(.feeAsObject)
        malformed.trade.feesKnownFrom = malformed.trade.createdAt
        add(malformed)
        quarantine(malformed.trade.id)
    }

    private mutating func unknown(day: Int, opens: Int = 1, heals: Int? = nil, why: String) {
        var story = story(day: day, hour: 10, minute: 30, corridor: .cardPound, amount: 8_800 + day)
        // No session lapses meanwhile: nothing but the status is odd.
        story.order.expiresAt = shape.moment(day: shape.allDays + 30, hour: 0)
        story.begin()
        story.wait(30...90)
        story.provider(.retryScheduled)
        if let heals {
            story.wait(until: shape.moment(day: shape.days + heals - 2, hour: 14))
            story.take()
            story.wait(300...900)
            story.deliver()
        }
        add(story)
        plant(
            Planted(
                "unknown_value", Subject.transaction(story.trade.id), nights: shape.nights, opens: opens,
                severity: "high", heals: heals, difference: Convention.noAmount, currency: story.trade.sourceCurrency,
                why: why))
    }
}
