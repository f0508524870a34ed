import Payments

/// Business as usual: what a night must pass over in silence.
extension Plot {
    /// Tells stories until the world has its number of transactions.
    package mutating func tellBackground() {
        nightOwls()
        reserve(shape.transactions)
        var spent: Set<UInt64> = []
        var index: UInt64 = 0
        while trades.count < shape.transactions {
            index += 1
            var random = Randomness(seed: seed, 1, index)
            let corridor = Corridor.draw(&random)
            let buyer = random.below(shape.transactions / 3 + 10)
            let customer = Self.customer(buyer, seed: seed)
            guard let amount = freshAmount(corridor.fiat, buyer: buyer, &spent, &random) else { continue }
            let isSale = random.chance(perMille: 40) && !corridor.isBankTransfer && corridor.provider != "COINBASEPAY"
            let told = story(
                at: arrival(&random), corridor: corridor, direction: isSale ? .out : .in, amount: amount,
                customer: customer, random: random)
            isSale ? tellSale(told) : tellPurchase(told)
            if random.chance(perMille: 150) { tellAbandonment(buyer: customer, &spent, buyerIndex: buyer, &random) }
        }
    }

    private static func customer(_ index: Int, seed: UInt64) -> Customer {
        var random = Randomness(seed: seed, 2, UInt64(index))
        return Customer(meldId: Identifiers.meld(&random), externalId: "buyer-\(index)")
    }

    /// An amount this customer never paid before: background never looks like a duplicate.
    private func freshAmount(
        _ fiat: Fiat, buyer: Int, _ spent: inout Set<UInt64>, _ random: inout Randomness
    ) -> Int? {
        for _ in 0..<20 {
            var amount = random.between(fiat.range)
            // People like round sums.
            if random.chance(perMille: 350), fiat.digits > 0 { amount = amount / 100 * 100 }
            if spent.insert(UInt64(buyer) << 32 | UInt64(amount)).inserted { return amount }
        }
        return nil
    }

    /// Between five in the morning and ten in the evening; weekends are quieter.
    func arrival(_ random: inout Randomness) -> Timestamp {
        var day = random.below(shape.allDays)
        if day % 7 >= 5, random.chance(perMille: 400) { day = random.below(shape.allDays) }
        return shape.moment(day: day, hour: 5).adding(seconds: Int64(random.below(61_000)))
    }

    private mutating func tellPurchase(_ start: Story) {
        var story = start
        let paysLater = story.trade.corridor.isBankTransfer
        let reportsLate = story.trade.corridor.provider == "COINBASEPAY"
        let isWallet = story.trade.corridor.method == "APPLE_PAY"
        switch story.random.below(1000) {
        case ..<30 where !reportsLate && !isWallet: story.abandonSecondFactor()
        case ..<55 where !reportsLate: story.neverBegin()
        case ..<115 where !paysLater: story.refuse(.declined)
        case ..<150 where !paysLater: story.refuse(.failed)
        case ..<180 where !paysLater: story.refuse(.cancelled)
        case ..<186 where !paysLater: story.refuse(.voided)
        case ..<198 where !paysLater: story.failAndRefund()
        case ..<216: story.refundLater(days: 1...6)
        case ..<234 where !paysLater: story.recover()
        case ..<244 where !paysLater && !reportsLate: story.expireAuthorization(days: 2...5)
        case ..<262 where !paysLater:
            tellSecondTry(story)
            return
        default: story.settle()
        }
        add(story)
    }

    /// Declined, then paid with another card: two transactions of one order.
    private mutating func tellSecondTry(_ start: Story) {
        var first = start
        first.begin()
        first.wait(10...90)
        first.provider(.declined)
        var second = first.again(after: first.random.between(20...300))
        second.order.steps = start.order.steps
        second.settle()
        add(trade: first.trade)
        add(second)
    }

    private mutating func tellSale(_ start: Story) {
        var story = start
        story.begin()
        if story.random.chance(perMille: 120) {
            story.wait(60...300)
            story.provider(.cancelled, book: .cancelled)
        } else {
            story.wait(60...900)
            story.take()
            story.wait(300...5_400)
            story.deliver()
        }
        add(story)
    }

    /// An order that nobody ever pays: the provider has no trace of it.
    private mutating func tellAbandonment(
        buyer: Customer, _ spent: inout Set<UInt64>, buyerIndex: Int, _ random: inout Randomness
    ) {
        let corridor = Corridor.draw(&random)
        guard !corridor.isBankTransfer,
            let amount = freshAmount(corridor.fiat, buyer: buyerIndex, &spent, &random)
        else { return }
        var story = story(
            at: arrival(&random), corridor: corridor, direction: .in, amount: amount, customer: buyer, random: random)
        story.order.transaction = nil
        story.lapse()
        add(order: story.order)
    }

    /// A few bank transfers begun while the night runs: one just before the export, one that the list shows only after
    /// the poll although its creation time lies before it, one begun between export and poll.
    private mutating func nightOwls() {
        for night in 1...shape.nights {
            let day = shape.days + night - 1
            for (minute, hidden) in [(50, 0), (95, 100), (140, 60)] {
                let hour = minute / 60 + (minute == 50 ? 1 : 0)
                var owl = story(
                    day: day, hour: hour, minute: minute % 60, corridor: .sepa, amount: 21_000 + night * 100 + minute)
                let appears = owl.clock.adding(seconds: Int64(hidden * 60))
                owl.settle()
                owl.trade.visibleFrom = max(owl.trade.visibleFrom, appears)
                add(owl)
            }
        }
    }
}
