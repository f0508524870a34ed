import Payments
import Postgres
import Providers

/// Which records of one resource are to be read by themselves, and what is known of each.
struct AskList {
    private let connection: Connection
    private let context: LoadContext
    private let source: String
    private let resource: String
    private let reader: any SingleReader

    init(
        _ connection: Connection, _ context: LoadContext, source: String, resource: String, reader: any SingleReader
    ) {
        self.connection = connection
        self.context = context
        self.source = source
        self.resource = resource
        self.reader = reader
    }

    private var key: [SQLValue] { [.int(context.account), .text(source)] }

    /// Ids that the book, events and other records name and that are not stored; of what became known since the last
    /// complete poll alone: what the provider did not know then it was asked for.
    func named(since: Timestamp?) throws -> [String] {
        if reader.idKinds.isEmpty { return [] }
        return try connection.query(
            try context.sql.text("SQL/loading/named_ids.sql"),
            key + [.text(resource), .textArray(reader.idKinds), .timestamp(since), .bool(false)]
        ).map { try $0.text(0) }
    }

    /// An ask for each id, with what is stored of it where the reader needs that.
    func about(_ ids: [String]) throws -> [ReadAsk] {
        guard reader.keys.contains(.row), !ids.isEmpty else { return ids.map { ReadAsk(id: $0) } }
        var stored: [String: ReadAsk] = [:]
        let rows = try connection.query(
            try context.sql.text("SQL/loading/rows_to_ask.sql"), key + [.text(resource), .textArray(ids)])
        for row in rows {
            let id = try row.text("transaction_id")
            stored[id] = ReadAsk(
                id: id, createdAt: try row.timestamp("created_at"),
                references: try row.textArray("refs").compactMap { Reference(column: $0) },
                customerID: try row.optionalText("customer_id"))
        }
        return ids.map { stored[$0] ?? ReadAsk(id: $0) }
    }

    /// Orders of the book whose payment is not stored, where the reader can look for them. `dormantAfter` in seconds:
    /// older orders are asked for once.
    func orders(dormantAfter: Int64, since: Timestamp?) throws -> [ReadAsk] {
        guard resource == "transaction", !reader.keys.isDisjoint(with: [.order, .customer]) else { return [] }
        let young = context.clock.now().adding(seconds: -dormantAfter)
        return try connection.query(
            try context.sql.text("SQL/loading/orders_to_ask.sql"), key + [.timestamp(young), .timestamp(since)]
        ).map { row in
            var references = try row.textArray("refs").compactMap { Reference(column: $0) }
            references += [Reference("book:order", try row.text("order_id"))].compactMap(\.self)
            return ReadAsk(
                id: nil, createdAt: try row.timestamp("created_at"), references: references,
                customerID: try row.optionalText("customer_id"))
        }
    }
}
