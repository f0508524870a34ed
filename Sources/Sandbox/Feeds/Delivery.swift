package import Payments

/// One webhook delivery as the merchant's capture holds it.
package struct Delivery: Sendable {
    package let eventId: String
    package let receivedAt: Timestamp
    /// 0 for a first attempt.
    package let retry: Int
    package let retryReason: String?
    /// Exactly what was sent.
    package let body: [UInt8]
    /// The night whose capture holds it.
    package let night: Int
    /// Which of the night's files: 0 plain, 1 compressed.
    package let file: Int
    /// Signed with a key that is not the account's.
    package var isForged = false
    /// The index of the trade it is about; nil: none.
    var trade: Int?
}

/// Turns what happened into the deliveries that announce it: at least once, sometimes late, in any order.
package struct Deliveries {
    private let provider: any SimulatedProvider
    private let source: SimulatedSource
    private let shape: WorldShape
    /// Every business account has one.
    package static let account = "Wq9e4NyPL6ojvpjxhtkBLy"
    static let profile = "W1jE7zpiwGNhzRH5tveZdg"

    /// Those of a world's first source.
    package init(_ world: World) { self.init(world.sources[0].simulator.init(world.sources[0])) }

    init(_ provider: any SimulatedProvider) {
        self.provider = provider
        source = provider.source
        shape = source.shape
    }

    /// All deliveries in the captures of all nights, ordered by night, file, arrival.
    package func all() -> [Delivery] {
        var deliveries: [Delivery] = []
        for (index, trade) in source.trades.enumerated() {
            append(trade, index, to: &deliveries)
            for tale in trade.tales { append(tale, of: trade, index, to: &deliveries) }
        }
        for night in 1...shape.nights { append(testOf: night, to: &deliveries) }
        return deliveries.sorted {
            ($0.night, $0.file, $0.receivedAt, $0.eventId, $0.retry) < (
                $1.night, $1.file, $1.receivedAt, $1.eventId, $1.retry
            )
        }
    }

    /// The event that announces a step of a payment: its id, and when the provider made it. The same whoever asks, so that
    /// a list of events can show what was sent.
    static func frame(of step: Int, _ trade: Trade, _ source: SimulatedSource) -> EventFrame {
        draw(step, trade, source).frame
    }

    private static func draw(
        _ index: Int, _ trade: Trade, _ source: SimulatedSource
    ) -> (frame: EventFrame, random: Randomness) {
        var random = Randomness(seed: source.seed, 3, Identifiers.fold(trade.id), UInt64(index))
        let eventId = Identifiers.base58(22, &random)
        // A provider announces what it knows: not before the row is there.
        let known = max(trade.steps[index].at, trade.visibleFrom)
        let created = Timestamp(
            microseconds: known.microseconds + Int64(random.between(40_000...90_000)) + Int64(index) * 1_000)
        return (EventFrame(id: eventId, created: created), random)
    }

    private func append(_ trade: Trade, _ place: Int, to deliveries: inout [Delivery]) {
        // A word that nobody modelled is shown by the row alone: what an event of it would be is another fault.
        for (index, step) in trade.steps.enumerated()
        where !trade.lostEvents.contains(step.status) && step.status != .retryScheduled {
            var (frame, random) = Self.draw(index, trade, source)
            let sent = Timestamp(microseconds: frame.created.microseconds + Int64(random.between(80_000...400_000)))
            let bodies = provider.announcements(of: step.status, trade, frame, &random)
            guard !bodies.isEmpty else { continue }
            deliver(
                bodies, frame, sent: sent, place, late: trade.lateEvents[step.status],
                filedAt: trade.eventsFiledAt[step.status], to: &deliveries, &random)
        }
        for (number, notice) in provider.notices(about: trade).enumerated() {
            var random = Randomness(seed: source.seed, 12, Identifiers.fold(trade.id), UInt64(number))
            let frame = EventFrame(id: Identifiers.base58(22, &random), created: notice.at)
            let sent = Timestamp(microseconds: frame.created.microseconds + Int64(random.between(80_000...400_000)))
            let body = notice.body(frame)
            deliver([body], frame, sent: sent, place, late: nil, filedAt: nil, to: &deliveries, &random)
        }
    }

    /// Sends what one change gives, once or several times.
    private func deliver(
        _ bodies: [[UInt8]], _ frame: EventFrame, sent: Timestamp, _ place: Int, late: Int?, filedAt override: Int?,
        to deliveries: inout [Delivery], _ random: inout Randomness
    ) {
        var retry = 0
        var received = sent
        if let late {
            retry = Self.retry(after: late)
            received = sent.adding(seconds: Int64(late))
        } else if random.chance(perMille: 30) {
            let tries = random.between(1...4)
            let arrival = sent.adding(seconds: Int64(Self.delay(ofRetry: tries)))
            // A delay over the end of a capture would make the event miss the night that looks for it.
            if night(of: arrival) == night(of: sent) { (retry, received) = (tries, arrival) }
        }
        guard let night = override ?? night(of: received) else { return }
        let file = Int(random.next() & 1)
        let reason = retry == 0 ? nil : random.pick(["HTTP error: 503", "Timeout", "Could not connect"])
        for (number, body) in bodies.enumerated() {
            // Several that one change sends leave one behind the other.
            let arrival = Timestamp(microseconds: received.microseconds + Int64(number) * 1_000)
            deliveries.append(
                Delivery(
                    eventId: number == 0 ? frame.id : "\(frame.id)-\(number)", receivedAt: arrival, retry: retry,
                    retryReason: reason, body: body, night: night, file: file, trade: place))
        }
        if override == nil, random.chance(perMille: 40) {
            appendRepeats(of: deliveries[deliveries.count - 1], sent: sent, to: &deliveries, &random)
        }
    }

    private func append(_ tale: Trade.Tale, of trade: Trade, _ place: Int, to deliveries: inout [Delivery]) {
        guard let night = night(of: tale.at) else { return }
        var random = Randomness(seed: source.seed, 9, Identifiers.fold(tale.eventId))
        let frame = EventFrame(id: tale.eventId, created: tale.at)
        guard let body = provider.announcements(of: tale.status, trade, frame, &random).first else { return }
        deliveries.append(
            Delivery(
                eventId: tale.eventId, receivedAt: tale.at.adding(seconds: 1), retry: 0, retryReason: nil, body: body,
                night: night, file: 0, isForged: tale.isForged, trade: place))
        guard let later = tale.provenOn else { return }
        deliveries.append(
            Delivery(
                eventId: tale.eventId, receivedAt: tale.at.adding(seconds: 3_600), retry: 1, retryReason: "Timeout",
                body: body, night: later, file: 0, trade: place))
    }

    /// The answer came too late: the same event is sent again, once or several times, and may land in the other file or
    /// the next night's.
    private func appendRepeats(
        of first: Delivery, sent: Timestamp, to deliveries: inout [Delivery], _ random: inout Randomness
    ) {
        for extra in 1...random.between(1...3) {
            let again = sent.adding(seconds: Int64(Self.delay(ofRetry: first.retry + extra)))
            guard let night = night(of: again) else { return }
            deliveries.append(
                Delivery(
                    eventId: first.eventId, receivedAt: again, retry: first.retry + extra, retryReason: "Timeout",
                    body: first.body, night: night, file: 1 - first.file, trade: first.trade))
        }
    }

    private func append(testOf night: Int, to deliveries: inout [Delivery]) {
        var random = Randomness(seed: source.seed, 4, UInt64(night))
        let at = shape.captureEnd(night).adding(seconds: -60)
        let frame = EventFrame(id: Identifiers.base58(22, &random), created: at)
        guard let body = provider.testEvent(frame, &random) else { return }
        deliveries.append(
            Delivery(
                eventId: frame.id, receivedAt: at.adding(seconds: 1), retry: 0, retryReason: nil, body: body,
                night: night, file: 0))
    }

    /// Whose capture a moment belongs to; nil after the last.
    private func night(of moment: Timestamp) -> Int? {
        (1...shape.nights).first { shape.captureEnd($0) >= moment }
    }

    /// Seconds after the first attempt: the interval starts at a minute and doubles up to an hour.
    static func delay(ofRetry retry: Int) -> Int {
        var total = 0
        for step in 0..<max(retry, 0) { total += min(60 << min(step, 6), 3_600) }
        return total
    }

    private static func retry(after seconds: Int) -> Int {
        var retry = 0
        while delay(ofRetry: retry + 1) <= seconds { retry += 1 }
        return retry
    }
}
