import Payments

/// Orders whose status does not go with what became of the money, as the state matrix reads the two.
extension Plot {
    package mutating func plantStates() {
        takenNotReturned()
        creditedUnpaid()
        expiredButPaid()
        acceptedAsFailed()
        settledUncredited()
        bookConflict()
        creditedUnsettled()
    }

    private mutating func plantState(
        _ rule: String, _ subject: String, _ story: Story, opens: Int = 1, severity: String, heals: Int? = nil,
        difference: String = Convention.noAmount, isPrimary: Bool = true, why: String
    ) {
        plant(
            Planted(
                rule, subject, nights: shape.nights, opens: opens, severity: severity, heals: heals,
                difference: difference, currency: story.trade.sourceCurrency, isPrimary: isPrimary, why: why))
    }

    /// Charged, then failed or cancelled, and the money never came back, or late.
    private mutating func takenNotReturned() {
        for (hour, status, refunded) in [
            (8, Status.failed, Int?.none), (9, .cancelled, nil), (10, .declined, 2), (11, .failed, 3),
        ] {
            var story = story(day: 6, hour: hour, corridor: .cardDollar, amount: 44_000 + hour)
            story.begin()
            story.wait(30...300)
            story.take()
            story.wait(60...900)
            story.provider(status, book: status == .cancelled ? .cancelled : .failed)
            if let refunded {
                story.wait(until: shape.moment(day: shape.days + refunded - 2, hour: 11))
                story.provider(.refunded, book: .refunded)
            }
            add(story)
            plantState(
                "taken_not_returned", Subject.transaction(story.trade.id), story, severity: "critical",
                heals: refunded, difference: providerOnly(story),
                why: "\(status.rawValue) after the money was taken" + (refunded == nil ? "" : ", given back days later")
            )
        }
        var young = story(day: shape.days - 1, hour: 12, corridor: .cardDollar, amount: 44_112)
        young.begin()
        young.wait(30...300)
        young.take()
        young.wait(60...900)
        young.provider(.failed, book: .failed)
        young.wait(until: shape.moment(day: shape.days, hour: 9))
        young.provider(.refunded, book: .refunded)
        add(young)
        twin(Subject.transaction(young.trade.id), "failed after the money was taken, given back within its term")
    }

    /// Credited though the provider refused, gave back or never knew the payment.
    private mutating func creditedUnpaid() {
        for (hour, status) in [(9, Status.declined), (10, .failed), (11, .cancelled)] {
            var story = story(day: 5, hour: hour, corridor: .cardPound, amount: 45_000 + hour)
            story.begin()
            story.wait(30...300)
            story.provider(status, book: .credited)
            add(story)
            plantState(
                "credited_unpaid", Subject.order(story.order.id), story, severity: "critical",
                difference: story.order.amount.plain, why: "credited, and the provider says \(status.rawValue)")
        }

        var back = story(day: 4, hour: 9, corridor: .cardEuro, amount: 45_109)
        back.settle()
        back.wait(until: shape.moment(day: 7, hour: 10))
        back.provider(.refunded)
        back.wait(until: shape.moment(day: shape.days, hour: 15))
        back.book(.refunded)
        add(back)
        plantState(
            "credited_unpaid", Subject.order(back.order.id), back, severity: "critical", heals: 2,
            why: "given back to the customer, and still credited; the book follows days later")

        var unknown = story(day: 6, hour: 12, corridor: .cardPound, amount: 45_212)
        unknown.order.transaction = nil
        unknown.wait(300...900)
        unknown.book(.credited)
        add(order: unknown.order)
        plantState(
            "credited_unpaid", Subject.order(unknown.order.id), unknown, severity: "critical",
            difference: unknown.order.amount.plain, why: "credited, and the provider knows no payment")
        plantState(
            "provider_missing", Subject.order(unknown.order.id), unknown, severity: "medium",
            difference: unknown.order.amount.plain, isPrimary: false,
            why: "credited, and the provider lists no payment")

        var second = story(day: 5, hour: 14, corridor: .cardPound, amount: 45_314)
        second.trade.linking = .both
        let opened = second
        second.begin()
        second.wait(20...60)
        second.provider(.declined)
        var paid = second.again(after: 120)
        paid.order.steps = opened.order.steps
        paid.settle()
        add(trade: second.trade)
        add(paid)
        twin(Subject.order(paid.order.id), "credited for the second try, not for the declined one")
    }

