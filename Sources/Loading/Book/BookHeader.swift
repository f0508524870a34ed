/// The first record of a book file: which column stands where.
package struct BookHeader: Sendable, Hashable {
    /// The columns that must be there.
    package static let required = ["order_id", "source", "status", "amount", "currency", "created_at"]
    /// The columns that may be there; any other is kept as it is.
    package static let optional = [
        "direction", "provider_order_id", "provider_session_id", "provider_transaction_id", "customer_id",
        "destination_amount", "destination_currency", "wallet_address", "wallet_tag", "payment_method", "country",
        "segment", "expires_at", "paid_at", "credited_at", "failed_at", "updated_at", "credited_amount",
        "refunded_amount", "idempotency_key",
    ]

    /// Comma, semicolon or tab.
    package let delimiter: UInt8
    /// The loader's column of each column of the file: a known name, or `extra_1`, `extra_2`, ….
    package let columns: [String]
    /// The file's own names of the extra columns, in order.
    package let extras: [String]

    /// Reads the header record's bytes (no line end, no byte-order mark). `hasSource`: a source is given from outside,
    /// so that the file need not name one. `file` is for the message.
    package init(_ record: ArraySlice<UInt8>, file: String, hasSource: Bool) throws(LoadFault) {
        delimiter = CSVCells.delimiter(of: record)
        let names = CSVCells.names(of: record, delimiter: delimiter)
        var columns: [String] = []
        var extras: [String] = []
        var seen: Set<String> = []
        for (index, name) in names.enumerated() {
            if name.isEmpty { throw LoadFault(.format, "\(file): column \(index + 1) of the header has no name") }
            let known = name.lowercased()
            let isKnown = Self.required.contains(known) || Self.optional.contains(known)
            guard seen.insert(isKnown ? known : name).inserted else {
                throw LoadFault(.format, "\(file): the header names the column \(CSVCells.shown(name)) twice")
            }
            if isKnown {
                columns.append(known)
            } else {
                extras.append(name)
                columns.append("extra_\(extras.count)")
            }
        }
        for name in Self.required where !columns.contains(name) && !(name == "source" && hasSource) {
            throw LoadFault(.format, "\(file): the header has no column \(name)")
        }
        self.columns = columns
        self.extras = extras
    }
}
