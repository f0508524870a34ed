import Payments
import Postgres

/// What a query on the merchant's database says of the order book, as a file: the same reader types both.
struct BookExtract {
    let file: InputFile
    /// It has a header and no row.
    let isEmpty: Bool
    /// Where the next reading goes on; nil: at the start.
    let position: String?

    /// `stored`: what the former reading left. Throws a `LoadFault` that names the query.
    init(_ query: MerchantQuery, stored: String?) throws {
        var rows = 0
        var position: String?
        file = try InputFile(name: query.name) { send in
            try query.read { connection in
                let columns = try query.columns(on: connection, needed: [], types: [:])
                var filter = ""
                if let watermark = query.watermark {
                    let column = "q." + (try connection.quoteIdentifier(watermark))
                    if let stored { filter = " where \(column) >= \(try connection.quote(stored))" }
                    position = try Self.position(query, column, columns[watermark], connection) ?? stored
                }
                let copied = "copy (select * from \(query.relation)\(filter)) to stdout (format csv, header)"
                // The header is no row of the answer.
                rows = try connection.copyOut(copied) { try send($0) }
            }
        }
        isEmpty = rows == 0
        self.position = position
    }

    /// The newest value less the look-back: rows may be committed late.
    private static func position(
        _ query: MerchantQuery, _ column: String, _ type: String?, _ connection: Connection
    ) throws -> String? {
        let row = try connection.query("select max(\(column)) as newest from \(query.relation)").only()
        switch type.flatMap(ReadPosition.Kind.init(type:)) {
        case .time: return try row.optionalTimestamp("newest")?.adding(seconds: -query.lookBack).description
        case .number:
            throw LoadFault(
                .usage,
                "\(query.name): column \(query.watermark ?? "") must be a time: orders change after they are made")
        case nil: return nil
        }
    }
}
