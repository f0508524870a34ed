import JSON
import Payments
import Postgres
import Providers

/// What a commit does to the position of a walk, in the transaction of its rows.
package enum CheckpointChange: Sendable {
    case save(resource: String, walk: String, WalkCheckpoint)
    case drop(resource: String, walk: String)

    func apply(on connection: Connection, context: LoadContext, source: String, now: Timestamp) throws {
        switch self {
        case .save(let resource, let walk, let point):
            try connection.execute(
                try context.sql.text("SQL/loading/save_checkpoint.sql"),
                [
                    .int(context.account), .text(source), .text(resource), .text(walk), .json(point.json),
                    .int(context.run), .timestamp(now),
                ])
        case .drop(let resource, let walk):
            try connection.execute(
                try context.sql.text("SQL/loading/drop_checkpoint.sql"),
                [.int(context.account), .text(source), .text(resource), .text(walk)])
        }
    }
}

extension WalkCheckpoint {
    /// As the column `position` holds it.
    package var json: String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("kind", kind.rawValue)
            object.member("from", from?.description)
            object.member("to", to?.description)
            object.member("started_at", startedAt.description)
            object.member("ask_from", ask.from?.description)
            object.member("ask_to", ask.to?.description)
            object.member("cursor", ask.cursor)
            object.member("edge", ask.edge.rawValue)
            object.member("edge_learnt", bool: edgeIsLearnt)
            object.member("limit", integer: ask.limit)
            object.member("order", order?.rawValue)
            object.member("oldest", oldest?.description)
            object.member("newest", newest?.description)
            object.member("distinct", integer: distinct)
            object.member("first_total", integer: firstTotal)
            if let below {
                object.object("below") { head in
                    head.member("newest", below.newest.description)
                    head.member("total", integer: below.total)
                    head.member("ids", strings: below.ids)
                }
            }
        }
        return writer.text
    }

    /// Reads the column; nil where it was written by something else: the walk then begins anew, which loses time only.
    package init?(json text: String) {
        guard let root = try? JSONDocument(text).root,
            let kind = root["kind"]?.string.flatMap(WalkKind.init(rawValue:)),
            let startedAt = root["started_at"]?.string.flatMap({ Timestamp($0) }),
            let edge = root["edge"]?.string.flatMap(PageAsk.Edge.init(rawValue:)),
            let limit = root["limit"]?.integer, let distinct = root["distinct"]?.integer
        else { return nil }
        func time(_ name: String) -> Timestamp? { root[name]?.string.flatMap { Timestamp($0) } }
        self.init(
            kind: kind, from: time("from"), to: time("to"), startedAt: startedAt,
            ask: PageAsk(
                from: time("ask_from"), to: time("ask_to"), cursor: root["cursor"]?.string, edge: edge,
                limit: Int(limit)),
            edgeIsLearnt: root["edge_learnt"]?.boolValue == true,
            order: root["order"]?.string.flatMap(ListOrder.init(rawValue:)), oldest: time("oldest"),
            newest: time("newest"), distinct: Int(distinct), firstTotal: root["first_total"]?.integer.map { Int($0) },
            below: root["below"].flatMap { WindowHead(json: $0) })
    }
}

extension WindowHead {
    /// Nil where something else stands there: the walk then reads on to its own end.
    fileprivate init?(json: JSONValue) {
        guard let newest = json["newest"]?.string.flatMap({ Timestamp($0) }), let ids = json["ids"], ids.isArray
        else { return nil }
        self.init(
            ids: ids.elements.compactMap(\.string), newest: newest, total: json["total"]?.integer.map { Int($0) })
    }
}
