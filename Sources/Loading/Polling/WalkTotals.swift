import Providers

/// What a list says about its own size, and how far that can be believed.
struct WalkTotals: Sendable, Hashable {
    /// Of the first page: rows that came into being later are not missed.
    var first: Int?
    private var last: Int?
    private var lastRemaining: Int?
    private var lastIsComparable = true
    var isUsable = true
    var firstIsKnown = false

    /// Takes in what one page says. Totals whose first page contradicts itself (its rows and the rest do not make up
    /// the whole) mean something else than assumed and are left out of the proof.
    /// `foreign` of its rows do not belong there: they must be in the counts, or the count of rows proves nothing.
    mutating func note(_ page: PageFacts, foreign: Int = 0) {
        if foreign > 0, firstIsKnown, lastRemaining.map({ $0 - page.rows.count != page.remaining }) != false {
            isUsable = false
        }
        if !firstIsKnown {
            firstIsKnown = true
            first = page.total
            isUsable = page.total != nil || page.remaining != nil
            if let total = page.total, let remaining = page.remaining, !page.rows.isEmpty,
                total != page.rows.count + remaining
            {
                isUsable = false
            }
        }
        last = page.total
        lastRemaining = page.remaining
    }

    /// Whether there must be more rows than the `distinct` ones read so far; nil: nothing is said about it.
    func claimMore(than distinct: Int) -> Bool? {
        guard isUsable else { return nil }
        if let lastRemaining, lastRemaining > 0 { return true }
        guard let first else { return lastRemaining == nil ? nil : false }
        // A total that fell does not lower the claim: the row that was deleted may have been read already, and then
        // another one was skipped. The walk is repeated, which tells the two apart.
        return distinct < first
    }

    /// Whether rows came into being while the list was walked: at its head, where the walk has been already. A list
    /// without totals may always have grown.
    var mayHaveGrown: Bool {
        guard isUsable, let first, let last else { return true }
        return !lastIsComparable || last > first
    }

    /// Whether the last page says that rows lie behind it.
    var rowsFollow: Bool { isUsable && (lastRemaining ?? 0) > 0 }

    /// From now on the list is asked for a part of the window: its totals say nothing about the whole.
    mutating func windowChanged() {
        lastIsComparable = false
        firstIsKnown = true
    }
}

/// The ids of the last few thousand rows: enough to see repeats at page borders, and flat in memory at any size.
struct RecentIDs: Sendable {
    static let generation = 4000
    private var young: Set<String> = []
    private var old: Set<String> = []

    /// True where the id was not among the recent ones.
    mutating func insert(_ id: String) -> Bool {
        if old.contains(id) || !young.insert(id).inserted { return false }
        if young.count >= Self.generation {
            old = young
            young = []
        }
        return true
    }
}
