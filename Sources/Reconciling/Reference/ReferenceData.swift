import FoundationEssentials
package import Postgres

/// The small tables that every account shares, kept as CSV under `SQL/reference` and loaded by `tieout db migrate`.
package enum ReferenceData {
    /// Makes the reference tables equal to the files under `root/SQL/reference` and renews the live views of schema
    /// `scope`, in one transaction. Rows that a file no longer has are removed; a missing file leaves its table alone.
    /// Throws `PostgresError`; a row that the table refuses stops everything and names the constraint.
    package static func load(on connection: Connection, root: String) throws {
        let directory = "\(root)/SQL/reference"
        let library = SQLLibrary(root: root)
        try connection.transaction { connection in
            try replace("currency", with: ["\(directory)/currencies.csv"], on: connection)
            try replace("currency_exception", with: ["\(directory)/currency_exceptions.csv"], on: connection)
            try replace("state_matrix", with: ["\(directory)/state_matrix.csv"], on: connection)
            try replace("tag_asset", with: ["\(directory)/tag_assets.csv"], on: connection)
            try replace("fee_schedule", with: ["\(directory)/fee_schedule.csv"], on: connection)
            try replace("holiday", with: files(in: "\(directory)/holidays"), on: connection)
            try ScopeViews.install(on: connection, library: library)
        }
    }

    private static func files(in directory: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".csv") }.sorted().map { "\(directory)/\($0)" }
    }

    /// `table` belongs to schema `tieout`; each file starts with a header row of its columns, in any order.
    private static func replace(_ table: String, with files: [String], on connection: Connection) throws {
        let present = files.filter { FileManager.default.fileExists(atPath: $0) }
        if present.isEmpty { return }
        let incoming = "incoming_\(table)"
        try connection.execute("create temporary table \(incoming) (like tieout.\(table)) on commit drop")
        for file in present { try CSVFile.copy(file, into: incoming, on: connection) }
        // Rows as wholes: nothing equals nothing, and unlike `is not distinct from` it can be hashed. Every command asks
        // this, and comparing all 700 rows of a table with all took 50 ms of server time; this takes 2.
        let same = "select 1 from \(incoming) as i where i = t"
        try connection.execute("delete from tieout.\(table) as t where not exists (\(same))")
        try connection.execute(
            "insert into tieout.\(table) select * from \(incoming) except select * from tieout.\(table)")
    }
}

/// A reference file that cannot be read.
package struct ReferenceFault: Error, Hashable, CustomStringConvertible {
    package let path: String
    package var description: String { "cannot read \(path)" }
}

/// CSV files of ours, read by PostgreSQL's own reader.
enum CSVFile {
    /// Copies the file into `table`; its header row names the columns.
    static func copy(_ path: String, into table: String, on connection: Connection) throws {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw ReferenceFault(path: path)
        }
        let bytes = [UInt8](data)
        let header = String(
            decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        var columns: [String] = []
        for name in header.split(separator: ",") { columns.append(try connection.quoteIdentifier(String(name))) }
        let list = columns.joined(separator: ", ")
        try connection.copyText("copy \(table) (\(list)) from stdin (format csv, header true, encoding 'UTF8')") {
            sink in
            try sink.write(bytes)
        }
    }
}