    /// The session lapsed in the book, and the payment came through after all.
    private mutating func expiredButPaid() {
        var lapsed = story(day: 6, hour: 14, corridor: .cardEuro, amount: 46_014)
        lapsed.begin()
        lapsed.wait(30...60)
        lapsed.order.steps.append(BookEntry.Step(at: lapsed.order.expiresAt, status: .expired))
        lapsed.wait(2_400...3_000)
        lapsed.provider(.settling)
        lapsed.wait(60...300)
        lapsed.provider(.settled)
        add(lapsed)
        plantState(
            "expired_but_paid", Subject.order(lapsed.order.id), lapsed, severity: "high",
            difference: providerOnly(lapsed), why: "lapsed in the book, delivered afterwards")

        // The payment wins by two seconds, its event never comes, and the book cancels when the session lapses.
        var race = story(day: 6, hour: 15, corridor: .cardEuro, amount: 46_115)
        race.begin()
        race.wait(30...60)
        race.provider(.settling)
        race.order.expiresAt = race.clock.adding(seconds: 600)
        race.wait(until: race.order.expiresAt.adding(seconds: -2))
        race.provider(.settled)
        race.order.steps.append(
            BookEntry.Step(at: race.order.expiresAt.adding(seconds: 1), status: .cancelled))
        race.trade.lostEvents = [.settled]
        add(race)
        plantState(
            "expired_but_paid", Subject.order(race.order.id), race, severity: "high",
            difference: providerOnly(race), why: "cancelled when its session lapsed, paid two seconds before")
        plantState(
            "webhook_missing", Subject.transaction(race.trade.id), race, severity: "low", isPrimary: false,
            why: "the event that would have told the book never came")

        var noticed = story(day: shape.days - 1, hour: 14, corridor: .cardEuro, amount: 46_214)
        noticed.begin()
        noticed.order.steps.append(BookEntry.Step(at: noticed.order.expiresAt, status: .expired))
        noticed.wait(2_400...3_000)
        noticed.provider(.settling)
        noticed.wait(60...300)
        noticed.provider(.settled)
        noticed.wait(until: shape.moment(day: shape.days, hour: 12))
        noticed.book(.credited)
        add(noticed)
        plantState(
            "expired_but_paid", Subject.order(noticed.order.id), noticed, severity: "high", heals: 2,
            difference: providerOnly(noticed), why: "lapsed in the book, delivered; credited a day later")
    }

    private mutating func acceptedAsFailed() {
        var cancelled = story(day: 7, hour: 10, corridor: .cardPound, amount: 47_010)
        cancelled.begin()
        cancelled.wait(20...60)
        cancelled.book(.cancelled)
        cancelled.wait(20...60)
        cancelled.provider(.settling)
        cancelled.wait(60...300)
        cancelled.provider(.settled)
        add(cancelled)
        plantState(
            "accepted_as_failed", Subject.order(cancelled.order.id), cancelled, severity: "high",
            difference: providerOnly(cancelled), why: "cancelled in the book well before the session lapsed, delivered")
    }

    private mutating func settledUncredited() {
        for (hour, status, credited) in [(8, BookStatus.paid, Int?.none), (9, .pending, nil), (10, .paid, 2)] {
            var story = story(day: 7, hour: hour, corridor: .applePayEuro, amount: 48_000 + hour)
            story.order.showsExpiry = false
            story.begin()
            story.wait(30...60)
            story.provider(.settling, book: status)
            story.wait(60...600)
            story.provider(.settled)
            if let credited {
                story.wait(until: shape.moment(day: shape.days + credited - 2, hour: 10))
                story.book(.credited)
            }
            add(story)
            plantState(
                "settled_uncredited", Subject.order(story.order.id), story, severity: "high", heals: credited,
                difference: status == .paid ? Convention.noAmount : providerOnly(story),
                why: "delivered, and the book still says \(status.rawValue)")
        }

        // Delivered minutes before the export: the book follows a moment later.
        var prompt = story(day: shape.days, hour: 0, minute: 40, corridor: .cardEuro, amount: 48_140)
        prompt.begin()
        prompt.wait(30...60)
        prompt.take()
        prompt.wait(until: shape.moment(day: shape.days, hour: 1, minute: 59))
        prompt.provider(.settled)
        prompt.wait(120...180)
        prompt.book(.credited)
        add(prompt)
        twin(Subject.order(prompt.order.id), "delivered a minute before the export, credited two minutes later")
    }

    private mutating func bookConflict() {
        // A payout that reached its bank account while the book waits for it.
        var payout = story(day: 4, hour: 12, corridor: .cardEuro, amount: 49_012, direction: .out)
        payout.order.showsExpiry = false
        payout.begin()
        payout.wait(60...300)
        payout.provider(.settling)
        payout.wait(300...900)
        payout.provider(.settled)
        add(payout)
        plantState(
            "book_conflict", Subject.order(payout.order.id), payout, severity: "medium",
            difference: providerOnly(payout), why: "the payout arrived, the book still waits for it")

        for (day, opens) in [(5, 1), (shape.days, 2)] {
            var refused = story(day: day, hour: 16, corridor: .cardPound, amount: 49_116 + day)
            refused.order.showsExpiry = false
            refused.begin()
            refused.wait(30...300)
            refused.provider(.declined)
            add(refused)
            plantState(
                "book_conflict", Subject.order(refused.order.id), refused, opens: opens, severity: "medium",
                why: "declined, and the book still waits for the payment")
        }
    }

    /// Credited while the transfer was still on its way.
    private mutating func creditedUnsettled() {
        var early = story(day: shape.days - 1, hour: 9, corridor: .sepa, amount: 50_009)
        early.begin()
        early.wait(300...900)
        early.provider(.settling, book: .credited)
        early.wait(until: shape.moment(day: shape.days, hour: 13))
        early.provider(.settled)
        add(early)
        plantState(
            "credited_unsettled", Subject.order(early.order.id), early, severity: "medium", heals: 2,
            why: "credited while the transfer was on its way; it arrived a day later")
    }
}
