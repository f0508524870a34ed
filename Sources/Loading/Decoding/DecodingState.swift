import JSON
import Payments
package import Postgres

/// Which reading of a source's kept bytes its stored records carry, and how far a new one has come.
package struct DecodingState: Sendable {
    /// One resource of the provider, or its events.
    package struct Kind: Sendable, Hashable {
        package let rawValue: String

        package static let event = Kind(rawValue: "event")

        package static func resource(_ name: String) -> Kind { Kind(rawValue: name) }
    }

    /// Behind which row a re-decoding goes on, in the order in which bytes are kept.
    struct Position: Sendable, Hashable {
        var run: Int64 = -1
        var pack = -1
        var offset = -1
        var id = ""

        var json: String {
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("run", integer: run)
                writer.member("pack", integer: pack)
                writer.member("offset", integer: offset)
                writer.member("id", id)
            }
            return writer.text
        }

        init() {}

        init?(json: String) {
            guard let root = try? JSONDocument(Array(json.utf8)).root,
                let run = root["run"]?.numberText.flatMap({ Int64($0) }),
                let pack = root["pack"]?.numberText.flatMap({ Int($0) }),
                let offset = root["offset"]?.numberText.flatMap({ Int($0) }), let id = root["id"]?.string
            else { return nil }
            self.run = run
            self.pack = pack
            self.offset = offset
            self.id = id
        }
    }

    let source: String
    let kind: Kind
    /// Nil: nothing is remembered yet.
    private(set) var digest: [UInt8]?
    private(set) var next: [UInt8]?
    private(set) var position = Position()
    /// Versions of an older reading whose bytes are gone.
    package private(set) var unread = 0

    package init(
        on connection: Connection, account: Int64, sql: SQLLibrary, source: String, kind: Kind
    ) throws {
        self.source = source
        self.kind = kind
        let rows = try connection.query(
            try sql.text("SQL/loading/decoding/state.sql"), [.int(account), .text(source), .text(kind.rawValue)])
        guard let row = rows.first(where: { _ in true }) else { return }
        digest = try row.bytes("digest")
        next = try row.optionalBytes("next_digest")
        position = try row.optionalText("position").flatMap(Position.init(json:)) ?? Position()
        unread = Int(try row.int("unread"))
    }

    /// True where the records carry another reading than `wanted`. What was stored before readings were remembered
    /// counts as read by the present one.
    package func isBehind(_ wanted: [UInt8]) -> Bool { digest != nil && (digest != wanted || next != nil) }

    package var isRemembered: Bool { digest != nil }

    /// Sets out for `wanted`: from the beginning, unless the way there was begun already.
    mutating func begin(_ wanted: [UInt8]) {
        if next == wanted { return }
        next = wanted
        position = Position()
        unread = 0
    }

    mutating func reach(_ position: Position) { self.position = position }

    mutating func miss(_ versions: Int) { unread += versions }

    /// All records carry `wanted` now.
    mutating func finish(_ wanted: [UInt8]) {
        digest = wanted
        next = nil
        position = Position()
    }

    /// Notes, within the caller's transaction, that what is stored carries `reading`.
    package func remember(_ reading: [UInt8], _ context: LoadContext, on connection: Connection) throws {
        var state = self
        state.finish(reading)
        try state.save(context, on: connection)
    }

    /// Notes, within the caller's transaction, how many versions still wait for their bytes.
    package func count(unread: Int, _ context: LoadContext, on connection: Connection) throws {
        if unread == self.unread { return }
        var state = self
        state.unread = unread
        try state.save(context, on: connection)
    }

    /// Writes it, within the caller's transaction.
    func save(_ context: LoadContext, on connection: Connection) throws {
        try connection.execute(
            try context.sql.text("SQL/loading/decoding/save.sql"),
            [
                .int(context.account), .text(source), .text(kind.rawValue), .bytes(digest ?? []),
                next.map { .bytes($0) } ?? .null, next == nil ? .null : .json(position.json), .int(unread),
                .int(context.run), .timestamp(context.clock.now()),
            ])
    }
}
