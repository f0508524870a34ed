import Foundation
import Postgres
import Reporting
import TestSupport

/// A database with one account, two runs of the job nightly and whatever the test adds, and a folder to publish into.
final class Sample {
    let database: TestDatabase
    let connection: Connection
    let output: String
    private var seq = 0

    init() throws {
        database = try TestDatabase.make()
        connection = try database.connection()
        output = NSTemporaryDirectory() + "/tieout-report-\(UInt64.random(in: .min ... .max))"
        try connection.script(Self.base)
    }

    deinit { try? FileManager.default.removeItem(atPath: output) }

    func publish(
        run: Int64 = 2, raw: Bool = false, bom: Bool = false, topN: Int = 100, root: String = Checkout.root
    ) throws -> PublishedReport {
        let options = PublishOptions(account: 1, run: run, output: output, raw: raw, bom: bom, topN: topN)
        return try Publisher(connection: connection, options: options, root: root).publish()
    }

    /// Adds one break and its event.
    func addBreak(
        rule: String = "amount_mismatch", subject: String, order: String? = nil, currency: String? = "EUR",
        difference: String? = "1.50", atRisk: String = "1.50", due: String = "2026-08-19T10:00:00Z", run: Int64 = 2,
        facts: String = "[]", primary: String? = nil
    ) throws {
        seq += 1
        let id = "B" + String(repeating: "0", count: 12 - String(seq).count) + String(seq)
        let values: [SQLValue] = [
            .int(seq), .text(rule), .text(subject), .text(id), .int(run), .text(order), .text(currency),
            .text(difference), .text(atRisk), .text(due), .text(primary), .json(facts),
        ]
        try connection.execute(Self.sql("add_event"), values)
        try connection.execute(Self.sql("add_break"), [.int(seq)])
        try connection.execute(Self.sql("move_chain"), [.int(seq)])
    }

    func text(_ report: PublishedReport, _ name: String) throws -> String {
        try String(contentsOfFile: "\(report.path)/\(name)", encoding: .utf8)
    }

    /// A query of these tests, `Tests/ReportingTests/Fixtures/<name>.sql`.
    static func sql(_ name: String) throws -> String {
        try String(contentsOfFile: "\(Checkout.root)/Tests/ReportingTests/Fixtures/\(name).sql", encoding: .utf8)
    }

    static let root = Checkout.root

    private static var base: String { get throws { try sql("base") } }
}

/// The rows of a CSV text, quotes taken off, without its header.
func csvRows(_ text: String) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var cell = ""
    var isQuoted = false
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
        if isQuoted {
            if scalar != "\"" {
                cell.unicodeScalars.append(scalar)
            } else if rest.first == "\"" {
                cell.unicodeScalars.append("\"")
                rest.removeFirst()
            } else {
                isQuoted = false
            }
            continue
        }
        switch scalar {
        case "\"": isQuoted = true
        case ",":
            row.append(cell)
            cell = ""
        case "\n":
            rows.append(row + [cell])
            row = []
            cell = ""
        default: cell.unicodeScalars.append(scalar)
        }
    }
    return Array(rows.dropFirst())
}

/// The cells of one column.
func csvColumn(_ text: String, _ name: String) -> [String] {
    let header = text.prefix { $0 != "\n" }.split(separator: ",").map(String.init)
    guard let index = header.firstIndex(of: name) else { return [] }
    return csvRows(text).map { $0[index] }
}
