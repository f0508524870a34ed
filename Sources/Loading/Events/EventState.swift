import JSON
import Payments
import Postgres

/// How far a source's event list was read, as `resource_state` holds it under the name `event`.
struct EventState {
    static let resource = "event"

    /// Read without a gap up to here, as far as the list goes back; nil: never yet.
    var watermark: Timestamp?
    /// Events are gone, and the objects they spoke of were not swept yet.
    var gap: EventGap?
    /// Ledger time since when the list cannot be read to its end.
    var failingSince: Timestamp?

    init(on connection: Connection, context: LoadContext, source: String) throws {
        let rows = try connection.query(
            try context.sql.text("SQL/loading/read_resource_state.sql"),
            [.int(context.account), .text(source), .text(Self.resource)])
        guard let row = rows.first else { return }
        watermark = try row.optionalTimestamp("watermark")
        guard let state = try? JSONDocument(try row.text("state")).root else { return }
        gap = EventGap(json: state["gap"])
        failingSince = state["failing_since"]?.string.flatMap { Timestamp($0) }
    }

    /// Within the caller's transaction. `coveredFrom`: the first moment that the list has shown.
    func save(
        on connection: Connection, context: LoadContext, source: String, coveredFrom: Timestamp?, isComplete: Bool
    ) throws {
        try connection.execute(
            try context.sql.text("SQL/loading/save_resource_state.sql"),
            [
                .int(context.account), .text(source), .text(Self.resource), .timestamp(coveredFrom),
                .timestamp(watermark), .bool(watermark != nil),
                isComplete ? .timestamp(context.clock.now()) : .null, .json(json), .null,
            ])
    }

    private var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            if let gap {
                writer.object("gap") { writer in
                    writer.member("from", gap.from.description)
                    writer.member("until", gap.until.description)
                }
            }
            writer.member("failing_since", failingSince?.description)
        }
        return writer.text
    }
}
