/// Why migrations stopped.
package struct MigrationError: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// What the database said, where it was asked.
    package let cause: PostgresError?

    init(_ description: String, cause: PostgresError? = nil) {
        self.description = description
        self.cause = cause
    }
}

/// Brings a database to the schema of `SQL/migrations`: files `0001_create_….sql`, without gaps, forward only, each in
/// a transaction of its own and remembered with the SHA-256 of its bytes in `tieout.schema_migration`. A failed one
/// stops everything; the ones before it stay. Migrators that run at once wait for each other.
package struct Migrator: Sendable {
    /// One file, and whether the database has it.
    package struct Step: Sendable, Hashable {
        package let name: String
        package let isApplied: Bool
    }

    private let directory: String

    /// `directory` holds the files, e.g. `root/SQL/migrations`.
    package init(directory: String) { self.directory = directory }

    /// Every file in order. Changes nothing; an edited or missing applied file is an error here too.
    package func status(on connection: Connection) throws(MigrationError) -> [Step] {
        let files = try MigrationFile.all(in: directory)
        let applied = try asking { () throws(PostgresError) in
            try connection.query(Self.isBegun).only().bool(0) ? try Self.applied(on: connection) : [:]
        }
        try compare(files, with: applied)
        return files.map { Step(name: $0.name, isApplied: applied[$0.number] != nil) }
    }

    /// Applies what is missing; returns the names applied.
    @discardableResult
    package func migrate(_ connection: Connection) throws(MigrationError) -> [String] {
        let files = try MigrationFile.all(in: directory)
        try asking { () throws(PostgresError) in try connection.script(Self.lock + Self.ledger) }
        var names: [String] = []
        for file in files where try apply(file, of: files, on: connection) { names.append(file.name) }
        // A database that is ahead of these files is found even where nothing was missing.
        _ = try status(on: connection)
        return names
    }

    /// False where the database has it already. What another migrator did meanwhile is seen: the question is asked
    /// under the lock.
    private func apply(
        _ file: MigrationFile, of files: [MigrationFile], on connection: Connection
    ) throws(MigrationError) -> Bool {
        do {
            return try connection.transaction { connection in
                try connection.execute(Self.lock)
                let applied = try Self.applied(on: connection)
                try compare(files, with: applied)
                if applied[file.number] != nil { return false }
                let before = try connection.query(Self.transactionID).only().text(0)
                try connection.script(file.text)
                guard try connection.query(Self.transactionID).only().text(0) == before else {
                    throw MigrationError("\(file.name) ends its transaction itself; a migration must not")
                }
                try connection.execute(Self.remember, [.int(file.number), .text(file.name), .bytes(file.digest)])
                return true
            }
        } catch let error as MigrationError {
            throw error
        } catch let error as PostgresError {
            throw MigrationError("migration \(file.name) failed, nothing of it stays: \(error)", cause: error)
        } catch {
            throw MigrationError("migration \(file.name) failed: \(error)")
        }
    }

    /// Applied files must be there and must be what they were.
    private func compare(_ files: [MigrationFile], with applied: [Int: Applied]) throws(MigrationError) {
        for number in applied.keys.sorted() {
            guard let record = applied[number] else { continue }
            guard number <= files.count else {
                throw MigrationError("the database has \(record.name), which is newer than this program")
            }
            let file = files[number - 1]
            if file.name != record.name {
                throw MigrationError("\(record.name) was applied, now number \(number) is \(file.name)")
            }
            if file.digest != record.digest {
                throw MigrationError("\(file.name) was edited after it had been applied: restore it, add a new one")
            }
        }
    }

    private struct Applied {
        let name: String
        let digest: [UInt8]
    }

    private static func applied(on connection: Connection) throws(PostgresError) -> [Int: Applied] {
        var records: [Int: Applied] = [:]
        for row in try connection.query("select version, name, digest from tieout.schema_migration") {
            records[Int(try row.int("version"))] = Applied(name: try row.text("name"), digest: try row.bytes("digest"))
        }
        return records
    }

    private func asking<T>(_ body: () throws(PostgresError) -> T) throws(MigrationError) -> T {
        do throws(PostgresError) {
            return try body()
        } catch {
            throw MigrationError("migrations cannot be looked up: \(error)", cause: error)
        }
    }

    // One line each: this is the only table that cannot come from a migration file.
    private static let ledger = """
        create schema if not exists tieout;
        create table if not exists tieout.schema_migration (version int primary key, name text, digest bytea not null);
        alter table tieout.schema_migration add column if not exists applied_at timestamptz not null default now();
        """
    /// Held to the end of the transaction. The number names this program's migrations among advisory locks.
    private static let lock = "select pg_advisory_xact_lock(7305808869229538661);"
    private static let isBegun = "select to_regclass('tieout.schema_migration') is not null"
    private static let remember = "insert into tieout.schema_migration (version, name, digest) values ($1, $2, $3)"
    private static let transactionID = "select pg_current_xact_id()::text"
}
