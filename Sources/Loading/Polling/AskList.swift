import Payments
import Postgres
import Providers

/// Which records of one resource are to be read by themselves, and what is known of each.
struct AskList {
    private let connection: Connection
    private let context: LoadContext
    private let source: SourceHandle
    private let resource: Resource
    private let reader: any SingleReader

    init(
        _ connection: Connection, _ context: LoadContext, source: SourceHandle, resource: Resource,
        reader: any SingleReader
    ) {
        self.connection = connection
        self.context = context
        self.source = source
        self.resource = resource
        self.reader = reader
    }

    private var key: [SQLValue] { [.int(context.account), .text(source.id)] }
    private var isPayment: Bool { resource.name == source.provider.payments.name }

    /// What is asked for one by one, beside what somebody pointed at.
    struct Needs {
        /// Ids of stored records that may have changed.
        var open: [String] = []
        /// Ids that others name and that are not stored.
        var named: [String] = []
        /// Orders whose payment is not known.
        var orders: [ReadAsk] = []
        /// What an earlier poll could not read and is asked for again, by quarantine ids.
        var waiting: Set<String> = []
    }

    /// What the resource needs beside its walks. `walked`: the creation times that these show; `since`: the last complete
    /// poll (nil: none yet).
    func needs(outside walked: ClosedRange<Timestamp>?, since: Timestamp?) throws -> Needs {
        let settings = source.settings
        // A payment that is not known yet is looked for through its order; other records have no other way.
        let namedSince = isPayment ? since : since?.adding(seconds: -settings.lookBack)
        let unread = try unread()
        return Needs(
            open: try open(outside: walked, settings, since: since) + refunded(since: since),
            named: try named(since: namedSince) + unread.ids,
            orders: try orders(dormantAfter: settings.dormantAfter, since: since), waiting: unread.waiting)
    }

    /// Rows that are not final, outside what was just walked. Those without money that are older than `dormantAfter` are
    /// left to the deep sweep; where nothing is listed it cannot find them, so each is read once a week until it is beyond
    /// the reversal window.
    private func open(
        outside walked: ClosedRange<Timestamp>?, _ settings: PollSettings, since: Timestamp?
    ) throws -> [String] {
        let now = context.clock.now()
        // With nothing walked, no row lies inside.
        let (lower, upper) = walked.map { ($0.lowerBound, $0.upperBound) } ?? (now, now.adding(seconds: -1))
        let sweepsFrom = resource.lister != nil ? nil : now.adding(seconds: -settings.reversalWindow)
        return try connection.query(
            try context.sql.text("SQL/loading/not_final.sql"),
            key + [
                .text(resource.name), .timestamp(lower), .timestamp(upper),
                .timestamp(now.adding(seconds: -settings.dormantAfter)), .timestamp(sweepsFrom), .timestamp(now),
                .timestamp(since),
            ]
        ).map { try $0.text(0) }
    }

    /// Ids that the book, events, other records and lines of settlement files name and that are not stored; of what became
    /// known from `since` on: what the provider did not know then it was asked for.
    private func named(since: Timestamp?) throws -> [String] {
        if reader.idKinds.isEmpty { return [] }
        return try connection.query(
            try context.sql.text("SQL/loading/named_ids.sql"),
            key + [
                .text(resource.name), .textArray(reader.idKinds), .timestamp(since), .bool(source.unsignedCounts),
                .bool(takesOrders),
            ]
        ).map { try $0.text(0) }
    }

    /// What an earlier poll could not read: by quarantine ids, and the ids of records among it. Where nothing is listed, the
    /// ids are also of what it read and could not take in: it may be whole by now, and nothing else shows it again.
    private func unread() throws -> (waiting: Set<String>, ids: [String]) {
        let rows = try connection.query(
            try context.sql.text("SQL/loading/unread.sql"), key + [.bool(resource.lister == nil)])
        let ids = try rows.compactMap { row in
            try row.optionalText("resource") == resource.name ? try row.optionalText("record_id") : nil
        }
        return (Set(try rows.filter { try $0.bool("is_unread") }.map { try $0.text("quarantine_id") }), ids)
    }

    /// Payments that are stored and that a settlement file says something was refunded of, while no refund of them is
    /// stored. Where refunds can be listed they are found there.
    private func refunded(since: Timestamp?) throws -> [String] {
        if !isPayment || source.provider.resource(named: "refund")?.lister != nil { return [] }
        return try connection.query(
            try context.sql.text("SQL/loading/refunds_in_lines.sql"), key + [.timestamp(since)]
        ).map { try $0.text(0) }
    }

    private var takesOrders: Bool { isPayment && reader.keys.contains(.order) }

    /// An ask for each id, with what is stored of it where the reader needs that.
    func about(_ ids: [String]) throws -> [ReadAsk] {
        guard reader.keys.contains(.row), !ids.isEmpty else { return ids.map { ReadAsk(id: $0) } }
        var stored: [String: ReadAsk] = [:]
        let rows = try connection.query(
            try context.sql.text("SQL/loading/rows_to_ask.sql"), key + [.text(resource.name), .textArray(ids)])
        for row in rows {
            let id = try row.text("transaction_id")
            stored[id] = ReadAsk(
                id: id, createdAt: try row.timestamp("created_at"),
                references: try row.textArray("refs").compactMap { Reference(column: $0) },
                customerID: try row.optionalText("customer_id"))
        }
        return ids.map { stored[$0] ?? ReadAsk(id: $0) }
    }

    /// Orders of the book and of settlement files whose payment is not stored, where the reader can look for them.
    /// `dormantAfter` in seconds: older orders are asked for once. Of those that are younger and wait for nothing the book is
    /// sure of, most were given up: after three days they are asked for now and then.
    private func orders(dormantAfter: Int64, since: Timestamp?) throws -> [ReadAsk] {
        guard isPayment, !reader.keys.isDisjoint(with: [.order, .customer]) else { return [] }
        let young = context.clock.now().adding(seconds: -dormantAfter)
        return try connection.query(
            try context.sql.text("SQL/loading/orders_to_ask.sql"),
            key + [.timestamp(young), .timestamp(since), .timestamp(context.clock.now())]
        ).map { row in
            var references = try row.textArray("refs").compactMap { Reference(column: $0) }
            references += [Reference("book:order", try row.text("order_id"))].compactMap(\.self)
            return ReadAsk(
                id: nil, createdAt: try row.timestamp("created_at"), references: references,
                customerID: try row.optionalText("customer_id"))
        }
    }
}
