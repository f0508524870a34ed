package import Payments
package import Postgres
import Providers

/// What a poll of one source would ask for now; reads and changes nothing.
package struct PollForecast: Sendable {
    /// One window of the list.
    package struct Walk: Sendable, Hashable {
        /// backfill, incremental, or the number of a sweep.
        package let name: String
        /// Nil: from the first row there ever was.
        package let from: Timestamp?
        /// Nil: to the newest row.
        package let to: Timestamp?
        /// Rows that are held of it; nil: nobody can know yet.
        package let rows: Int?
        /// An unfinished walk of an earlier run that goes on.
        package let isResumed: Bool
    }

    package let walks: [Walk]
    /// Rows that are read one by one: not final beyond the walks, or pointed at.
    package let singleReads: Int
    /// Requests, as far as they can be told from what is held; nil: a first walk, of unknown length.
    package let requests: Int?
    package let watermark: Timestamp?
    /// The provider asked for nothing before then.
    package let notBefore: Timestamp?

    /// `pointedAt`: ids that events and the book name. Throws what the database throws.
    package init(
        _ source: SourceHandle, context: LoadContext, on connection: Connection, pointedAt: Int
    ) throws {
        let state = try FeedState(on: connection, context: context, source: source.id)
        let settings = source.settings
        let now = context.clock.now()
        let resource = source.provider.transactions.resource
        let key: [SQLValue] = [.int(context.account), .text(source.id), .text(resource)]
        let count = try context.sql.text("SQL/loading/count_created.sql")
        func held(_ from: Timestamp?, _ to: Timestamp?) throws -> Int {
            Int(try connection.query(count, key + [.timestamp(from), .timestamp(to)]).only().int("records"))
        }
        var walks: [Walk] = []
        for row in try connection.query(try context.sql.text("SQL/loading/checkpoints.sql"), key) {
            guard let point = WalkCheckpoint(json: try row.text("position")) else { continue }
            let rows = point.kind == .backfill ? nil : try held(point.from, point.to)
            walks.append(
                Walk(name: try row.text("walk"), from: point.from, to: point.to, rows: rows, isResumed: true))
        }
        if source.provider.lister != nil {
            if !state.backfillComplete {
                if walks.isEmpty {
                    walks.append(
                        Walk(
                            name: WalkKind.backfill.rawValue, from: settings.backfillFrom, to: nil, rows: nil,
                            isResumed: false))
                }
            } else if let watermark = state.watermark {
                let from = watermark.adding(seconds: -settings.lookBack)
                walks.append(
                    Walk(
                        name: WalkKind.incremental.rawValue, from: from, to: nil, rows: try held(from, nil),
                        isResumed: false))
                for slice in DeepSweep.slices(settings, now: now, until: from) {
                    walks.append(
                        Walk(
                            name: "sweep \(slice.number)", from: slice.from, to: slice.to,
                            rows: try held(slice.from, slice.to), isResumed: false))
                }
            }
        }
        var single = pointedAt
        if source.provider.reader != nil {
            let from = walks.first { $0.name == WalkKind.incremental.rawValue }?.from
            single += try connection.query(
                try context.sql.text("SQL/loading/not_final.sql"),
                key + [
                    .timestamp(from ?? now), .timestamp(from == nil ? now.adding(seconds: -1) : now),
                    .timestamp(now.adding(seconds: -settings.dormantAfter)),
                ]
            ).count
        }
        self.walks = walks
        singleReads = single
        watermark = state.watermark
        notBefore = state.notBefore
        let limit = max(1, source.provider.lister?.pageLimit ?? 1)
        // The end of a list is a page behind the last row.
        requests = walks.reduce(single) { sum, walk in
            sum.flatMap { sum in walk.rows.map { sum + $0 / limit + 2 } }
        }
    }
}
