import Postgres

/// The words of settlement files and what they mean, by format: `SQL/reference/settlement_words.csv`. A word that is not
/// there is kept as it came and means `other`.
struct SettlementWords {
    static let path = "SQL/reference/settlement_words.csv"

    private(set) var columns: [String] = []
    private(set) var words: [String] = []
    private(set) var meanings: [String] = []

    /// Throws a `LoadFault` that names the line where the file cannot be used.
    init(_ library: SQLLibrary, format: SettlementFormat) throws {
        for (index, line) in try library.text(Self.path).split(separator: "\n").enumerated() where index > 0 {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 4, ["type", "status"].contains(cells[1]) else {
                throw LoadFault(.usage, "\(Self.path):\(index + 1): a line is format,type|status,word,means")
            }
            guard cells[0] == format.rawValue else { continue }
            columns.append(cells[1])
            words.append(cells[2])
            meanings.append(cells[3])
        }
    }
}
