package import Payments

/// Collects stories until they are a world. Plants and background tell theirs through it, so that numbers, customers and
/// amounts never collide by accident: a look-alike of a duplicate exists only where it was planted knowingly.
package struct Plot {
    package let shape: WorldShape
    let profile: ProviderProfile
    package let casting: Casting
    /// Numbers of this plot are drawn from it.
    package let seed: UInt64
    /// Payments it tells at least.
    let size: Int
    /// Assumptions of the source that were turned round: some stories can be told one way only.
    let switches: [String: String]
    package private(set) var trades: [Trade] = []
    package private(set) var orders: [BookEntry] = []
    package private(set) var planted: [Planted] = []
    /// What was put beside the plants and must raise nothing: subject → why not.
    package private(set) var twins: [(subject: String, why: String)] = []
    package private(set) var quarantined: [String] = []
    /// Events that prove nothing: what a reconciler calls them, the simulator knows.
    var forgeries: [(tale: Trade.Tale, trade: Trade)] = []
    private var number = 0
    private var strangers = 0

    init(shape: WorldShape, profile: ProviderProfile, size: Int, switches: [String: String] = [:]) {
        self.shape = shape
        self.profile = profile
        self.size = size
        self.switches = switches
        casting = Casting(profile)
        seed = SimulatedSource.seed(of: casting.source, in: shape)
        number = shape.firstOrder
    }

    /// A new order whose customer nobody else shares, unless one is given.
    package mutating func story(
        day: Int, hour: Int, minute: Int = 0, corridor: Corridor, amount: Int, direction: Direction = .in,
        customer: Customer? = nil
    ) -> Story {
        number += 1
        var random = Randomness(seed: seed, 7, UInt64(number))
        let buyer = customer ?? stranger(&random)
        var story = Story(
            at: shape.moment(day: day, hour: hour, minute: minute), corridor: corridor, direction: direction,
            amount: amount, customer: buyer, number: number, random: random, casting: casting)
        // One oddity at a time: what stands beside a plant is the plant.
        story.trade.quirks.subtract([.withoutUpdatedAt, .withoutType, .unknownField])
        adapt(&story)
        return story
    }

    /// A new order of the background, with its own sequence of numbers.
    package mutating func story(
        at moment: Timestamp, corridor: Corridor, direction: Direction, amount: Int, customer: Customer,
        random: Randomness
    ) -> Story {
        number += 1
        var story = Story(
            at: moment, corridor: corridor, direction: direction, amount: amount, customer: customer, number: number,
            random: random, casting: casting)
        adapt(&story)
        return story
    }

    /// References that Meld alone has are empty in the book everywhere else.
    private func adapt(_ story: inout Story) {
        guard casting.source != Names.source else { return }
        story.trade.linking = .both
        story.order.headlessOrder = ""
        story.order.session = ""
        // The book calls an asset what the provider calls it.
        let code = profile.assetCode(story.trade.crypto)
        if story.trade.direction == .in { story.order.destinationCurrency = code } else { story.order.currency = code }
    }

    /// Customers of different providers are different people, or their payments would look alike.
    var buyerPrefix: String { casting.source == Names.source ? "buyer-" : "buyer-\(profile.name)-" }

    private mutating func stranger(_ random: inout Randomness) -> Customer {
        strangers += 1
        return Customer(meldId: Identifiers.meld(&random), externalId: "\(buyerPrefix)p\(strangers)")
    }

    package mutating func add(_ story: Story) {
        trades.append(story.trade)
        orders.append(story.order)
    }

    package mutating func add(trade: Trade) { trades.append(trade) }
    package mutating func add(order: BookEntry) { orders.append(order) }
    package mutating func reserve(_ count: Int) {
        trades.reserveCapacity(count)
        orders.reserveCapacity(count + count / 5)
    }

    /// Writes down a break that must be raised.
    package mutating func plant(_ planted: Planted) { self.planted.append(planted) }
    package mutating func twin(_ subject: String, _ why: String) { twins.append((subject, why)) }
    package mutating func quarantine(_ transaction: String) { quarantined.append(transaction) }
}
