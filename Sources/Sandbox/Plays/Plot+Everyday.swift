import Payments

/// Business as usual at any provider: what a night must pass over in silence.
extension Plot {
    /// Tells payments until the source has its number of them.
    mutating func tellEveryday() {
        var spent: Set<Int> = []
        // Something happens every evening: no feed falls asleep, however few payments there are.
        for night in 1...shape.nights {
            var story = scene(day: shape.days + night - 2, hour: 21, amount: 2_400 + night)
            settle(&story)
            add(story)
        }
        var index: UInt64 = 0
        while trades.count < size, index < UInt64(size) * 20 {
            index += 1
            var random = Randomness(seed: seed, 1, index)
            let corridor = draw(&random)
            var amount = random.between(corridor.fiat.range)
            if random.chance(perMille: 350), corridor.fiat.digits > 0 { amount = amount / 100 * 100 }
            // No sum is paid twice here: the background never looks like a duplicate.
            guard spent.insert(amount).inserted else { continue }
            let buyer = Customer(
                meldId: Identifiers.meld(&random), externalId: "\(buyerPrefix)\(random.below(size / 3 + 10))")
            let isSale = profile.sells && random.chance(perMille: 60)
            let start = story(
                at: arrival(&random), corridor: corridor, direction: isSale ? .out : .in, amount: amount,
                customer: buyer, random: random)
            isSale ? tellSale(start) : tellPurchase(start)
        }
    }

    private func draw(_ random: inout Randomness) -> Corridor {
        var point = random.below(profile.corridors.reduce(0) { $0 + max($1.weight, 1) })
        for corridor in profile.corridors {
            point -= max(corridor.weight, 1)
            if point < 0 { return corridor }
        }
        return profile.corridors[0]
    }

    private mutating func tellSale(_ start: Story) {
        var story = start
        story.begin()
        story.wait(60...900)
        story.take()
        story.wait(300...5_400)
        story.deliver()
        add(story)
    }

    private mutating func tellPurchase(_ start: Story) {
        var story = start
        func can(_ turn: Status) -> Bool { profile.turns.contains(turn) }
        switch story.random.below(1000) {
        case ..<40: story.neverBegin()
        case ..<120 where can(.declined): story.refuse(.declined)
        case ..<160 where can(.cancelled): story.refuse(.cancelled)
        case ..<190 where can(.failed): story.refuse(.failed)
        case ..<215 where can(.refunded): refundLater(&story)
        case ..<250 where can(.declined):
            tellSecondTry(story)
            return
        default: settle(&story)
        }
        add(story)
    }

    /// Delivered, and given back on a later day.
    private func refundLater(_ story: inout Story) {
        settle(&story)
        let day = (story.clock.microseconds - WorldShape.firstDay.microseconds) / 86_400_000_000
        let later = (day + Int64(story.random.between(1...4))) * 86_400 + 10 * 3_600
        story.wait(until: WorldShape.firstDay.adding(seconds: later))
        story.wait(0...6 * 3_600)
        story.provider(.refunded, book: .refunded)
    }

    /// Declined, then paid with another card: two transactions of one order.
    private mutating func tellSecondTry(_ start: Story) {
        var first = start
        first.begin()
        first.wait(10...90)
        first.provider(.declined)
        var second = first.again(after: first.random.between(20...300))
        second.order.steps = start.order.steps
        settle(&second)
        add(trade: first.trade)
        add(second)
    }
}
