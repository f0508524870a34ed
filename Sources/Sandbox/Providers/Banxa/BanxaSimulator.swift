import Payments

/// Banxa's three surfaces over one account: Hosted Checkout v2, Native v0 and Legacy v1.3. All of them answer at once; the
/// switch `surface` says by which one the client is configured, and in which form webhooks are sent.
struct BanxaSimulator: SimulatedProvider {
    static let profile = ProviderProfile(
        name: "banxa", bookPrefix: "BX-", environment: "live",
        corridors: [
            Corridor(provider: "BANXA", method: "APPLE_PAY", fiat: .euro, weight: 5),
            Corridor(provider: "BANXA", method: "CREDIT_DEBIT_CARD", fiat: .pound, weight: 3),
            Corridor(provider: "BANXA", method: "SEPA", fiat: .euro, weight: 2),
        ],
        secrets: [
            .init("api-key", .apiKey) { Identifiers.hex(24, &$0) },
            .init("api_secret", .named) { Identifiers.base58(32, &$0) },
            .init("webhook-secret", .webhook) { Identifiers.base58(32, &$0) },
        ],
        switches: switches, turns: turns, sells: true,
        plays: Play.among(turns).union([.changedType, .revived]).subtracting([.statusRegression]),
        configuration: { source in
            ["options: {surface: \"\(source.setting("surface"))\", partner_ref: \"\(partner)\"}"]
        },
        transactionID: { Identifiers.hex(32, &$0) })

    private static let turns: Set<Status> = [
        .pendingCreated, .pending, .settling, .onrampSettled, .settled, .declined, .cancelled, .failed,
        .authorizationExpired, .refunded, .retryScheduled,
    ]

    private static let switches: [ProviderProfile.Switch] = [
        .init("surface", ["v2", "legacy", "native"], "by which API the client is configured to read"),
        .init("page", ["one", "zero"], "what the first page is called"),
        .init("limit", ["asked", "capped"], "whether pages are as long as was asked, or have 20 rows at most"),
        .init("page-total", ["rows", "pages"], "what `pageTotal` counts"),
        .init("bounds", ["inclusive", "exclusive"], "whether the days of `start` and `end` are listed"),
        .init("filter", ["created", "updated"], "which time `start` and `end` mean"),
        .init("order", ["newest", "oldest"], "which end of the list comes first"),
        .init("envelope", ["bare", "data"], "whether v2 answers stand in `data`"),
        .init("inner", ["orders", "order"], "what the legacy list calls its rows"),
        .init("blockchain", ["object", "array"], "what `blockchain` is in legacy orders"),
        .init("updated", ["shown", "absent"], "whether ramps have `updatedAt`"),
        .init("events", ["full", "short"], "whether webhooks carry more than order, status and its date"),
        .init("dates", ["parted", "joined"], "whether a webhook's dates have a blank before the time"),
        .init("quotes", ["double", "single"], "how legacy webhooks quote"),
    ]

    /// The partner's name in the paths of v2.
    static let partner = "demo-partner"
    /// Rows of a page at most.
    static let cap = 20

    let source: SimulatedSource
    let items: [Item]

    init(_ source: SimulatedSource) {
        self.source = source
        items = source.trades.enumerated().map { index, trade in
            // Lists order by creation to the millisecond.
            let created = Timestamp(microseconds: trade.createdAt.microseconds / 1_000 * 1_000)
            return Item(id: trade.id, createdAt: created, visibleFrom: trade.shownFrom, subject: index)
        }
    }

    /// Native and legacy rows do not name the partner's order: a second charge of one order is nobody's order there.
    /// Legacy events name no status either.
    static func tell(_ plot: inout Plot) {
        let surface = plot.switches["surface"]
        var left: Set<Play> = []
        if surface == "native" || surface == "legacy" { left = [.duplicateCharge, .refundedSurplus] }
        // Nobody has seen money there that came and went between two nights.
        if surface == "legacy" { left.formUnion([.webhookConflict, .webhookMissing, .takenNotReturned]) }
        // A row without a time of its own is as young as its reading: no event contradicts it.
        if surface == "native", plot.switches["updated"] == "absent" { left.insert(.webhookConflict) }
        plot.play(without: left)
        plot.tellTags()
        plot.tellRegression()
        plot.tellEveryday()
    }

    func marks(ofShelf shelf: String) -> RowMarks {
        switch source.setting("surface") {
        case "legacy": RowMarks(ids: ["id"], owner: nil, amount: "fiat_amount", status: "status")
        case "native": RowMarks(ids: ["id"], owner: nil, amount: "amount", status: "status")
        default: RowMarks(ids: ["id", "externalId"], owner: nil, amount: "fiatAmount", status: "status")
        }
    }

    func value(_ field: String, of item: Item, at moment: Timestamp) -> String {
        let trade = source.trades[item.subject]
        switch field {
        case "status": return word(trade, at: moment)
        case "externalCustomerId", "account_reference": return trade.customer.externalId
        case "updatedOn": return trade.updatedAt(at: moment).utcDate
        default: return ""
        }
    }
}
