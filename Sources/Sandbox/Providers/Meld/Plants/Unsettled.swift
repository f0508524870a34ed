import Payments

/// Money taken and nothing delivered in time. Cards and wallets are due a day after the money was taken (the generated
/// configuration says so); every distance here keeps hours away from that line and from twice the term.
extension Plot {
    package mutating func plantUnsettled() {
        stuck(day: 5, severity: "high", why: "never delivered")
        stuck(
            day: shape.days - 2, hour: 12, severity: "medium", worse: [2: "high"],
            why: "overdue, then at twice the term")
        stuck(
            day: shape.days - 1, hour: 10, opens: 2, severity: "medium", worse: [3: "high"],
            why: "falls due between two nights")
        stuck(day: 4, severity: "high", error: true, why: "a technical fault after the money was taken, never resolved")

        var late = taken(day: 4, hour: 11, amount: 18_018)
        late.wait(until: shape.moment(day: shape.days, hour: 9))
        late.deliver()
        unsettled(late, severity: "high", heals: 2, why: "delivered days late")

        var back = taken(day: 6, hour: 11, amount: 18_118)
        back.wait(until: shape.moment(day: shape.days + 1, hour: 9))
        back.provider(.refunded, book: .refunded)
        unsettled(back, severity: "high", heals: 3, why: "never delivered, given back in the end")

        var awaiting = taken(day: shape.days - 1, hour: 15, amount: 18_218)
        awaiting.wait(until: shape.moment(day: shape.days, hour: 13))
        awaiting.deliver()
        add(awaiting)
        twin(Subject.transaction(awaiting.trade.id), "paid yesterday, not due yet; delivered within its term")

        var yesterday = taken(day: shape.allDays - 1, hour: 16, amount: 18_318)
        yesterday.wait(until: shape.moment(day: shape.allDays, hour: 9))
        yesterday.deliver()
        add(yesterday)
        twin(Subject.transaction(yesterday.trade.id), "paid on the eve of the last night, not due yet")
    }

    private mutating func taken(day: Int, hour: Int, amount: Int) -> Story {
        var story = story(day: day, hour: hour, corridor: .applePayDollar, amount: amount)
        story.begin()
        story.wait(30...120)
        story.take()
        return story
    }

    private mutating func stuck(
        day: Int, hour: Int = 10, opens: Int = 1, severity: String, worse: [Int: String] = [:], error: Bool = false,
        why: String
    ) {
        var story = taken(day: day, hour: hour, amount: 17_000 + 10 * day + hour)
        if error {
            story.wait(60...300)
            story.provider(.error)
        }
        unsettled(story, opens: opens, severity: severity, worse: worse, why: why)
    }

    private mutating func unsettled(
        _ story: Story, opens: Int = 1, severity: String, worse: [Int: String] = [:], heals: Int? = nil, why: String
    ) {
        add(story)
        plant(
            Planted(
                "paid_unsettled", Subject.transaction(story.trade.id), nights: shape.nights, opens: opens,
                severity: severity, worse: worse, heals: heals, difference: Convention.noAmount,
                currency: story.trade.sourceCurrency, why: why))
    }
}
