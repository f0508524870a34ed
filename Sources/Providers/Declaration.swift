/// What a provider declares about itself as data, so that rules and the poller need no branch per provider. A source
/// may override it in the configuration.
package struct Declaration: Sendable, Hashable {
    package enum SettlesTo: String, Sendable, Hashable, CaseIterable { case customer, merchant }

    /// What its records show of money that went back: nothing, all of it or nothing, or every part.
    package enum Returns: String, Sendable, Hashable, CaseIterable { case never, whole, parts }

    /// Resources that can be listed by a window of creation time.
    package var lists: [String]
    /// Resources that can be read one by one by id.
    package var readsByID: [String]
    package var settlesTo: SettlesTo
    /// Whether past events can be fetched from the provider.
    package var eventHistory: Bool
    /// Where fees are seen: `transaction`, `settlement`, `never`.
    package var feesSeen: [String]
    /// Whether events carry amounts; without them, provider and webhook totals are compared by count only.
    package var eventsCarryAmounts: Bool
    /// What the provider is asked for at most, unless configured.
    package var budget: RequestBudget
    /// An aggregator's words for the providers beneath it, by the names that the catalogue gives them; any other word is
    /// the catalogue's name in capitals.
    package var providerNames: [String: String] = [:]

    /// Statuses of its answers that are worth another attempt, besides those that are with any provider.
    package var retriedStatuses: Set<Int> = []
    /// Lower-case name of the header by which it says itself whether another attempt helps; nil: it has none.
    package var retryHeader: String?

    /// What its records show of refunds: where they never do, another view that does contradicts nothing.
    package var showsReturns = Returns.parts
    /// Whether its records show disputes, chargebacks and bank returns.
    package var showsDisputes = true

    /// Whether nothing but settlement lines says that a payment is settled: its own record stays as it was when it was paid.
    package var settledByLines = false

    /// Whether its rows show destination tags: only then does a row without one say that there was none.
    package var showsTags = false

    /// The catalogue's name of what an aggregator calls `word`.
    package func catalogueName(of word: String) -> String { providerNames[word] ?? word.lowercased() }

    package init(
        lists: [String], readsByID: [String], settlesTo: SettlesTo, eventHistory: Bool, feesSeen: [String],
        eventsCarryAmounts: Bool, budget: RequestBudget
    ) {
        self.lists = lists
        self.readsByID = readsByID
        self.settlesTo = settlesTo
        self.eventHistory = eventHistory
        self.feesSeen = feesSeen
        self.eventsCarryAmounts = eventsCarryAmounts
        self.budget = budget
    }
}

/// How many requests a provider takes.
package struct RequestBudget: Sendable, Hashable {
    package var requests: Int
    package var seconds: Int
    /// Never more within any span of that length (a quota), instead of on average.
    package var isQuota: Bool

    package init(_ requests: Int, perSeconds seconds: Int, isQuota: Bool = false) {
        self.requests = requests
        self.seconds = seconds
        self.isQuota = isQuota
    }
}
