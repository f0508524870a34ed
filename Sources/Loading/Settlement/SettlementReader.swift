/// One settlement file on its way to the server: its form is found out, whatever stands before the header is passed over,
/// and of each record only the columns go on that the loader asks for.
final class SettlementReader {
    /// A header stands among the first records of a file, or it is no settlement file.
    static let preambleRecords = 200

    let file: InputFile
    let options: SettlementOptions
    let format: SettlementFormat
    let delimiter: UInt8
    /// Records met so far, good and bad; headers are none.
    private(set) var records = 0

    private let first: SettlementFormat.Layout
    private let headerLine: Int
    private let renamed: [String: String]

    init(file: InputFile, options: SettlementOptions) throws {
        self.file = file
        self.options = options
        try CSVFile.check(encoding: options.encoding)
        let renamed = Dictionary(options.columns.map { ($0.value, $0.key) }) { first, _ in first }
        self.renamed = renamed
        var found: (layout: SettlementFormat.Layout, delimiter: UInt8, line: Int)?
        var seen = 0
        try CSVFile(file).read(delimiter: nil) { record in
            seen += 1
            let delimiter = CSVCells.delimiter(of: record.bytes)
            let names = CSVCells.names(of: record.bytes, delimiter: delimiter)
            found = SettlementFormat.layout(of: names, renamed: renamed).map { ($0, delimiter, record.line) }
            return found == nil && seen < Self.preambleRecords
        }
        if seen == 0 { throw LoadFault(.format, "\(file.name): the file is empty") }
        guard let found else {
            throw LoadFault(
                .format,
                "\(file.name): no header of a settlement file; it needs the columns type, currency and net or gross, or those of a dLocal report"
            )
        }
        (first, delimiter, headerLine) = found
        format = found.layout.format
    }

    /// The columns of `settlement_file` that `pass` sends, in order.
    static let columns = ["line_no", "record_length", "block", "is_head"] + SettlementFormat.columns

    /// Hands every readable record to `send`, as the server is to read it. Returns the others.
    func pass(_ send: ([UInt8]) throws -> Void) throws -> [BadRecord] {
        var bad: [BadRecord] = []
        var layouts: [Bool: SettlementFormat.Layout] = [first.isHead: first]
        var block = 0
        var buffer = RecordBuffer()
        try CSVFile(file).read(delimiter: nil) { record in
            if record.line <= headerLine || isBlank(record.bytes) { return true }
            let cells = CSVCells.ranges(of: record.bytes, delimiter: delimiter)
            let type = rowType(record.bytes, cells)
            if type == SettlementFormat.rowType {
                let names = CSVCells.names(of: record.bytes, delimiter: delimiter)
                guard let layout = SettlementFormat.layout(of: names, renamed: renamed) else {
                    throw LoadFault(.format, "\(file.name):\(record.line): a header whose columns nobody knows")
                }
                layouts[layout.isHead] = layout
                return true
            }
            records += 1
            let isHead = type == "header"
            if isHead { block += 1 }
            guard let layout = layouts[isHead] else {
                bad.append(BadRecord(record, source: options.source, reason: "header: none stands above it"))
                return true
            }
            if let reason = fault(record.bytes, cells, layout) {
                bad.append(BadRecord(record, source: options.source, reason: reason))
                return true
            }
            try buffer.add(record, delimiter: delimiter, to: send) { out in
                out += String(block).utf8
                out.append(delimiter)
                out.append(UInt8(ascii: isHead ? "t" : "f"))
                for (column, place) in zip(SettlementFormat.columns, layout.places) {
                    out.append(delimiter)
                    guard let place, place < cells.count else { continue }
                    let cell = UnsafeRawBufferPointer(rebasing: record.bytes[cells[place]])
                    if column != SettlementFormat.described || SettlementFormat.isID(cell) { out += cell }
                }
            }
            return true
        }
        try buffer.flush(to: send)
        if records == 0 { throw LoadFault(.format, "\(file.name): the file holds a header, but no record") }
        return bad
    }

    /// The cell that says what a row is, in small letters; nil: the format has none.
    private func rowType(_ bytes: UnsafeRawBufferPointer, _ cells: [Range<Int>]) -> String? {
        guard let place = first.rowTypePlace, place < cells.count else { return nil }
        let names = CSVCells.names(of: bytes[cells[place]], delimiter: delimiter)
        return names.first?.lowercased()
    }

    /// Only separators, quotes and blanks.
    private func isBlank(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.allSatisfy { $0 == delimiter || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: " ") }
    }

    /// Rows are padded with empty cells, or end before them; a cell with text beyond the last column belongs to none.
    private func fault(
        _ bytes: UnsafeRawBufferPointer, _ cells: [Range<Int>], _ layout: SettlementFormat.Layout
    ) -> String? {
        let last = (cells.lastIndex { !isBlank(UnsafeRawBufferPointer(rebasing: bytes[$0])) } ?? -1) + 1
        if last > layout.width { return "fields: \(last) where the header has \(layout.width)" }
        if cells.count < layout.width, layout.format != .dlocalSettlement {
            return "fields: \(cells.count) where the header has \(layout.width)"
        }
        for (column, place) in zip(SettlementFormat.columns, layout.places) {
            // Whatever free text holds, it costs no row.
            guard let place, place < cells.count, column != SettlementFormat.described else { continue }
            let cell = UnsafeRawBufferPointer(rebasing: bytes[cells[place]])
            let fault = CSVFile.fault(in: cell, isUTF8: CSVFile.isUTF8(options.encoding))
            if let fault { return fault }
        }
        return nil
    }
}
