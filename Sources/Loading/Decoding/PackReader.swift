import Compression
import JSON
import Payments
import Postgres

/// Kept bytes by their place. Rows come in the order of their packs, so one unpacked pack is held at a time.
final class PackReader {
    /// A pack never unpacks to more: a commit group is 10 000 rows of a few kilobytes, a webhook batch 32 MB.
    private static let limit = 1 << 30

    private let connection: Connection
    private let context: LoadContext
    private let source: String
    private let statement: String
    private var held: (run: Int64, pack: Int, bytes: [UInt8])?

    init(on connection: Connection, context: LoadContext, source: String) throws {
        self.connection = connection
        self.context = context
        self.source = source
        statement = try context.sql.text("SQL/loading/decoding/pack.sql")
    }

    /// Nil where the bytes are not kept any more, or are damaged.
    func bytes(run: Int64, pack: Int, offset: Int, length: Int) throws -> [UInt8]? {
        if held?.run != run || held?.pack != pack {
            held = nil
            let rows = try connection.query(
                statement, [.int(context.account), .text(source), .int(run), .int(pack)])
            let packed = try rows.first { _ in true }?.bytes("body") ?? []
            let bytes = (try? Zstd.decompress(packed, limit: Self.limit)) ?? []
            held = (run, pack, bytes)
        }
        guard let bytes = held?.bytes, length > 0, offset >= 0, offset + length <= bytes.count else { return nil }
        return Array(bytes[offset..<offset + length])
    }
}
