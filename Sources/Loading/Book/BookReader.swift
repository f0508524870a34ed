/// One book file on its way to the server: the header is read, the records pass by, each behind its line number and
/// length; what PostgreSQL's reader would stumble over is kept back.
final class BookReader {
    let options: BookOptions
    let header: BookHeader
    /// Records met so far, good and bad.
    private(set) var records = 0
    var file: InputFile { source.file }

    private let source: CSVFile

    init(file: InputFile, options: BookOptions) throws {
        self.options = options
        try CSVFile.check(encoding: options.encoding)
        source = try CSVFile(file)
        var first: [UInt8]?
        try source.read(delimiter: nil) { record in
            first = Array(record.bytes)
            return false
        }
        guard let first else { throw LoadFault(.format, "\(file.name): the file has no header row") }
        header = try BookHeader(first[...], file: file.name, hasSource: options.baseSource != nil)
    }

    /// Hands every readable record to `send`, as the server is to read it. Returns the others.
    func pass(_ send: ([UInt8]) throws -> Void) throws -> [BadRecord] {
        var bad: [BadRecord] = []
        var buffer = RecordBuffer()
        try source.read(delimiter: header.delimiter) { record in
            records += 1
            if let reason = fault(of: record) {
                bad.append(BadRecord(record, source: options.baseSource, reason: reason))
            } else {
                try buffer.add(record, delimiter: header.delimiter, to: send) { $0 += record.bytes }
            }
            return true
        }
        try buffer.flush(to: send)
        if records == 0 { throw LoadFault(.format, "\(file.name): the file holds a header, but no record") }
        return bad
    }

    private func fault(of record: CSVRecords.Record) -> String? {
        if record.fields != header.columns.count {
            return "fields: \(record.fields) where the header has \(header.columns.count)"
        }
        return CSVFile.fault(in: record.bytes, isUTF8: CSVFile.isUTF8(options.encoding))
    }
}
