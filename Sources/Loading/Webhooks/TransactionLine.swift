import Payments

/// What was met of one transaction's deliveries, as moments that rise both by event time and by arrival. One that does not
/// fit between its neighbours is out of order itself, or puts another out of order; until then nothing is.
struct TransactionLine {
    struct Moment: Equatable {
        let eventTime: Timestamp
        let receivedAt: Timestamp
    }

    private var newest: Moment
    /// Those before the newest, rising; nil: they are not remembered any more.
    private var earlier: [Moment]? = []
    /// Something did not fit: the database puts the transaction in order when the load ends.
    private var isBroken = false

    init(_ first: Moment) { newest = first }

    /// Moments remembered besides the newest.
    var count: Int { earlier?.count ?? 0 }

    /// Whether `moment` fits in between what is remembered. `mayGrow` false: only the newest moment is remembered from now
    /// on, and whatever is older than it does not fit.
    mutating func take(_ moment: Moment, mayGrow: Bool) -> Bool {
        if isBroken { return false }
        if moment == newest { return true }
        if !mayGrow { earlier = nil }
        if moment.eventTime >= newest.eventTime && moment.receivedAt >= newest.receivedAt {
            earlier?.append(newest)
            newest = moment
            return true
        }
        guard fits(moment) else {
            isBroken = true
            earlier = nil
            return false
        }
        return true
    }

    /// Puts an older moment in its place; false where it has none.
    private mutating func fits(_ moment: Moment) -> Bool {
        guard var line = earlier else { return false }
        // The last that is no younger by event time.
        let place = (line.lastIndex { $0.eventTime <= moment.eventTime }).map { $0 + 1 } ?? 0
        let next = place < line.count ? line[place] : newest
        if next.receivedAt < moment.receivedAt || next.eventTime < moment.eventTime { return false }
        if place > 0 {
            if line[place - 1] == moment { return true }
            if line[place - 1].receivedAt > moment.receivedAt { return false }
        }
        // Nothing reads the old array while it grows.
        earlier = nil
        line.insert(moment, at: place)
        earlier = line
        return true
    }
}
