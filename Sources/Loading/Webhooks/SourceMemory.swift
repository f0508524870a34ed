import Payments

/// What a loader knows of a source without asking the database: the events that it wrote itself, and how their
/// transactions stand in time. A first load of years of history asks nothing.
struct SourceMemory {
    /// Above this many events the loader asks instead of remembering (16 bytes each).
    static let capacity = 4_000_000
    /// Above this many moments of transactions only the newest of each is remembered (16 bytes each).
    static let momentCapacity = 1_000_000

    /// The source held nothing when the first batch began, and nobody but us has written since.
    private(set) var isComplete = false
    private var isOpen = true
    private var lastBatch: Int64?
    private var events: Set<Int> = []
    private var transactions: [Int: TransactionLine] = [:]
    /// Moments that all lines hold besides their newest.
    private var moments = 0
    /// How much this load has added.
    var growth = TableGrowth()

    /// Begins a batch, the source's feed being locked. `number` is the batch's, counted by everybody who writes.
    /// `isEmpty` is asked once: whether the source has no event at all.
    mutating func begin(batch number: Int64, isEmpty: () throws -> Bool) rethrows {
        if let lastBatch {
            if number != lastBatch + 1 { forget() }
        } else {
            isComplete = try isEmpty()
            if !isComplete { forget() }
        }
        lastBatch = number
    }

    private mutating func forget() {
        isComplete = false
        isOpen = false
        events = []
        transactions = [:]
        moments = 0
    }

    /// Whether the event may be there already; false is certain. Two keys that hash alike are both "maybe".
    func mayHold(_ key: String) -> Bool { !isComplete || events.contains(key.hashValue) }

    mutating func remember(_ key: String) {
        guard isOpen else { return }
        if events.count >= Self.capacity { return forget() }
        events.insert(key.hashValue)
    }

    /// Whether a delivery may have come out of order among what was met of its transaction: one by its own time, another by
    /// its arrival. Files of two receivers are each in order and are loaded one after the other, so what comes later may
    /// well lie in the middle. False is certain where memory is complete.
    mutating func isOutOfLine(_ transaction: String, eventTime: Timestamp, receivedAt: Timestamp) -> Bool {
        guard isComplete else { return true }
        let key = transaction.hashValue
        let moment = TransactionLine.Moment(eventTime: eventTime, receivedAt: receivedAt)
        guard let place = transactions.index(forKey: key) else {
            transactions[key] = TransactionLine(moment)
            return false
        }
        let before = transactions.values[place].count
        let isInLine = transactions.values[place].take(moment, mayGrow: moments < Self.momentCapacity)
        moments += transactions.values[place].count - before
        return !isInLine
    }
}
