import Crypto
package import Payments
import Postgres

/// One query of the operator's on the merchant's own database, read like a file that grows.
package struct MerchantQuery: Sendable {
    /// As messages and places in quarantine call it, e.g. `webhooks query 1`.
    package let name: String
    package let text: String
    /// libpq connection text.
    package let connection: Secret
    /// All rows are this source's; nil: the URL (of webhooks) or the column `source` (of orders) decides.
    package let source: String?
    /// The column by which it is read on: a time, or a number that only grows; nil: everything is read each time.
    package let watermark: String?
    /// How far the next reading goes back behind the newest row, in seconds: rows may be committed late, or change.
    package let lookBack: Int64
    /// Each reading of the order book shows every order of its sources.
    package let isComplete: Bool

    package init(
        name: String, text: String, connection: Secret, source: String? = nil, watermark: String? = nil,
        lookBack: Int64 = 86_400, isComplete: Bool = false
    ) {
        self.name = name
        var bare = Substring(text)
        while let last = bare.last, last == ";" || last.isWhitespace { bare.removeLast() }
        self.text = String(bare)
        self.connection = connection
        self.source = source
        self.watermark = watermark
        self.lookBack = lookBack
        self.isComplete = isComplete
    }

    /// Tells readings of this query from those of any other: a changed query is read from its start.
    var digest: [UInt8] {
        var hasher = SHA256Hasher()
        hasher.update(field: text)
        hasher.update(field: watermark)
        hasher.update(field: source)
        return hasher.finish()
    }

    /// Runs `body` in a read-only transaction on the merchant's database: all that it reads is of one moment. Throws a
    /// `LoadFault` that names the query: `.unreadable` where the database cannot be reached, `.usage` where it refuses.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        do {
            let connection = try Connection(connection.reveal(), applicationName: "tieout")
            return try connection.transaction(.repeatableRead, readOnly: true) { connection in
                // What is printed as text must not depend on settings of that database.
                try connection.execute("set local timezone = 'UTC'")
                try connection.execute("set local datestyle = 'ISO, YMD'")
                return try body(connection)
            }
        } catch let fault as PostgresError where fault.kind == .connection {
            throw LoadFault(.unreadable, "\(name): the database cannot be reached: \(fault.message)")
        } catch let fault as PostgresError {
            throw LoadFault(Self.isMistake(fault) ? .usage : .unreadable, "\(name): \(fault.message)")
        }
    }

    /// The query itself is wrong, or does what a reader may not: no later night mends it. All else may pass: a standby that
    /// cancels it, a server that shuts down, a full disk.
    private static func isMistake(_ fault: PostgresError) -> Bool {
        guard let state = fault.sqlState else { return true }
        return ["0A", "22", "25", "42"].contains(state.prefix(2))
    }

    /// The query as a relation; a comment at its end ends with its line.
    var relation: String { "(\(text)\n) as q" }

    /// Tries the query without a row; returns the names of its columns. Throws what `read` throws.
    package func check() throws -> [String] {
        try read { connection in try connection.query("select * from \(relation) limit 0").columnNames }
    }

    /// The columns it gives and their types. Throws a `LoadFault` where one of `needed` is missing or of none of the types
    /// that it may have.
    func columns(
        on connection: Connection, needed: [String], types: [String: Set<String>]
    ) throws -> [String: String] {
        let head = try connection.query("select * from \(relation) limit 0")
        let columns = Dictionary(zip(head.columnNames, head.columnTypeNames)) { first, _ in first }
        for column in needed + [watermark].compactMap(\.self) where columns[column] == nil {
            throw LoadFault(
                .usage,
                "\(name): the query gives no column \(column) (it gives \(head.columnNames.joined(separator: ", ")))")
        }
        for (column, allowed) in types.sorted(by: { $0.key < $1.key }) {
            guard let type = columns[column], !allowed.contains(type) else { continue }
            throw LoadFault(
                .usage, "\(name): column \(column) is \(type), it must be \(allowed.sorted().joined(separator: " or "))"
            )
        }
        if let watermark, let type = columns[watermark], ReadPosition.Kind(type: type) == nil {
            throw LoadFault(
                .usage, "\(name): column \(watermark) is \(type), reading on needs timestamptz, bigint or integer")
        }
        return columns
    }
}
