import Payments

/// How payments that nobody complains about go. Cards and wallets run their whole course within two hours, so that the
/// quiet hours of a night find book and provider at rest; bank transfers take days.
extension Story {
    /// Begins, pays, is delivered.
    package mutating func settle() {
        begin()
        if trade.corridor.isBankTransfer {
            awaitTransfer()
            take()
            wait(2 * 3_600...9 * 3_600)
            deliver()
            return
        }
        secondFactor()
        if trade.corridor.method == "CREDIT_DEBIT_CARD", random.chance(perMille: 300) {
            wait(5...60)
            provider(.authorized)
        }
        wait(30...480)
        take()
        if trade.crypto.code == "ETH_ARBITRUM", random.chance(perMille: 300) {
            wait(60...600)
            provider(.onrampSettled)
        }
        wait(60...3_600)
        deliver()
    }

    /// The bank transfer arrives in the morning of one of the next days.
    private mutating func awaitTransfer() {
        let day = (clock.microseconds - WorldShape.firstDay.microseconds) / 86_400_000_000
        wait(until: WorldShape.firstDay.adding(seconds: (day + Int64(random.between(1...2))) * 86_400 + 9 * 3_600))
        wait(0...4 * 3_600)
    }

    private mutating func secondFactor() {
        guard trade.corridor.method == "CREDIT_DEBIT_CARD", random.chance(perMille: 400) else { return }
        wait(5...40)
        provider(.twoFactorRequired)
        wait(10...240)
        provider(.twoFactorProvided)
    }

    /// Settles after a technical fault in the middle: ERROR is temporary.
    package mutating func recover() {
        begin()
        wait(30...240)
        take()
        wait(30...600)
        provider(.error)
        wait(60...1_800)
        provider(.settling)
        wait(60...1_200)
        deliver()
    }

    /// Refused before any money moved.
    package mutating func refuse(_ status: Status) {
        begin()
        wait(10...300)
        let book: BookStatus = status == .cancelled || status == .voided ? .cancelled : .failed
        provider(status, book: book)
    }

    /// The second factor is asked for and never given: nothing was charged, both sides let it lapse.
    package mutating func abandonSecondFactor() {
        begin()
        wait(5...40)
        provider(.twoFactorRequired)
        lapse()
    }

    /// Known to the provider, never begun.
    package mutating func neverBegin() {
        provider(.pendingCreated)
        trade.feesKnownFrom = Timestamp(microseconds: .max)
        lapse()
    }

    /// The book marks the order expired at the moment its session lapses.
    package mutating func lapse() {
        order.steps.append(BookEntry.Step(at: order.expiresAt, status: .expired))
    }

    /// Charged, then failed, then given back within the hour.
    package mutating func failAndRefund() {
        begin()
        wait(30...300)
        take()
        wait(60...900)
        provider(.failed)
        wait(300...2_400)
        provider(.refunded, book: .refunded)
    }

    /// Delivered, and given back on a later day.
    package mutating func refundLater(days: ClosedRange<Int>) {
        settle()
        let day = (clock.microseconds - WorldShape.firstDay.microseconds) / 86_400_000_000
        wait(until: WorldShape.firstDay.adding(seconds: (day + Int64(random.between(days))) * 86_400 + 10 * 3_600))
        wait(0...6 * 3_600)
        provider(.refunded, book: .refunded)
    }

    /// Authorised, never captured; both sides call it expired days later.
    package mutating func expireAuthorization(days: ClosedRange<Int>) {
        order.expiresAt = order.createdAt.adding(seconds: 8 * 86_400)
        begin()
        wait(20...200)
        provider(.authorized)
        let day = (clock.microseconds - WorldShape.firstDay.microseconds) / 86_400_000_000
        wait(until: WorldShape.firstDay.adding(seconds: (day + Int64(random.between(days))) * 86_400 + 11 * 3_600))
        wait(0...3_600)
        order.expiresAt = clock
        provider(.authorizationExpired, book: .expired)
    }

    /// A second attempt on the same order, after one that took no money: new transaction, same references.
    package func again(after seconds: Int) -> Story {
        var next = self
        next.clock = clock.adding(seconds: Int64(seconds))
        next.trade.id = casting.transactionID(&next.random)
        next.trade.createdAt = next.clock
        next.trade.visibleFrom = next.clock
        next.trade.steps = []
        next.trade.quirks.remove(.feeAsObject)
        next.trade.lostEvents = []
        next.trade.lateEvents = [:]
        next.trade.eventsFiledAt = [:]
        next.trade.tales = []
        next.trade.providerId = Identifiers.hex(20, &next.random)
        next.trade.chainId = Identifiers.hex(64, &next.random)
        next.order.transaction = next.trade.id
        return next
    }
}
