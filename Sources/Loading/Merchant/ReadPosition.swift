import Payments
import Postgres

/// How far a query was read: a value of its watermark column, from which the next reading goes on.
struct ReadPosition: Sendable {
    /// What the watermark column holds.
    enum Kind: Sendable {
        case time, number

        init?(type: String) {
            switch type {
            case "timestamptz", "timestamp": self = .time
            case "bigint", "integer", "smallint": self = .number
            default: return nil
            }
        }
    }

    let kind: Kind
    /// Microseconds of the look-back.
    private let lookBack: Int64
    /// Where the next reading begins; nil: at the start.
    private(set) var from: Int64?
    private var newest: Int64?
    /// Numbers and arrival times at the ends of batches that are not old enough yet.
    private var marks: [(number: Int64, receivedAt: Int64)] = []
    private var highest: Int64?

    /// `stored`: what a former reading left.
    init(_ kind: Kind, lookBack: Int64, stored: String?) {
        self.kind = kind
        self.lookBack = lookBack * 1_000_000
        switch kind {
        case .number: from = stored.flatMap { Int64($0) }
        case .time: from = stored.flatMap { Timestamp($0) }?.microseconds
        }
    }

    /// What is stored for the next reading.
    var text: String? {
        switch kind {
        case .number: from.map { String($0) }
        case .time: from.map { Timestamp(microseconds: $0).description }
        }
    }

    /// The bound value behind `>= $1`.
    var value: SQLValue {
        switch kind {
        case .number: .int(from)
        case .time: .timestamp(from.map { Timestamp(microseconds: $0) })
        }
    }

    /// Takes in one row; rows come in the order of the column.
    mutating func note(_ value: Int64, receivedAt: Timestamp) {
        newest = max(newest ?? receivedAt.microseconds, receivedAt.microseconds)
        highest = max(highest ?? value, value)
        if kind == .time { from = max(from ?? .min, value - lookBack) }
    }

    /// Ends a batch. A number is passed for good once rows came that arrived a look-back later: what had a smaller number
    /// and was committed late has come by then.
    mutating func endBatch() {
        guard kind == .number, let highest, let newest else { return }
        marks.append((highest, newest))
        while let mark = marks.first, mark.receivedAt <= newest - lookBack {
            from = max(from ?? .min, mark.number)
            marks.removeFirst()
        }
    }
}

/// The memory of how far queries were read.
struct ReadPositions {
    let context: LoadContext
    let connection: Connection
    let feed: Feed

    func stored(_ query: MerchantQuery) throws -> String? {
        let sql = "select position from tieout.query_position where account_id = $1 and feed = $2 and digest = $3"
        return try connection.query(sql, [.int(context.account), .text(feed.rawValue), .bytes(query.digest)])
            .first?.optionalText("position")
    }

    /// Stores the position, and whose rows came. `isWhole`: everything up to `snapshot` was read, so the feeds of all
    /// sources that the query has ever shown are complete up to there.
    func save(
        _ query: MerchantQuery, position: String?, sources: [String], snapshot: Timestamp, isWhole: Bool
    ) throws {
        let key: [SQLValue] = [.int(context.account), .text(feed.rawValue), .bytes(query.digest)]
        try connection.execute(
            try context.sql.text("SQL/loading/merchant/save_position.sql"),
            key + [
                .text(query.name), .text(position), .textArray(sources.sorted()), .int(context.run),
                .timestamp(snapshot),
            ])
        if isWhole {
            try connection.execute(
                try context.sql.text("SQL/loading/merchant/complete_feeds.sql"), key + [.timestamp(snapshot)])
        }
    }

    /// The feeds of all sources that the query has ever shown fail from now on, until it can be read again.
    func note(_ fault: LoadFault, of query: MerchantQuery) throws {
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try connection.execute(
                try context.sql.text("SQL/loading/merchant/note_failure.sql"),
                [
                    .int(context.account), .text(feed.rawValue), .bytes(query.digest),
                    .timestamp(context.clock.now()), .text(fault.message),
                ])
        }
    }
}
