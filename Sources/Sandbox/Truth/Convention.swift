/// What the design leaves to one reading: kept in one place, so that a different one is a one-line change.
enum Convention {
    /// The difference of a break in which no amount differs.
    static let noAmount = "0"

    /// Differences are book − provider: a surplus charge of an order the book knows once is money only the provider has,
    /// one with an order of its own differs from nothing in the book.
    static func surplus(_ trade: Trade, isSameOrder: Bool) -> String {
        isSameOrder ? (-trade.sourceAmount).plain : noAmount
    }

    /// An amount that differs is the order's; a rule that speaks of the one charge of it means the same.
    static func amountMismatch(_ story: Story) -> (subject: String, or: String) {
        (Subject.order(story.order.id), Subject.transaction(story.trade.id))
    }
}
