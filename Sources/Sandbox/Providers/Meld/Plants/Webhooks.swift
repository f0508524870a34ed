import Payments

/// Final states whose event never came, and events that came after all.
extension Plot {
    package mutating func plantWebhooks() {
        var settled = story(day: 4, hour: 8, corridor: .cardEuro, amount: 7_111)
        settled.settle()
        lost(settled, .settled, why: "delivered, the event never came")

        for (hour, status) in [(9, Status.declined), (10, .cancelled), (11, .failed)] {
            var refused = story(day: 5, hour: hour, corridor: .cardPound, amount: 7_200 + hour)
            refused.refuse(status)
            lost(refused, status, why: "\(status.rawValue), the event never came")
        }

        var later = story(day: shape.days, hour: 10, corridor: .cardEuro, amount: 7_122)
        later.settle()
        later.trade.lostEvents.insert(.settled)
        webhookMissing(later, opens: 2, why: "delivered on a later day, the event never came")

        var refunded = story(day: 3, hour: 15, corridor: .cardDollar, amount: 7_333)
        refunded.settle()
        refunded.wait(until: shape.moment(day: 5, hour: 10))
        refunded.provider(.refunded, book: .refunded)
        lost(refunded, .refunded, why: "given back, only the earlier events came")

        var found = story(day: 3, hour: 13, corridor: .cardDollar, amount: 7_444)
        found.settle()
        found.trade.eventsFiledAt[.settled] = 2
        webhookMissing(found, heals: 2, why: "its delivery stands only in a capture file of the second night")

        for (delay, amount) in [(2 * 3_600, 7_555), (7_620, 7_556)] {
            var late = story(day: 6, hour: 12, corridor: .cardEuro, amount: amount)
            late.settle()
            late.trade.lateEvents[.settled] = delay
            add(late)
            twin(Subject.transaction(late.trade.id), "its event came late, after retries, but it came")
        }

        var silent = story(day: 6, hour: 14, corridor: .cardEuro, amount: 7_666)
        silent.settle()
        silent.trade.lostEvents = [.pending, .settling]
        add(silent)
        twin(Subject.transaction(silent.trade.id), "only events of passing states are missing")

        for hour in [15, 16] {
            var imported = story(day: 4, hour: hour, corridor: .cardEuro, amount: 7_700 + hour)
            imported.settle()
            imported.trade.quirks.insert(.imported)
            imported.trade.lostEvents = Set(Status.allCases)
            add(imported)
            twin(Subject.transaction(imported.trade.id), "imported rows never have events")
        }
    }

    private mutating func lost(_ story: Story, _ status: Status, why: String) {
        var story = story
        story.trade.lostEvents.insert(status)
        webhookMissing(story, why: why)
    }

    private mutating func webhookMissing(_ story: Story, opens: Int = 1, heals: Int? = nil, why: String) {
        add(story)
        plant(
            Planted(
                "webhook_missing", Subject.transaction(story.trade.id), nights: shape.nights, opens: opens,
                severity: "low",
                heals: heals, difference: Convention.noAmount, currency: story.trade.sourceCurrency, why: why))
    }
}
