import Payments

/// Amounts on which book and provider do not agree, and pairs that only look different.
extension Plot {
    package mutating func plantAmounts() {
        mismatch(.cardYen, charged: 8_000, booked: Amount(80, digits: 0), why: "factor 100: a yen has no cents")
        mismatch(
            .cardDinar, charged: 35_200, booked: Amount(3_520, digits: 3), why: "factor 10: a dinar has three digits")
        mismatch(.cardPound, charged: 14_000, booked: Amount(15_000, digits: 2), why: "ten pounds less than promised")
        mismatch(
            .cardEuro, charged: 10_462, booked: Amount(10_000, digits: 2), fees: 462,
            why: "the fee is inside the charge")
        mismatch(.cardEuro, charged: 20_001, booked: Amount(20_000, digits: 2), why: "one cent")
        mismatch(
            .cardPound, charged: 16_000, booked: Amount(160_000, digits: 2), corrected: true,
            why: "the book corrects itself")
        mismatch(
            .cardPound, day: shape.days, charged: 16_100, booked: Amount(16_200, digits: 2), opens: 2,
            why: "on a later day")

        same(.cardYen, 500, "500 yen against 500")
        same(.cardDinar, 92_000, "92.000 dinar against 92")
        same(.cardEuro, 30, "0.10 + 0.20 euro is 0.30")
        same(.cardEuro, 50_622, "324.71 + 181.51 is 506.22")
        same(.cardEuro, 255_768, "2557.68 in digits that binary fractions do not have")

        var delivered = story(day: 5, hour: 17, corridor: .cardEuro, amount: 41_141)
        delivered.settle()
        delivered.order.destinationAmount = delivered.trade.cryptoAmount.scaled(by: 1_006, over: 1_000, digits: 18)
        add(delivered)
        twin(Subject.order(delivered.order.id), "delivered within one per cent of what was promised")
    }

    private mutating func mismatch(
        _ corridor: Corridor, day: Int = 6, charged: Int, booked: Amount, fees: Int? = nil, opens: Int = 1,
        corrected: Bool = false, why: String
    ) {
        var story = story(day: day, hour: 18, corridor: corridor, amount: charged)
        story.trade.linking = .both
        let real = story.trade.fiatAmount
        story.settle()
        story.order.amount = booked
        if let fees {
            let digits = corridor.fiat.digits
            story.trade.fees = Trade.Fees(
                network: Amount(42, digits: digits), transaction: Amount(fees - 142, digits: digits),
                partner: Amount(100, digits: digits), swap: nil)
        }
        if corrected {
            story.order.correction = BookEntry.Correction(from: shape.moment(day: shape.days, hour: 10), amount: real)
        }
        add(story)
        let (subject, or) = Convention.amountMismatch(story)
        plant(
            Planted(
                "amount_mismatch", subject, or: or, nights: shape.nights, opens: opens,
                severity: "high",
                heals: corrected ? 2 : nil, difference: (booked - real).plain, currency: corridor.fiat.code, why: why))
    }

    private mutating func same(_ corridor: Corridor, _ amount: Int, _ why: String) {
        var story = story(day: 7, hour: 16, corridor: corridor, amount: amount)
        story.settle()
        add(story)
        twin(Subject.order(story.order.id), why)
    }
}
