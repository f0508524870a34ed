import Payments
import Providers

/// The deliveries of a batch, brought together by event: what an event becomes is decided over all of its deliveries,
/// here as in `SQL/loading/webhooks/every.sql`.
struct EventFold {
    /// One event with its deliveries, each met once.
    struct Event {
        let key: String
        let first: JudgedDelivery
        var others: [JudgedDelivery] = []

        init(_ delivery: JudgedDelivery) {
            key = delivery.event.eventKey
            first = delivery
        }
    }

    /// In the order in which they were met.
    private(set) var events: [Event] = []
    /// Deliveries that differ.
    private(set) var count = 0

    init(_ deliveries: [JudgedDelivery]) {
        events.reserveCapacity(deliveries.count)
        var places = [String: Int](minimumCapacity: deliveries.count)
        for delivery in deliveries {
            let next = events.count
            let place = places[delivery.event.eventKey, default: next]
            if place == next {
                places[delivery.event.eventKey] = next
                events.append(Event(delivery))
            } else if events[place].holds(delivery) {
                continue
            } else {
                events[place].others.append(delivery)
            }
            count += 1
        }
    }
}

extension EventFold.Event {
    /// Deliveries that differ.
    var count: Int { 1 + others.count }

    func forEach(_ body: (JudgedDelivery) throws -> Void) rethrows {
        try body(first)
        for delivery in others { try body(delivery) }
    }

    fileprivate func holds(_ delivery: JudgedDelivery) -> Bool {
        first.isSame(as: delivery) || others.contains { $0.isSame(as: delivery) }
    }

    /// What an event becomes that nobody knew before.
    func verdict() -> Standing {
        var standing = Standing(first)
        if others.isEmpty { return standing }
        for delivery in others { standing.add(delivery) }
        standing.candidate = standing.best
        forEach { delivery in
            if standing.isLike(delivery), delivery.precedes(standing.candidate) { standing.candidate = delivery }
        }
        var moments: Set<Timestamp> = []
        forEach { moments.insert($0.receivedAt) }
        standing.between = moments.filter { $0 > standing.firstReceivedAt && $0 < standing.lastReceivedAt }.sorted()
        return standing
    }

    /// An event over all of its deliveries.
    struct Standing {
        /// Evidence before anything else, then the newest: the event's columns are this delivery's.
        private(set) var best: JudgedDelivery
        /// The first delivery of the best body: the one that is applied.
        var candidate: JudgedDelivery
        private(set) var firstReceivedAt: Timestamp
        private(set) var lastReceivedAt: Timestamp
        /// Moments of deliveries strictly between the two.
        var between: [Timestamp] = []
        private(set) var maxRetry: Int?
        /// Deliveries that differ.
        private(set) var count = 1
        /// Its deliveries brought different bodies.
        private(set) var hasChanged = false

        init(_ delivery: JudgedDelivery) {
            best = delivery
            candidate = delivery
            firstReceivedAt = delivery.receivedAt
            lastReceivedAt = delivery.receivedAt
            maxRetry = delivery.retryCount
        }

        mutating func add(_ delivery: JudgedDelivery) {
            count += 1
            firstReceivedAt = min(firstReceivedAt, delivery.receivedAt)
            lastReceivedAt = max(lastReceivedAt, delivery.receivedAt)
            if let retry = delivery.retryCount { maxRetry = max(maxRetry ?? retry, retry) }
            if delivery.bodyDigest != best.bodyDigest { hasChanged = true }
            if delivery.isEvidence != best.isEvidence {
                if delivery.isEvidence { best = delivery }
            } else if best.precedes(delivery) {
                best = delivery
            }
        }

        func isLike(_ delivery: JudgedDelivery) -> Bool {
            delivery.isEvidence == best.isEvidence && delivery.bodyDigest == best.bodyDigest
        }

        var flags: [String] {
            if !hasChanged { return best.flags }
            return Set(best.flags + [JudgedDelivery.bodyChangedFlag]).sorted {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
        }
    }
}

extension JudgedDelivery {
    /// A count that no counter reaches is a slip of the sender; it must not cost the row.
    var retryCount: Int? { event.retryCount.map { min($0, Int(Int32.max)) } }

    func isSame(as other: JudgedDelivery) -> Bool {
        receivedAt == other.receivedAt && deliveryDigest == other.deliveryDigest
    }

    /// By arrival, those of one moment by their digests.
    func precedes(_ other: JudgedDelivery) -> Bool {
        receivedAt != other.receivedAt
            ? receivedAt < other.receivedAt : deliveryDigest.lexicographicallyPrecedes(other.deliveryDigest)
    }
}
