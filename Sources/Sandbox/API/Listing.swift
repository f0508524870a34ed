import Payments
import Synchronization

/// The rows that a filter selects at a moment, remembered for the pages that follow: a walk asks the same question a
/// thousand times.
final class Listing: Sendable {
    private struct Question: Hashable {
        let filter: Query.Filter
        let moment: Timestamp
    }

    private let world: World
    private let known = Mutex<[Question: [Int]]>([:])

    init(_ world: World) { self.world = world }

    /// Indices into `world.trades`, newest first.
    func rows(_ filter: Query.Filter, at moment: Timestamp) -> [Int] {
        let question = Question(filter: filter, moment: moment)
        if let rows = known.withLock({ $0[question] }) { return rows }
        let rows = world.trades.indices.filter { filter.matches(world.trades[$0], at: moment) }
        known.withLock {
            if $0.count >= 32 { $0.removeAll() }
            $0[question] = rows
        }
        return rows
    }

    /// Where in the world's order the row of a key stands; nil for a key that is none of ours.
    func position(ofKey key: String) -> Int? {
        guard let mark = Identifiers.position(ofKey: key, seed: world.shape.seed) else { return nil }
        let trades = world.trades
        var low = 0
        var high = trades.count
        while low < high {
            let middle = (low + high) / 2
            if trades[middle].createdAt.microseconds > mark.createdAt { low = middle + 1 } else { high = middle }
        }
        while low < trades.count, trades[low].createdAt.microseconds == mark.createdAt {
            if Identifiers.fold(trades[low].id) == mark.fold { return low }
            low += 1
        }
        return nil
    }

    func key(of trade: Trade) -> String {
        Identifiers.cursorKey(
            createdAt: trade.createdAt.microseconds, fold: Identifiers.fold(trade.id), seed: world.shape.seed)
    }

    /// One page: the rows next to the cursor in the direction travelled, listed newest first, and how many lie beyond.
    /// - Parameters:
    ///   - hidden: rows that are left out as if they did not exist.
    ///   - offset: how many rows lie before the page behind a key, where keys are row numbers.
    func page(
        _ query: Query, at moment: Timestamp, hidden: Set<Int> = [], offset: (String) -> Int? = { _ in nil }
    ) throws(Refusal) -> (page: ArraySlice<Int>, remaining: Int, total: Int) {
        var rows = rows(query.filter, at: moment)
        if !hidden.isEmpty { rows.removeAll { hidden.contains($0) } }
        if let key = query.after {
            guard let position = position(ofKey: key) else { throw .bad("[after] is no valid key") }
            let start = min(offset(key) ?? firstIndex(in: rows, above: position), rows.count)
            let end = min(start + query.limit, rows.count)
            return (rows[start..<end], rows.count - end, rows.count)
        }
        if let key = query.before {
            guard let position = position(ofKey: key) else { throw .bad("[before] is no valid key") }
            let end = firstIndex(in: rows, above: position - 1)
            let start = max(0, end - query.limit)
            return (rows[start..<end], start, rows.count)
        }
        let end = min(query.limit, rows.count)
        return (rows[..<end], rows.count - end, rows.count)
    }

    /// The first place in the ascending `rows` whose value is above `position`.
    private func firstIndex(in rows: [Int], above position: Int) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle] <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
