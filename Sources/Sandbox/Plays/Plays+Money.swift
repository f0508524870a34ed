import Payments

/// Charged twice, charged wrongly, charged and not delivered, charged and given back.
extension Plot {
    mutating func charges(_ play: Play) {
        let isRefunded = play == .refundedSurplus
        var first = scene(day: isRefunded ? 6 : 3, hour: 9, amount: 31_200 + (isRefunded ? 10 : 0))
        settle(&first)
        add(first)
        var second = first.again(after: 120)
        settle(&second)
        if isRefunded {
            second.wait(until: shape.moment(day: shape.days, hour: 11))
            second.provider(.refunded)
        }
        add(trade: second.trade)
        raise(
            "duplicate_charge", subject(second), second, severity: "critical", heals: isRefunded ? 2 : nil,
            difference: Convention.surplus(second.trade, isSameOrder: true),
            why: isRefunded ? "charged twice, then given back" : "the same order charged twice")

        guard play == .duplicateCharge, profile.turns.contains(.declined) else { return }
        var declined = scene(day: 3, hour: 15, amount: 15_150)
        let opened = declined
        declined.begin()
        declined.wait(20...60)
        declined.provider(.declined)
        var paid = declined.again(after: 90)
        paid.order.steps = opened.order.steps
        settle(&paid)
        add(trade: declined.trade)
        add(paid)
        twin(subject(paid), "\(profile.name): a declined first try is no charge")
    }

    mutating func unsettled(_ play: Play) {
        let isLate = play == .deliveredLate
        var story = scene(day: isLate ? 4 : 5, hour: 11, amount: isLate ? 18_018 : 17_060)
        story.begin()
        story.wait(30...120)
        story.take()
        if isLate {
            story.wait(until: shape.moment(day: shape.days, hour: 9))
            story.deliver()
        }
        add(story)
        raise(
            "paid_unsettled", subject(story), story, severity: "high", heals: isLate ? 2 : nil,
            why: isLate ? "delivered days late" : "never delivered")
        if profile.settlesToMerchant {
            raise(
                "settlement_missing", subject(story), story, severity: "high", heals: isLate ? 2 : nil,
                difference: story.trade.sourceAmount.plain, isPrimary: false,
                why: isLate ? "paid out days late" : "in no payout")
        }

        guard play == .paidUnsettled else { return }
        var awaiting = scene(day: shape.days - 1, hour: 15, amount: 18_218)
        awaiting.begin()
        awaiting.wait(30...120)
        awaiting.take()
        awaiting.wait(until: shape.moment(day: shape.days, hour: 13))
        awaiting.deliver()
        add(awaiting)
        twin(subject(awaiting), "\(profile.name): paid yesterday, not due yet; delivered within its term")
    }

    mutating func amounts(_ play: Play) {
        var story = scene(day: 6, hour: 18, amount: play == .amountMismatch ? 14_000 : 43_010)
        settle(&story)
        let real = story.trade.fiatAmount
        if play == .amountMismatch {
            story.order.amount = real + Amount(1_000, digits: story.trade.corridor.fiat.digits)
            add(story)
            let (subject, _) = Convention.amountMismatch(story)
            raise(
                "amount_mismatch", subject, story, or: self.subject(story), severity: "high",
                difference: (story.order.amount - real).plain, why: "less charged than promised")
        } else {
            story.order.currency = story.trade.corridor.fiat.code == "USD" ? "EUR" : "USD"
            add(story)
            raise(
                "currency_mismatch", subject(story), story, severity: "high", difference: story.order.amount.plain,
                currency: story.order.currency, why: "charged in one currency, booked in another")
        }
    }

    mutating func returns(_ play: Play) {
        var story = scene(day: 4, hour: 20, amount: play == .disputed ? 52_020 : 51_010)
        settle(&story)
        story.wait(until: shape.moment(day: 6, hour: 10))
        if play == .disputed {
            story.trade.disputes.append(Trade.Dispute(at: story.clock, amount: story.trade.fiatAmount))
            add(story)
            raise(
                "dispute_unbooked", subject(story), story, severity: "high",
                why: "disputed, and the book does not carry it")
        } else {
            let part = story.trade.fiatAmount.scaled(by: 1, over: 4, digits: story.trade.corridor.fiat.digits)
            story.trade.refunds.append(Trade.Refund(at: story.clock, amount: part))
            add(story)
            raise(
                "refund_mismatch", order(story), story, severity: "high", difference: (-part).plain,
                why: "a part given back, and the book does not carry it")
        }
    }

    /// A payout that is not what its lines come to; which one it is, the simulator knows.
    mutating func payouts() {
        var story = scene(day: 3, hour: 7, amount: 53_030)
        settle(&story)
        story.trade.quirks.insert(.shortPayout)
        add(story)
    }
}
