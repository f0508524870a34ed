import Payments

/// Events that the provider's own list contradicts, events that prove nothing, final states that moved, and references
/// that two orders claim; beside them what only looks so.
extension Plot {
    package mutating func plantSignals() {
        plantConflicts()
        plantForgeries()
        plantRegressions()
        plantReuse()
    }

    // MARK: events against the list

    private mutating func plantConflicts() {
        var kept = story(day: 4, hour: 17, corridor: .cardEuro, amount: 41_010)
        kept.settle()
        tell(&kept, .refunded, after: 7_200)
        conflict(kept, why: "an event says that it was given back, the list still says delivered")

        var later = story(day: shape.days, hour: 9, corridor: .cardEuro, amount: 41_020)
        later.settle()
        tell(&later, .failed, after: 10_800)
        conflict(later, opens: 2, why: "an event of a later day says failed, the list says delivered")

        var agreed = story(day: 5, hour: 13, corridor: .cardDollar, amount: 41_030)
        agreed.settle()
        tell(&agreed, .refunded, after: 7_200)
        agreed.wait(until: shape.moment(day: shape.days, hour: 11))
        agreed.provider(.refunded, book: .refunded)
        conflict(agreed, heals: 2, why: "the list shows days later what the event said at once")

        var slow = story(day: 6, hour: 16, corridor: .cardEuro, amount: 41_040)
        slow.settle()
        slow.trade.lateEvents[.settling] = 7_620
        add(slow)
        twin(Subject.transaction(slow.trade.id), "an older event that came after the newer one contradicts nothing")
    }

    private func tell(_ story: inout Story, _ status: Status, after seconds: Int64, provenOn: Int? = nil) {
        let id = Identifiers.base58(22, &story.random)
        story.trade.tales.append(
            Trade.Tale(
                eventId: id, at: story.clock.adding(seconds: seconds), status: status, isForged: false,
                provenOn: provenOn))
    }

    private mutating func conflict(_ story: Story, opens: Int = 1, heals: Int? = nil, why: String) {
        add(story)
        plant(
            Planted(
                "webhook_conflict", Subject.transaction(story.trade.id), nights: shape.nights, opens: opens,
                severity: "medium", heals: heals, difference: Convention.noAmount,
                currency: story.trade.sourceCurrency, why: why))
    }

    // MARK: events without proof

    private mutating func plantForgeries() {
        forged(
            day: 4, amount: 42_010, status: .refunded, why: "signed with a key that is not ours: anybody may send that")
        forged(
            day: shape.days, amount: 42_020, status: .failed, opens: 2,
            why: "the same on a later day; the payment is delivered and stays so")
        forged(
            day: 3, amount: 42_030, status: .pending, heals: 2,
            why: "the same event comes once more with the second night's capture, rightly signed")
    }

    private mutating func forged(
        day: Int, amount: Int, status: Status, opens: Int = 1, heals: Int? = nil, why: String
    ) {
        var story = story(day: day, hour: 18, corridor: .cardPound, amount: amount)
        let begun = story.clock.adding(seconds: 1)
        story.settle()
        let id = Identifiers.base58(22, &story.random)
        // One that is proven later was told in time: it is older than what the row came to.
        story.trade.tales.append(
            Trade.Tale(
                eventId: id, at: heals == nil ? story.clock.adding(seconds: 1_800) : begun, status: status,
                isForged: true, provenOn: heals))
        add(story)
        plant(
            Planted(
                "webhook_unverified", Subject.event(id), nights: shape.nights, opens: opens, severity: "medium",
                heals: heals, difference: Convention.noAmount, why: why))
    }

    // MARK: final states that moved

    private mutating func plantRegressions() {
        for (amount, status, heals) in [(43_010, Status.declined, Int?.some(3)), (43_020, .failed, nil)] {
            var story = story(day: 4, hour: 19, corridor: .cardPound, amount: amount)
            story.refuse(status)
            story.wait(until: shape.moment(day: shape.days, hour: 12))
            story.provider(.pending)
            if heals != nil {
                story.wait(until: shape.moment(day: shape.days + 1, hour: 12))
                story.provider(status)
            }
            add(story)
            plant(
                Planted(
                    "status_regression", Subject.transaction(story.trade.id), nights: shape.nights, opens: 2,
                    severity: "low", heals: heals, difference: Convention.noAmount,
                    currency: story.trade.sourceCurrency,
                    why:
                        "\(status.rawValue) for days, then PENDING again\(heals == nil ? "" : ", then final once more")"
                ))
        }

        var refunded = story(day: 4, hour: 20, corridor: .cardPound, amount: 43_030)
        refunded.settle()
        refunded.wait(until: shape.moment(day: shape.days, hour: 13))
        refunded.provider(.refunded, book: .refunded)
        add(refunded)
        twin(Subject.transaction(refunded.trade.id), "given back after it was delivered is news, no regression")
    }

    // MARK: references that two orders claim

    private mutating func plantReuse() {
        for (day, amount, heals) in [(3, 44_010, Int?.none), (5, 44_020, 2)] {
            var owner = story(day: day, hour: 17, corridor: .cardEuro, amount: amount)
            owner.trade.linking = .both
            owner.settle()
            add(owner)
            var taker = story(day: day, hour: 19, corridor: .cardEuro, amount: amount + 1)
            taker.trade.linking = .both
            taker.settle()
            let from = heals.map { shape.moment(day: shape.days + $0 - 2, hour: 9) }
            taker.order.borrowed = BookEntry.Borrowed(session: owner.order.session, from: from)
            reused(
                taker, heals: heals,
                why: "the book wrote another order's session on it\(heals == nil ? "" : " for days")")
        }

        var first = story(day: 6, hour: 18, corridor: .cardEuro, amount: 44_030)
        first.settle()
        add(first)
        var second = story(day: 6, hour: 20, corridor: .cardEuro, amount: 44_040)
        second.refuse(.declined)
        second.order.idempotencyKey = first.order.idempotencyKey
        reused(second, why: "asked for under the idempotency key of an earlier order")
    }

    private mutating func reused(_ story: Story, heals: Int? = nil, why: String) {
        add(story)
        plant(
            Planted(
                "reference_reused", Subject.order(story.order.id), nights: shape.nights, severity: "high",
                heals: heals, difference: Convention.noAmount, currency: story.order.currency, why: why))
    }
}
