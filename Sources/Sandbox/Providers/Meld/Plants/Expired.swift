import Payments

/// Sessions and authorisations that lapsed unpaid while the book went on waiting, beside plain abandonment.
extension Plot {
    package mutating func plantExpired() {
        lapsed(day: 5, status: .open, why: "nobody paid, the book still says open")
        lapsed(day: shape.days - 1, status: .open, heals: 2, why: "nobody paid; the book notices a day later")
        lapsed(day: shape.days, status: .open, opens: 2, why: "nobody paid on a later day")

        var waiting = story(day: 4, hour: 16, corridor: .cardPound, amount: 6_105)
        waiting.begin()
        waiting.wait(5...30)
        waiting.provider(.twoFactorRequired)
        expired(waiting, why: "the second factor was never given, the book still says pending")

        for (hour, status) in [(9, BookStatus.pending), (12, .paid)] {
            var authorized = story(day: 3, hour: hour, corridor: .cardPound, amount: 6_200 + hour)
            authorized.order.expiresAt = authorized.order.createdAt.adding(seconds: 5 * 86_400)
            authorized.begin()
            authorized.wait(20...90)
            authorized.provider(.authorized, book: status == .paid ? .paid : nil)
            authorized.wait(until: shape.moment(day: 7, hour: hour))
            authorized.provider(.authorizationExpired)
            authorized.order.expiresAt = authorized.clock
            expired(
                authorized, isPaid: status == .paid,
                why: "the authorisation lapsed uncaptured, the book still says \(status.rawValue)")
        }

        var agreed = story(day: 6, hour: 12, corridor: .cardPound, amount: 6_305)
        agreed.abandonSecondFactor()
        add(agreed)
        twin(Subject.order(agreed.order.id), "plain abandonment: both sides agree that it lapsed unpaid")

        var paid = story(day: 6, hour: 13, corridor: .cardPound, amount: 6_405)
        paid.begin()
        paid.wait(30...60)
        paid.take()
        paid.wait(5 * 3_600...6 * 3_600)
        paid.deliver()
        add(paid)
        twin(Subject.order(paid.order.id), "the session lapsed by the clock after it was paid")
    }

    private mutating func lapsed(day: Int, status: BookStatus, opens: Int = 1, heals: Int? = nil, why: String) {
        var story = story(day: day, hour: 14, minute: 20, corridor: .coinbase, amount: 7_000 + day)
        story.order.transaction = nil
        if let heals {
            story.wait(until: shape.moment(day: shape.days + heals - 2, hour: 12))
            story.book(.expired)
        }
        add(order: story.order)
        plantExpired(story, opens: opens, heals: heals, why: why)
    }

    private mutating func expired(_ story: Story, isPaid: Bool = false, why: String) {
        add(story)
        plantExpired(story, opens: 1, heals: nil, isPaid: isPaid, why: why)
    }

    private mutating func plantExpired(
        _ story: Story, opens: Int, heals: Int?, isPaid: Bool = false, why: String
    ) {
        // Money that only the book has, where it says paid.
        let difference = isPaid ? story.order.amount.plain : Convention.noAmount
        plant(
            Planted(
                "expired_session", Subject.order(story.order.id), nights: shape.nights, opens: opens, severity: "low",
                heals: heals, difference: difference, currency: story.order.currency, why: why))
    }
}
