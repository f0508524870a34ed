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

    /// `rereads`: as a poll is given them. Throws what the database throws.
    package init(
        _ source: SourceHandle, context: LoadContext, on connection: Connection, rereads: [String]
    ) throws {
        let state = try FeedState(on: connection, context: context, source: source.id)
        notBefore = state.notBefore
        var walks: [Walk] = []
        var watermarks: [Timestamp?] = []
        var single = 0
        var requests: Int? = 0
        for resource in source.provider.resources {
            let part = try Part(resource, source, rereads, context, connection)
            walks += part.walks
            watermarks.append(part.watermark)
            single += part.singleReads
            // The end of a list is a page behind the last row.
            let limit = max(1, resource.lister?.pageLimit ?? 1)
            requests = part.walks.reduce(requests.map { $0 + part.singleReads }) { sum, walk in
                sum.flatMap { sum in walk.rows.map { sum + $0 / limit + 2 } }
            }
        }
        self.walks = walks
        self.requests = requests
        singleReads = single
        watermark = watermarks.contains(nil) ? nil : watermarks.compactMap(\.self).min()
    }

    /// One resource of the source.
    private struct Part {
        let walks: [Walk]
        let watermark: Timestamp?
        let singleReads: Int

        init(
            _ resource: Resource, _ source: SourceHandle, _ rereads: [String], _ context: LoadContext,
            _ connection: Connection
        ) throws {
            let state = try ResourceState(
                on: connection, context: context, source: source.id, resource: resource.name)
            let settings = source.settings
            let now = context.clock.now()
            let prefix = resource.name == source.provider.payments.name ? "" : resource.name + " "
            let key: [SQLValue] = [.int(context.account), .text(source.id), .text(resource.name)]
            let count = try context.sql.text("SQL/loading/count_created.sql")
            func held(_ from: Timestamp?, _ to: Timestamp?) throws -> Int {
                Int(try connection.query(count, key + [.timestamp(from), .timestamp(to)]).only().int("records"))
            }
            func walk(_ name: String, _ from: Timestamp?, _ to: Timestamp?, _ rows: Int?, resumed: Bool = false) -> Walk
            {
                Walk(name: prefix + name, from: from, to: to, rows: rows, isResumed: resumed)
            }
            var walks: [Walk] = []
            for row in try connection.query(try context.sql.text("SQL/loading/checkpoints.sql"), key) {
                guard let point = WalkCheckpoint(json: try row.text("position")) else { continue }
                let rows = point.kind == .backfill ? nil : try held(point.from, point.to)
                walks.append(walk(try row.text("walk"), point.from, point.to, rows, resumed: true))
            }
            var listedFrom: Timestamp?
            if resource.lister != nil {
                if !state.backfillComplete {
                    if walks.isEmpty { walks.append(walk(WalkKind.backfill.rawValue, settings.backfillFrom, nil, nil)) }
                } else if let watermark = state.watermark {
                    let from = watermark.adding(seconds: -settings.lookBack)
                    listedFrom = from
                    walks.append(walk(WalkKind.incremental.rawValue, from, nil, try held(from, nil)))
                    for slice in DeepSweep.slices(settings, now: now, until: from) {
                        walks.append(
                            walk("sweep \(slice.number)", slice.from, slice.to, try held(slice.from, slice.to)))
                    }
                }
            }
            self.walks = walks
            watermark = state.watermark
            guard let reader = resource.reader else {
                singleReads = 0
                return
            }
            let list = AskList(connection, context, source: source, resource: resource, reader: reader)
            // Of a list's open rows only those outside it, which its walk will be seen not to show.
            let needs = try list.needs(
                outside: listedFrom.map { min($0, now)...now }, since: state.lastSuccess)
            let ids = source.ids(rereads, of: resource) + needs.open + needs.named
            singleReads = Set(ids).count + needs.orders.count
        }
    }
}
