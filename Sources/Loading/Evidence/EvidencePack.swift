import Compression
package import JSON
package import Postgres

/// The kept bytes of one commit group, concatenated: one compressed row in `tieout.evidence`. Versions remember pack
/// number, offset and length within the decompressed bytes.
package struct EvidencePack: Sendable {
    private var bytes: [UInt8] = []

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty }
    package var count: Int { bytes.count }

    /// Adds one element's kept bytes and says where they lie.
    package mutating func append(_ kept: some Collection<UInt8>) -> (offset: Int, length: Int) {
        let offset = bytes.count
        bytes.append(contentsOf: kept)
        return (offset, bytes.count - offset)
    }

    /// Writes the pack as one row, inside the transaction that writes the versions it belongs to.
    package func write(
        on connection: Connection, account: Int64, source: String, run: Int64, packNo: Int
    ) throws {
        try connection.execute(
            "insert into tieout.evidence (account_id, source_id, run_id, pack_no, body) values ($1, $2, $3, $4, $5)",
            [.int(account), .text(source), .int(run), .int(packNo), .bytes(Zstd.compress(bytes, level: 1))])
    }
}

/// Numbers evidence packs: unique per account, source and run, whichever loaders write for the source.
package struct EvidenceNumbers: Sendable {
    private var last: Int

    /// Reads once what the run has written for the source so far.
    package init(on connection: Connection, context: LoadContext, source: String) throws {
        let sql = try context.sql.text("SQL/loading/last_pack_no.sql")
        let rows = try connection.query(sql, [.int(context.account), .text(source), .int(context.run)])
        last = Int(try rows[0].int("pack_no"))
    }

    package mutating func next() -> Int {
        last += 1
        return last
    }
}

extension EvidencePack {
    /// Adds an element less what must not be kept, without a copy in between.
    package mutating func append(cutting element: JSONValue, with redaction: Redaction) -> (offset: Int, length: Int) {
        let offset = bytes.count
        redaction.append(element, to: &bytes)
        return (offset, bytes.count - offset)
    }
}
