import Payments

/// One provider as the sandbox plays it: how its payments are told, what its API shows of them at a moment, what it
/// announces. Written from the provider's documentation, never from the mapping that will be tried against it.
///
/// Everything that a real API may do wrong, paging, clocks, delivery of events and the files around them are shared:
/// a simulator renders, and says what a request means. See `README.md` beside `Sources/Sandbox`.
protocol SimulatedProvider: Sendable {
    static var profile: ProviderProfile { get }

    /// Tells the payments of a world. Without an own one: the profile's plays, then business as usual.
    static func tell(_ plot: inout Plot)
    /// A payment that nobody complains about, from its start to its good end.
    static func settle(_ story: inout Story)

    /// Ids, items and whatever else follows from the source are made here, once.
    init(_ source: SimulatedSource)
    var source: SimulatedSource { get }

    // MARK: the API

    /// Everything its lists and single reads can ever show, in any order.
    var items: [Item] { get }
    /// Throws where the credentials are missing, wrong, expired or used already.
    func authenticate(_ request: APIRequest, at door: Door) throws(Refusal)
    /// What a request asks for. Throws for a path, method or parameter that the API does not have.
    func route(_ request: APIRequest) throws(Refusal) -> Route
    /// An element as JSON.
    func row(_ item: Item, _ view: View) -> [UInt8]
    /// What filters compare: the value of an element's field at a moment.
    func value(_ field: String, of item: Item, at moment: Timestamp) -> String
    /// A page as the list answers it.
    func envelope(_ page: Page, _ ask: ListAsk) -> [UInt8]
    /// A single read's element as the API answers it.
    func single(_ row: [UInt8], _ item: Item, at moment: Timestamp) -> [UInt8]
    /// Members of a row that misbehaviour may change.
    func marks(ofShelf shelf: String) -> RowMarks
    /// The provider's words for why there is no data.
    func refusal(_ trouble: Trouble) -> Refusal
    /// The body of an error. `number` counts requests.
    func answer(_ refusal: Refusal, number: Int, at moment: Timestamp) -> APIResponse
    /// Headers that every answer has.
    func headers(answering request: APIRequest, number: Int) -> [(name: String, value: String)]

    // MARK: events

    /// What is sent when `trade` comes to `status`, in this order; empty where nothing announces it.
    func announcements(of status: Status, _ trade: Trade, _ frame: EventFrame, _ random: inout Randomness) -> [[UInt8]]
    /// What is sent besides about a payment: of its refunds and disputes, say.
    func notices(about trade: Trade) -> [Notice]
    /// Bodies that have nothing to do with payments, at the end of a night's capture.
    func testEvent(_ frame: EventFrame, _ random: inout Randomness) -> [UInt8]?
    /// The headers of a delivery, signed with `key` over its exact bytes. Names in capitals where the sender felt so.
    func headers(of delivery: Delivery, signedWith key: Secret, capitals: Bool) -> [(name: String, value: String)]
    /// The key that signs what is sent about a payment (of nil: anything else).
    func webhookSecret(of trade: Trade?) -> Secret
    /// The key under which a reconciler knows the event of a tale, for a provider whose events have ids; nil: it has to
    /// be told by its digest, and no truth speaks of it.
    func eventKey(of tale: Trade.Tale, _ trade: Trade) -> String?

    // MARK: files and truth

    /// Settlement files that arrive before `night`.
    func settlementFiles(night: Int) -> [(name: String, bytes: [UInt8])]
    /// Payouts that are less than their lines, as the provider names them (`Settlement.Payout.shortfall`).
    var shortPayouts: [ShortPayout] { get }
    /// The amounts that its row of a payment shows at a moment, under the codes that a ledger has for the currencies;
    /// nil where it shows none.
    func shown(_ trade: Trade, at moment: Timestamp) -> ShownAmounts
    /// The status that its row of a payment shows at a moment, as the provider spells it.
    func word(_ trade: Trade, at moment: Timestamp) -> String
}

/// Members of a row by their names, for misbehaviour that changes rows.
struct RowMarks {
    /// Members that hold the record's id, or one that joins it with others.
    var ids: [String]
    /// The member that says whose it is (`outer.name` within an object), and what it says of somebody else's; nil: rows do
    /// not say that.
    var owner: (name: String, stranger: @Sendable (inout Randomness) -> String)?
    var amount: String
    var status: String
}

/// What an event is about itself.
struct EventFrame {
    let id: String
    /// When the provider made it; it is sent a moment later.
    let created: Timestamp
}

/// An event that no turn of a payment stands behind.
struct Notice {
    let at: Timestamp
    let body: (EventFrame) -> [UInt8]
}

/// A payout that its lines do not add up to.
struct ShortPayout {
    let id: String
    /// When a reconciler can know of it.
    let at: Timestamp
    let shortfall: Amount
    let currency: String
}

/// Amounts that a row shows.
struct ShownAmounts {
    var charged: (currency: String, amount: Amount)?
    var delivered: (currency: String, amount: Amount)?
}

extension SimulatedProvider {
    static func tell(_ plot: inout Plot) {
        plot.play()
        plot.tellEveryday()
    }

    static func settle(_ story: inout Story) { story.settle() }

    func single(_ row: [UInt8], _ item: Item, at moment: Timestamp) -> [UInt8] { row }
    func headers(answering request: APIRequest, number: Int) -> [(name: String, value: String)] { [] }
    func notices(about trade: Trade) -> [Notice] { [] }
    func testEvent(_ frame: EventFrame, _ random: inout Randomness) -> [UInt8]? { nil }
    func eventKey(of tale: Trade.Tale, _ trade: Trade) -> String? { nil }
    func settlementFiles(night: Int) -> [(name: String, bytes: [UInt8])] { [] }
    var shortPayouts: [ShortPayout] { [] }
    func webhookSecret(of trade: Trade?) -> Secret { source.secret("webhook-secret") }

    /// The item of every trade, as a provider has it whose list holds one element a payment.
    func tradeItems(precision: Int64 = 1) -> [Item] {
        source.trades.enumerated().map { index, trade in
            let created = trade.createdAt.microseconds / precision * precision
            return Item(
                id: trade.id, createdAt: Timestamp(microseconds: created), visibleFrom: trade.shownFrom, subject: index)
        }
    }
}

/// All simulated providers. To add one: a folder beside this file, and one line here.
enum SimulatorCatalogue {
    static let all: [any SimulatedProvider.Type] = [
        MeldSimulator.self, BanxaSimulator.self, DLocalSimulator.self, MercuryoSimulator.self, StripeSimulator.self,
        CoinbaseSimulator.self, PushSimulator.self,
    ]

    static func entry(_ name: String) -> (any SimulatedProvider.Type)? { all.first { $0.profile.name == name } }
}
