import Postgres
import Reconciling
import TestSupport
import Testing

/// SQL is data that a DBA reads: every file says what one row is, and asks no clock.
@Suite("SQL files")
struct SQLFileTests {
    /// Files that return and make no row.
    static let rowless: Exceptions = [
        "SQL/links/index_labels.sql": "makes an index",
        "SQL/links/index_members.sql": "makes an index",
        "SQL/migrations/0004_create_functions.sql": "makes functions",
        "SQL/migrations/0021_index_legs.sql": "makes indexes",
        "SQL/migrations/0025_index_changed_bodies.sql": "makes an index",
        "SQL/migrations/0013_keep_no_statistics_of_digests.sql": "changes what the planner knows",
    ]
    /// Machine time belongs to leases; everything else lives in ledger time, which is bound.
    static let clocks: Exceptions = ["SQL/jobs/take_lock.sql": "a lease is held in machine time"]
    static let clockPattern =
        #"(?i)\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid)\s*\(|\b(?:current_timestamp|current_date|current_time|localtime|localtimestamp)\b"#

    static var files: [String] {
        House.files(under: "SQL", ".sql") + House.files(under: "Reports", ".sql")
            + House.files(under: "Scripts", ".sql")
    }

    /// What is wrong with a file's comments; nil: it says what one row is. A file that makes
    /// tables says it before each.
    static func grainFault(_ text: String, isRule: Bool) throws -> String? {
        let lines = House.lines(text)
        guard lines.first?.hasPrefix("--") == true else { return "does not begin with a comment" }
        if isRule {
            guard lines[0].hasPrefix("-- rule: ") else { return "does not begin with a rule header" }
            return lines.contains { $0.hasPrefix("-- One row: ") } ? nil : "does not say what one row is"
        }
        let tables = lines.indices.filter {
            lines[$0].hasPrefix("create table ") || lines[$0].hasPrefix("create temporary table ")
        }
        // A history has the grain of the table it is like.
        for table in tables where !lines[table + 1].contains("like tieout.") {
            var comment = table
            while comment > 0, lines[comment - 1].hasPrefix("--") { comment -= 1 }
            if !lines[comment].hasPrefix("-- One row") { return "does not say what one row of `\(lines[table])` is" }
        }
        if !tables.isEmpty { return nil }
        return try House.matches(#"\A-- One (?:row|value)\b[^\n]*:"#, in: text).isEmpty
            ? "does not say what one row is" : nil
    }

    @Test("the first comment of every file states its grain")
    func grains() throws {
        #expect(Self.files.count > 100)
        var faulty: [String: String] = [:]
        for file in Self.files {
            faulty[file] = try Self.grainFault(House.text(file), isRule: file.hasPrefix("SQL/rules/"))
        }
        for (file, fault) in faulty where Self.rowless[file] == nil { Issue.record("\(file) \(fault)") }
        for file in Self.rowless.keys { #expect(faulty[file] != nil, "\(file) needs no exception") }
    }

    @Test("no statement asks a clock or a die: rules take as_of as a parameter")
    func clockReads() throws {
        var readers: Set<String> = []
        for file in Self.files {
            let code = House.code(try House.text(file), comment: "--")
            if try !House.matches(Self.clockPattern, in: code).isEmpty { readers.insert(file) }
        }
        #expect(readers == Set(Self.clocks.keys))
    }

    @Test("migrations are padded, gap-free and named")
    func migrations() throws {
        let files = House.files(under: "SQL/migrations").map { String($0.dropFirst("SQL/migrations/".count)) }
        #expect(files.count >= 4)
        #expect(try Self.migrationFaults(files).isEmpty)
        #expect(try Self.migrationFaults(["0001_create_a.sql", "0003_create_b.sql"]) == ["0003_create_b.sql"])
        #expect(try Self.migrationFaults(["1_create_a.sql"]) == ["1_create_a.sql"])
        #expect(try Self.migrationFaults(["0001.sql"]) == ["0001.sql"])
    }

    static func migrationFaults(_ names: [String]) throws -> [String] {
        var faults: [String] = []
        for (index, name) in names.enumerated() {
            let number = try House.matches(#"\A([0-9]{4})_[a-z]+_[a-z0-9_]+\.sql\z"#, in: name).first
            if number.flatMap({ Int($0) }) != index + 1 { faults.append(name) }
        }
        return faults
    }

    @Test("the searches find what they are for")
    func searches() throws {
        #expect(try Self.grainFault("select 1", isRule: false) != nil)
        #expect(try Self.grainFault("-- Some thoughts.\nselect 1", isRule: false) != nil)
        #expect(try Self.grainFault("-- One row: one order.\nselect 1", isRule: false) == nil)
        #expect(try Self.grainFault("-- Tables.\n\ncreate table a (\n);", isRule: false) != nil)
        #expect(try Self.grainFault("-- Tables.\n\n-- One row: one a.\ncreate table a (\n);", isRule: false) == nil)
        #expect(try Self.grainFault("-- One row: a.\nselect 1", isRule: true) != nil)
        for code in ["where a < now()", "CURRENT_DATE", "order by random()", "clock_timestamp ()"] {
            #expect(try !House.matches(Self.clockPattern, in: code).isEmpty, "\(code)")
        }
        #expect(try House.matches(Self.clockPattern, in: "known_now, snow(), $2").isEmpty)
    }
}
