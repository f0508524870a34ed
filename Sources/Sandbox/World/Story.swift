package import Payments

/// One order and its transaction while they are being told: a lifecycle moves `clock` forward step by step and writes
/// down what provider and book say. Background and planted faults are told with the same few words.
package struct Story: Sendable {
    package var trade: Trade
    package var order: BookEntry
    package var clock: Timestamp
    package var random: Randomness
    package let casting: Casting

    /// Opens an order at `moment`, a minute or so before its transaction. `amount` is in minor units of the fiat.
    package init(
        at moment: Timestamp, corridor: Corridor, direction: Direction = .in, amount: Int, customer: Customer,
        number: Int, random start: Randomness, casting: Casting = .meld
    ) {
        var random = start
        let opened = Timestamp(microseconds: moment.microseconds + Int64(random.below(1_000_000)))
        let crypto = random.pick(Crypto.all)
        let fiat = corridor.fiat
        let paid = Amount(amount, digits: fiat.digits)
        let fees = Self.fees(of: paid, fiat: fiat, &random)
        let bought = Self.bought(for: paid, fiat: fiat, crypto: crypto)
        let wallet = crypto.walletPrefix + Identifiers.hex(38, &random)
        let bookId = "\(casting.bookPrefix)\(100_000 + number)"
        let headless = Identifiers.meld(&random)
        let session = Identifiers.meld(&random)
        let country = random.pick(fiat.countries)
        let linkings: [Trade.Linking] = [
            .both, .both, .both, .reference, .reference, .externalSession, .orderOnly, .sessionOnly,
        ]
        clock = opened.adding(seconds: Int64(random.between(20...150)))
        trade = Trade(
            id: casting.transactionID(&random), createdAt: clock, visibleFrom: clock, feesKnownFrom: clock,
            corridor: corridor, crypto: crypto, direction: direction, country: country, fiatAmount: paid,
            cryptoAmount: bought, fees: fees, customer: customer, bookOrder: bookId, headlessOrder: headless,
            session: session, linking: random.pick(linkings),
            providerId: Self.providerId(corridor.provider, &random), wallet: wallet,
            chainId: Identifiers.hex(64, &random))
        let isIn = direction == .in
        order = BookEntry(
            id: bookId, source: casting.source, createdAt: opened,
            expiresAt: opened.adding(seconds: corridor.isBankTransfer ? 7 * 86_400 : 30 * 60),
            steps: [BookEntry.Step(at: opened, status: .open)], direction: direction,
            amount: isIn ? paid : bought, currency: isIn ? fiat.code : crypto.code,
            amountDigits: isIn ? fiat.digits : 0, destinationAmount: isIn ? bought : paid,
            destinationCurrency: isIn ? crypto.code : fiat.code, destinationDigits: isIn ? 0 : fiat.digits,
            wallet: wallet, customer: customer, method: corridor.method, country: country, headlessOrder: headless,
            session: session, transaction: trade.id, idempotencyKey: Identifiers.hex(32, &random))
        self.random = random
        self.casting = casting
        drawQuirks()
    }

    private mutating func drawQuirks() {
        if random.chance(perMille: 400) { trade.quirks.insert(.personalData) }
        if random.chance(perMille: 150) { trade.quirks.insert(.shortNumbers) }
        if random.chance(perMille: 80) { trade.quirks.insert(.scientificNumbers) }
        if random.chance(perMille: 200) { trade.quirks.insert(.newerIdName) }
        if random.chance(perMille: 100) { trade.quirks.insert(.sparse) }
        if random.chance(perMille: 10) { trade.quirks.insert(.unknownField) }
        if random.chance(perMille: 5) { trade.quirks.insert(.withoutUpdatedAt) }
        if trade.direction == .in, random.chance(perMille: 5) { trade.quirks.insert(.withoutType) }
    }

    private static func fees(of paid: Amount, fiat: Fiat, _ random: inout Randomness) -> Trade.Fees {
        Trade.Fees(
            network: Amount(random.between(10...95), digits: max(fiat.digits, 2)),
            transaction: paid.scaled(by: 32, over: 1_000, digits: max(fiat.digits, 2)),
            partner: paid.scaled(by: 1, over: 100, digits: max(fiat.digits, 2)),
            // One hundred-millionth: providers do print such crumbs, and print them as 1E-8.
            swap: random.chance(perMille: 60) ? Amount(1, digits: 8) : nil)
    }

    private static func bought(for paid: Amount, fiat: Fiat, crypto: Crypto) -> Amount {
        paid.scaled(by: fiat.usdPerThousand * 95, over: crypto.usd * 1_000 * 100, digits: crypto.digits)
    }

    private static func providerId(_ provider: String, _ random: inout Randomness) -> String {
        switch provider {
        case "STRIPE": "cos_" + Identifiers.base58(24, &random)
        case "COINBASEPAY": [8, 4, 4, 4, 12].map { Identifiers.hex($0, &random) }.joined(separator: "-")
        default: Identifiers.hex(20, &random)
        }
    }

    // MARK: telling

    /// Time passes: a number of seconds out of `seconds`.
    package mutating func wait(_ seconds: ClosedRange<Int>) {
        clock = Timestamp(
            microseconds: clock.microseconds + Int64(random.between(seconds)) * 1_000_000 + Int64(random.below(999_983))
        )
    }

    /// Time passes until `moment` (which must lie ahead).
    package mutating func wait(until moment: Timestamp) { if moment > clock { clock = moment } }

    /// The provider changes status now; the book, where it follows, a few seconds later.
    package mutating func provider(_ status: Status, book: BookStatus? = nil) {
        trade.steps.append(Trade.Step(at: clock, status: status))
        if let book { self.book(book, after: random.between(1...9)) }
    }

    /// The book changes its mind without the provider.
    package mutating func book(_ status: BookStatus, after seconds: Int = 0) {
        order.steps.append(BookEntry.Step(at: clock.adding(seconds: Int64(seconds)), status: status))
    }

    /// The customer starts: what every paid lifecycle has in common, up to the moment the provider reviews the payment.
    package mutating func begin() {
        if trade.corridor.provider == "COINBASEPAY" {
            // Meld learns of it only when Coinbase reports the payment.
            trade.visibleFrom = clock.adding(seconds: Int64(random.between(60...200)))
            provider(.pending, book: .pending)
        } else {
            provider(.pendingCreated)
            wait(5...45)
            provider(.pending, book: .pending)
        }
        trade.feesKnownFrom = clock.adding(seconds: Int64(random.between(60...1_500)))
    }

    /// The money is taken.
    package mutating func take() { provider(.settling, book: .paid) }

    /// The asset reaches the customer.
    package mutating func deliver() { provider(.settled, book: .credited) }
}
