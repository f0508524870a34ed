import Payments
import Synchronization

/// The lists of one source: which elements a filter selects at a moment, remembered for the pages that follow, since a
/// walk asks the same question a thousand times.
final class Listing: Sendable {
    private struct Question: Hashable {
        let shelf: String
        let filter: ListAsk.Filter
        let moment: Timestamp
    }

    /// One list's elements, newest first by (`createdAt`, `id`).
    struct Shelf: Sendable {
        let items: [Item]
        let places: [String: Int]

        init(_ items: [Item]) {
            self.items = items.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
            var places: [String: Int] = [:]
            places.reserveCapacity(items.count)
            for (index, item) in self.items.enumerated() { places[item.id] = index }
            self.places = places
        }
    }

    let provider: any SimulatedProvider
    private let shelves: [String: Shelf]
    private let known = Mutex<[Question: [Int]]>([:])

    init(_ provider: any SimulatedProvider) {
        self.provider = provider
        shelves = Dictionary(grouping: provider.items, by: \.shelf).mapValues { Shelf($0) }
    }

    /// Elements of a list; empty for a list that never has one.
    func items(_ shelf: String) -> [Item] { shelves[shelf]?.items ?? [] }

    /// Where the element of an id stands; nil: there is none.
    func place(of id: String, on shelf: String) -> Int? { shelves[shelf]?.places[id] }

    /// Indices into the shelf's items, newest first.
    func rows(_ shelf: String, _ filter: ListAsk.Filter, at moment: Timestamp) -> [Int] {
        let question = Question(shelf: shelf, filter: filter, moment: moment)
        if let rows = known.withLock({ $0[question] }) { return rows }
        let items = items(shelf)
        let rows = items.indices.filter { matches(items[$0], filter, at: moment) }
        known.withLock {
            if $0.count >= 32 { $0.removeAll() }
            $0[question] = rows
        }
        return rows
    }

    private func matches(_ item: Item, _ filter: ListAsk.Filter, at moment: Timestamp) -> Bool {
        guard item.isVisible(at: moment) else { return false }
        if let from = filter.from, item.createdAt < from { return false }
        if let until = filter.until, item.createdAt >= until { return false }
        if filter.least != nil || filter.most != nil {
            let amount = provider.source.trades[item.subject].sourceAmount
            if let least = filter.least, amount < least { return false }
            if let most = filter.most, amount > most { return false }
        }
        for (name, wanted) in filter.fields where !wanted.contains(provider.value(name, of: item, at: moment)) {
            return false
        }
        return true
    }

    // MARK: keys

    func key(of item: Item) -> String {
        Identifiers.cursorKey(
            createdAt: item.createdAt.microseconds, fold: Identifiers.fold(item.id), seed: provider.source.seed)
    }

    /// Where the row of a key stands on a shelf; nil for a key that is none of ours.
    func place(ofKey key: String, on shelf: String) -> Int? {
        guard let mark = Identifiers.position(ofKey: key, seed: provider.source.seed) else { return nil }
        let items = items(shelf)
        var low = 0
        var high = items.count
        while low < high {
            let middle = (low + high) / 2
            if items[middle].createdAt.microseconds > mark.createdAt { low = middle + 1 } else { high = middle }
        }
        while low < items.count, items[low].createdAt.microseconds == mark.createdAt {
            if Identifiers.fold(items[low].id) == mark.fold { return low }
            low += 1
        }
        return nil
    }

    // MARK: pages

    /// Which rows a page has, in the order listed, and what lies around it.
    struct Span {
        var rows: ArraySlice<Int>
        var offset: Int
        var remaining: Int
        var total: Int
    }

    /// The rows that a list answers.
    /// - Parameters:
    ///   - hidden: rows that are left out as if they did not exist.
    ///   - offset: how many rows lie before the page behind a key, where keys are row numbers.
    func span(
        _ ask: ListAsk, at moment: Timestamp, hidden: Set<Int> = [], offset: (String) -> Int? = { _ in nil }
    ) throws(Refusal) -> Span {
        var rows = rows(ask.shelf, ask.filter, at: moment)
        if !hidden.isEmpty { rows.removeAll { hidden.contains($0) } }
        if ask.isOldestFirst { rows.reverse() }
        switch ask.position {
        case .start: return span(rows, from: 0, ask.limit)
        case .offset(let start): return span(rows, from: min(max(start, 0), rows.count), ask.limit)
        case .after(let key):
            let place = try place(key, place(ofKey: key, on: ask.shelf))
            return span(rows, from: min(offset(key) ?? first(in: rows, behind: place, ask), rows.count), ask.limit)
        case .afterID(let id):
            let place = try place(id, self.place(of: id, on: ask.shelf))
            return span(rows, from: min(offset(id) ?? first(in: rows, behind: place, ask), rows.count), ask.limit)
        case .before(let key):
            return try span(rows, before: place(key, place(ofKey: key, on: ask.shelf)), ask)
        case .beforeID(let id):
            return try span(rows, before: place(id, self.place(of: id, on: ask.shelf)), ask)
        }
    }

    private func place(_ text: String, _ found: Int?) throws(Refusal) -> Int {
        guard let found else { throw provider.refusal(.badCursor) }
        return found
    }

    private func span(_ rows: [Int], from start: Int, _ limit: Int) -> Span {
        let end = min(start + limit, rows.count)
        return Span(rows: rows[start..<end], offset: start, remaining: rows.count - end, total: rows.count)
    }

    private func span(_ rows: [Int], before place: Int, _ ask: ListAsk) throws(Refusal) -> Span {
        let end = first(in: rows, behind: ask.isOldestFirst ? place + 1 : place - 1, ask)
        let start = max(0, end - ask.limit)
        return Span(rows: rows[start..<end], offset: start, remaining: start, total: rows.count)
    }

    /// The first place in `rows` that is listed behind the row of `place`.
    private func first(in rows: [Int], behind place: Int, _ ask: ListAsk) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            let isBefore = ask.isOldestFirst ? rows[middle] >= place : rows[middle] <= place
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
