import FoundationEssentials
import Loading
import Payments
import Postgres
import TestSupport

/// A database with one account and its sources, a folder for files, and runs at moments of the test's choice.
final class FileFixture {
    static let start = Timestamp(microseconds: 1_786_406_400_000_000)

    let database: TestDatabase
    let connection: Connection
    let folder: String
    private var run: Int64 = 0

    init() throws {
        database = try TestDatabase.make()
        connection = try database.connection()
        folder = FileManager.default.temporaryDirectory.appending(path: "tieout-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try connection.script(
            "insert into tieout.account (account_id, name) values (1, 'acme')")
        try connection.script(
            "insert into tieout.source (account_id, source_id, provider, environment) values "
                + "(1, 'meld-live', 'meld', 'live'), (1, 'meld-two', 'meld', 'live')")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A new run `hours` after the start.
    func context(hours: Int64 = 0) -> LoadContext {
        run += 1
        return LoadContext(
            account: 1, run: run, clock: LedgerClock(fixed: Self.start.adding(seconds: hours * 3600)),
            fence: Fence(account: 1, number: nil), sql: SQLLibrary(root: Checkout.root), log: { _ in })
    }

    func write(_ text: String, to name: String = "orders.csv") throws -> String {
        try write(Array(text.utf8), to: name)
    }

    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let path = "\(folder)/\(name)"
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// All rows of a query, columns joined by a bar, nulls as a dash.
    func rows(_ sql: String) throws -> [String] {
        let wrapped = "select concat_ws('|', \(sql)"
        return try connection.query(wrapped).map { try $0.text(0) }
    }

    func count(_ table: String) throws -> Int64 {
        try connection.query("select count(*) from tieout.\(table)").only().int(0)
    }
}
