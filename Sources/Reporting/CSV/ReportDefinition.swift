import Foundation

/// One CSV report as `Reports/<name>/report.json5` declares it.
struct ReportDefinition: Sendable, Decodable {
    enum ColumnType: String, Sendable, Decodable {
        /// From outside: neutralised for spreadsheets.
        case text
        /// Our own vocabulary.
        case word
        case number
        /// Printed with its currency's own digits.
        case amount
        case time, date, json
    }

    struct Column: Sendable, Decodable {
        let name: String
        let type: ColumnType
        /// For amounts: the column that holds the currency.
        let `in`: String?
        let means: String
    }

    let file: String
    let title: String
    /// Columns that order the rows, totally.
    let order: [String]
    let columns: [Column]

    private(set) var folder = ""

    private enum CodingKeys: String, CodingKey { case file, title, order, columns }

    /// Every report under `root/Reports`, in the order of the folders' names.
    static func all(root: String) throws(ReportingError) -> [ReportDefinition] {
        let home = "\(root)/Reports"
        guard let folders = try? FileManager.default.contentsOfDirectory(atPath: home).sorted() else {
            throw .definition(path: home, reason: "cannot be listed")
        }
        var reports: [ReportDefinition] = []
        for folder in folders {
            let path = "\(home)/\(folder)/report.json5"
            if FileManager.default.fileExists(atPath: path) { reports.append(try read(path, folder: folder)) }
        }
        return reports
    }

    private static func read(_ path: String, folder: String) throws(ReportingError) -> ReportDefinition {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        var report: ReportDefinition
        do {
            report = try decoder.decode(ReportDefinition.self, from: Data(contentsOf: URL(filePath: path)))
        } catch let error as DecodingError {
            throw .definition(path: path, reason: reason(error))
        } catch {
            throw .definition(path: path, reason: "cannot be read")
        }
        report.folder = folder
        let names = Set(report.columns.map(\.name))
        for name in report.order + report.columns.compactMap(\.in) where !names.contains(name) {
            throw .definition(path: path, reason: "names a column \(name) that it does not have")
        }
        for column in report.columns where (column.type == .amount) != (column.in != nil) {
            throw .definition(path: path, reason: "column \(column.name): `in` belongs to every amount, and only there")
        }
        if report.order.isEmpty { throw .definition(path: path, reason: "gives no order") }
        return report
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "lacks \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "is no JSON5" : "cannot read " + context.codingPath.map(\.stringValue).joined(separator: ".")
        @unknown default: "is no JSON5"
        }
    }
}
