import JSON

/// Rows for a terminal, as JSON or as CSV: every list command prints through this.
struct TextTable {
    enum Format: String, CaseIterable, Sendable { case text, json, csv }

    let columns: [String]
    var rows: [[String?]] = []

    init(_ columns: String...) { self.columns = columns }

    mutating func add(_ values: String?...) { rows.append(values) }

    /// The whole table, ending with a line end. Text from outside is made safe for its place.
    func text(_ format: Format, empty: String) -> String {
        switch format {
        case .text: rows.isEmpty ? empty + "\n" : aligned
        case .json: json
        case .csv: csv
        }
    }

    private var aligned: String {
        let cells = [columns] + rows.map { $0.map { Terminal.safe($0 ?? "–") } }
        let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line +=
                    column == columns.count - 1
                    ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            return line + "\n"
        }.joined()
    }

    private var json: String {
        var writer = JSONWriter(.pretty)
        writer.array { writer in
            for row in rows {
                writer.object { writer in
                    for (name, value) in zip(columns, row) { writer.member(name, value) }
                }
            }
        }
        return String(decoding: writer.take(), as: UTF8.self) + "\n"
    }

    private var csv: String {
        ([columns.map { Optional($0) }] + rows).map { row in
            row.map { value in
                let text = value ?? ""
                // A spreadsheet would run these; the same guard as in the published files.
                let first = text.first { $0 != " " }
                let risky = first.map { "=+-@\t\r".contains($0) } ?? false
                let guarded = Terminal.unique(risky && !isNumber(text) ? "'" + text : text)
                return guarded.contains(where: { ",\"".contains($0) })
                    ? "\"" + guarded.replacing("\"", with: "\"\"") + "\"" : guarded
            }.joined(separator: ",") + "\r\n"
        }.joined()
    }

    private func isNumber(_ text: String) -> Bool {
        let digits = text.drop { $0 == "-" }
        return !digits.isEmpty && text.count - digits.count <= 1 && digits.allSatisfy { $0.isNumber || $0 == "." }
    }
}
