import Payments

/// Orders whose status does not go with what became of the money, and payments that one side alone knows.
extension Plot {
    mutating func lapses(_ play: Play) {
        switch play {
        case .expiredButPaid:
            var lapsed = scene(day: 6, hour: 14, amount: 46_014)
            lapsed.begin()
            lapsed.wait(30...60)
            lapsed.order.steps.append(BookEntry.Step(at: lapsed.order.expiresAt, status: .expired))
            lapsed.wait(2_400...3_000)
            lapsed.provider(.settling)
            lapsed.wait(60...300)
            lapsed.provider(.settled)
            add(lapsed)
            raise(
                "expired_but_paid", order(lapsed), lapsed, severity: "high", difference: providerOnly(lapsed),
                why: "lapsed in the book, delivered afterwards")
        case .revived:
            var late = scene(day: 5, hour: 14, amount: 46_114)
            late.begin()
            late.wait(until: late.order.expiresAt)
            late.provider(.authorizationExpired)
            late.order.steps.append(BookEntry.Step(at: late.order.expiresAt, status: .expired))
            late.wait(until: shape.moment(day: shape.days, hour: 9))
            late.provider(.settling)
            late.wait(60...300)
            late.provider(.settled)
            add(late)
            raise(
                "expired_but_paid", order(late), late, opens: 2, severity: "high", difference: providerOnly(late),
                why: "expired on both sides, paid days later: it became active again")
        case .acceptedAsFailed:
            var cancelled = scene(day: 7, hour: 10, amount: 47_010)
            cancelled.begin()
            cancelled.wait(20...60)
            cancelled.book(.cancelled)
            cancelled.wait(20...60)
            cancelled.provider(.settling)
            cancelled.wait(60...300)
            cancelled.provider(.settled)
            add(cancelled)
            raise(
                "accepted_as_failed", order(cancelled), cancelled, severity: "high",
                difference: providerOnly(cancelled),
                why: "cancelled in the book well before the session lapsed, delivered")
        default:
            var open = scene(day: 5, hour: 16, amount: 7_005)
            open.order.transaction = nil
            add(order: open.order)
            raise(
                "expired_session", order(open), open, severity: "low", why: "nobody paid, the book still says open")
        }
    }

    mutating func states(_ play: Play) {
        switch play {
        case .takenNotReturned:
            var story = scene(day: 6, hour: 8, amount: 44_008)
            story.begin()
            story.wait(30...300)
            story.take()
            story.wait(60...900)
            story.provider(.failed, book: .failed)
            add(story)
            raise(
                "taken_not_returned", subject(story), story, severity: "critical", difference: providerOnly(story),
                why: "failed after the money was taken")
        case .creditedUnpaid:
            var story = scene(day: 5, hour: 9, amount: 45_009)
            story.begin()
            story.wait(30...300)
            story.provider(.declined, book: .credited)
            add(story)
            raise(
                "credited_unpaid", order(story), story, severity: "critical", difference: story.order.amount.plain,
                why: "credited, and the provider declined it")
        case .creditedReturned:
            var back = scene(day: 4, hour: 9, amount: 45_109)
            settle(&back)
            back.wait(until: shape.moment(day: 7, hour: 10))
            back.provider(.refunded)
            back.wait(until: shape.moment(day: shape.days, hour: 15))
            back.book(.refunded)
            add(back)
            raise(
                "credited_unpaid", order(back), back, severity: "critical", heals: 2,
                why: "given back to the customer, and still credited; the book follows days later")
        case .settledUncredited:
            var story = scene(day: 7, hour: 9, amount: 48_009)
            story.order.showsExpiry = false
            story.begin()
            story.wait(30...60)
            story.provider(.settling, book: .pending)
            story.wait(60...600)
            story.provider(.settled)
            add(story)
            raise(
                "settled_uncredited", order(story), story, severity: "high", difference: providerOnly(story),
                why: "delivered, and the book still says pending")
        default:
            var refused = scene(day: 5, hour: 18, amount: 49_121)
            refused.order.showsExpiry = false
            refused.begin()
            refused.wait(30...300)
            refused.provider(.declined)
            add(refused)
            raise(
                "book_conflict", order(refused), refused, severity: "medium",
                why: "declined, and the book still waits for the payment")
        }
    }

    mutating func sides(_ play: Play) {
        if play == .bookMissing {
            var unknown = scene(day: 5, hour: 10, amount: 42_010)
            settle(&unknown)
            add(trade: unknown.trade)
            raise(
                "book_missing", subject(unknown), unknown, severity: "medium", difference: providerOnly(unknown),
                why: "delivered, and no order of the book names it")
        } else {
            var story = scene(day: 6, hour: 9, minute: 20, amount: 41_009)
            story.order.transaction = nil
            story.order.showsExpiry = false
            story.wait(300...900)
            story.book(.paid)
            add(order: story.order)
            raise(
                "provider_missing", order(story), story, severity: "medium", difference: story.order.amount.plain,
                currency: story.order.currency, why: "the book says paid, the provider knows no payment")
        }
    }
}
