import HTTP
import JSON
import Payments
import Postgres
import Providers

/// Reads a source's event list as a second webhook history: from its own watermark less the look-back, before the objects
/// are read, so that what an event knows better is read again in the same run. A list forgets; where more is forgotten
/// than was read, the objects of that time are to be swept, and the gap stands open until they were.
struct EventPoll {
    private static let walkName = "events"

    let source: SourceHandle
    let lister: any EventLister
    let scheme: any WebhookScheme
    let parts: PollerParts
    let connection: Connection

    /// What reading the list came to.
    struct Result {
        var counts = EventCounts()
        /// Why it was not read to its end; each reason for people.
        var reasons: [String] = []
        var failure: HTTPError?
        var isInterrupted = false
        /// Objects are to be swept for events that are gone.
        var gap: EventGap?
    }

    /// Throws what the database throws, `LoadFault` or `Fence.Lost`.
    func run(stop: StopFlag) async throws -> Result {
        let context = parts.context
        let startedAt = context.clock.now()
        let retained = startedAt.adding(seconds: -Int64(lister.retentionDays) * 86_400)
        var state = try EventState(on: connection, context: context, source: source.id)
        let lost = state.watermark.flatMap { EventGap(from: $0, until: retained) }
        var store = try EventStore(
            connection, context, lister: lister,
            source: WebhookSource(id: source.id, scheme: scheme, unsignedCounts: source.unsignedCounts),
            receivedAt: startedAt)
        var result = Result()
        var provenUntil: Timestamp?
        func read(_ walk: Walk) async throws {
            let ending = try await EventWalk(name: Self.walkName, lister: lister.pages, parts: parts)
                .run(walk, into: &store, stop: stop)
            result.failure = ending.failure
            switch ending.end.verdict {
            case .complete: provenUntil = [provenUntil, walk.plan.provesUntil].compactMap(\.self).max()
            case .incomplete(let reason, _): result.reasons.append("events: \(reason)")
            }
        }
        // One that goes on proves as far as its own beginning; what has happened since is the next one's.
        if let open = try openWalk(since: retained), !stop.isRequested { try await read(open) }
        if result.reasons.isEmpty, !stop.isRequested {
            try await read(Walk(plan: plan(from: provenUntil ?? state.watermark, startedAt)))
        }
        if stop.isRequested { result.isInterrupted = true }
        try store.order()
        result.counts = store.counts
        let isWhole = result.reasons.isEmpty && !result.isInterrupted
        if isWhole {
            state.watermark = [state.watermark, provenUntil].compactMap(\.self).max()
            state.gap = lost.map { state.gap?.joined(with: $0) ?? $0 } ?? state.gap
            // An open gap has been one since it was found.
            if state.gap == nil { state.failingSince = nil }
        } else if !result.isInterrupted {
            state.failingSince = state.failingSince ?? startedAt
        }
        result.gap = state.gap
        try save(state, result, isWhole: isWhole, from: max(retained, parts.settings.backfillFrom ?? retained), lost)
        report(result, state)
        return result
    }

    /// Says what became of a gap: the objects of its time were swept, or not. Returns the sentence that people read.
    func close(_ gap: EventGap, isHealed: Bool) throws -> String {
        let context = parts.context
        let text =
            gap.text
            + (isHealed
                ? ", healed by object sweep"
                : parts.settings.sweep == .off ? ", not healed: the sweep is off" : ", not healed yet")
        var state = try EventState(on: connection, context: context, source: source.id)
        state.failingSince = isHealed ? nil : state.failingSince ?? context.clock.now()
        if isHealed { state.gap = nil }
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try state.save(
                on: connection, context: context, source: source.id, coveredFrom: nil, isComplete: false)
            try connection.execute(
                try context.sql.text("SQL/loading/events/say_gap.sql"),
                [
                    .int(context.account), .text(source.id), .text(text), .timestamp(state.failingSince),
                    isHealed ? .null : .text(text),
                ])
        }
        context.log(
            LogLine(
                .warning, "event gap",
                [
                    ("source", source.id), ("gap", text), ("from", gap.from.description),
                    ("until", gap.until.description),
                ]))
        return text
    }

    private func plan(from watermark: Timestamp?, _ startedAt: Timestamp) -> WalkPlan {
        let settings = parts.settings
        return WalkPlan(
            kind: watermark == nil ? .backfill : .incremental,
            from: watermark?.adding(seconds: -settings.lookBack) ?? settings.backfillFrom, to: nil,
            startedAt: startedAt, settleLag: settings.settleLag, limit: lister.pages.pageLimit,
            groupRows: settings.groupRows, isOneWay: lister.pages.isOneWay)
    }

    /// The walk that an earlier run left open; nil: none, or one so old that what it has yet to read is gone by now.
    private func openWalk(since retained: Timestamp) throws -> Walk? {
        let rows = try connection.query(
            try parts.context.sql.text("SQL/loading/checkpoints.sql"),
            [.int(parts.context.account), .text(source.id), .text(EventState.resource)])
        for row in rows where try row.text("walk") == Self.walkName {
            guard let point = WalkCheckpoint(json: try row.text("position")), point.startedAt >= retained,
                point.ask.cursor != nil
            else { return nil }
            return Walk(
                resuming: point, settleLag: parts.settings.settleLag, groupRows: parts.settings.groupRows)
        }
        return nil
    }

    private func save(
        _ state: EventState, _ result: Result, isWhole: Bool, from: Timestamp, _ lost: EventGap?
    ) throws {
        let context = parts.context
        let failure = result.reasons.isEmpty ? nil : result.reasons.joined(separator: "; ")
        let now = context.clock.now()
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try state.save(
                on: connection, context: context, source: source.id, coveredFrom: isWhole ? from : nil,
                isComplete: isWhole)
            if result.isInterrupted { return }
            try connection.execute(
                try context.sql.text("SQL/loading/events/feed.sql"),
                [
                    .int(context.account), .text(source.id), .timestamp(now), isWhole ? .timestamp(from) : .null,
                    isWhole ? .timestamp(state.watermark) : .null, .timestamp(isWhole ? nil : state.failingSince),
                    .text(failure), isWhole ? .timestamp(lost?.until) : .null, .json(result.counts.json),
                ])
        }
    }

    private func report(_ result: Result, _ state: EventState) {
        let counts = result.counts
        var fields = [
            ("source", source.id), ("fetched", "\(counts.fetched)"), ("new", "\(counts.new)"),
            ("changed", "\(counts.changed)"), ("confirmed", "\(counts.confirmed)"),
            ("unchanged", "\(counts.unchanged)"), ("quarantined", "\(counts.quarantined)"),
        ]
        if let watermark = state.watermark { fields.append(("watermark", watermark.description)) }
        if !result.reasons.isEmpty { fields.append(("failure", result.reasons.joined(separator: "; "))) }
        parts.context.log(LogLine(result.reasons.isEmpty ? .info : .warning, "event list read", fields))
    }
}

extension EventCounts {
    /// For the feed's row. How often what is known was met again says nothing of the facts.
    fileprivate var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("events_new", integer: new)
            writer.member("events_changed", integer: changed)
            writer.member("events_confirmed", integer: confirmed)
            writer.member("events_of_other_products", integer: foreign)
            writer.member("events_quarantined", integer: quarantined)
        }
        return writer.text
    }
}
