/// A form in which settlement files come: which of its columns is which of the loader's. Columns that are not named here
/// are not read at all, so that what is personal in them (e-mail, document, card) never leaves the file.
package enum SettlementFormat: String, Sendable, CaseIterable {
    /// Tieout's own: one header, one line a record.
    case canonical
    /// dLocal's cross-border settlement report: a header and a head for the payout, then a header and rows for its lines.
    case dlocalSettlement = "dlocal_settlement"
    /// dLocal's older daily report: lines without payouts, amounts without signs.
    case dlocalDaily = "dlocal_daily"

    /// The loader's columns, as `settlement_file` has them behind line, length, block and kind of record.
    static let columns = [
        "settlement_id", "payout_id", "record_id", "reference", "original_reference", "type", "gross", "fee", "tax",
        "other", "net", "currency", "transaction_amount", "transaction_currency", "fx_rate", "settled_on",
        "happened_at", "items", "status", "payment_method", "segment", described,
    ]

    /// The one of `columns` that is free text, in which rows of an orchestrator may have the merchant's order id. Only what
    /// looks like an id leaves the file (see `isID`), and only what is a known one is kept.
    static let described = "description"

    /// The name of the column whose cell says what kind of record a row of several kinds is.
    static let rowType = "row_type"

    /// The loader's column by the file's name for it, in small letters.
    private static let heads = [
        "settlement_currency": "currency", "number_of_items": "items", "gross_total_amount": "gross",
        "fee_total_amount": "fee", "net_total_amount": "net", "transfer_date": "settled_on",
        "transfer_id": "payout_id",
    ]
    private static let details = [
        "row_type": "type", "transaction_id": "reference", "dlocal_transaction_id": "record_id",
        "local_amount": "transaction_amount", "local_currency": "transaction_currency", "fx_rate": "fx_rate",
        "gross_amount": "gross", "fee_amount": "fee", "net_amount": "net", "creation_date": "happened_at",
        "payment_type": "payment_method", "description": described,
    ]
    private static let daily = [
        "type": "type", "creation date": "happened_at", "settlement date": "settled_on", "reference": "record_id",
        "invoice": "reference", "net amount (local)": "transaction_amount", "amount (usd)": "gross",
        "currency": "transaction_currency", "status": "status", "transaction invoice": "original_reference",
        "fee": "fee", "payment method type": "payment_method",
    ]
    private static let own = Dictionary(
        uniqueKeysWithValues: [
            "settlement_id", "payout_id", "reference", "type", "gross", "fee", "tax", "other", "net", "currency",
            "transaction_amount", "transaction_currency", "fx_rate", "settled_on", "segment",
        ].map { ($0, $0) })

    /// Whether free text looks like an id: one short word of ASCII letters, digits and `- _ . : / #`, not of letters alone, as
    /// names are. `cell` may stand in quotes.
    static func isID(_ cell: UnsafeRawBufferPointer) -> Bool {
        let quote = UInt8(ascii: "\"")
        let isQuoted = cell.count >= 2 && cell.first == quote && cell.last == quote
        let word = isQuoted ? cell[1..<(cell.count - 1)] : cell[...]
        guard (1...64).contains(word.count) else { return false }
        var isMoreThanLetters = false
        for byte in word {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): continue
            // - . / the digits and :
            case UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "#"), UInt8(ascii: "_"): isMoreThanLetters = true
            default: return false
            }
        }
        return isMoreThanLetters
    }

    /// What a record is read by: where the loader's columns stand in it.
    struct Layout {
        let format: SettlementFormat
        /// Its records state payouts, not lines.
        let isHead: Bool
        /// The place of each of `columns` in the record; nil: the file has none.
        let places: [Int?]
        /// Where the cell stands that says what kind of record a row is; nil: all are lines.
        let rowTypePlace: Int?
        /// Columns that the file names.
        let width: Int
    }

    /// The layout that a record with these names declares; nil: it is no header of a settlement file. `renamed`: the
    /// loader's column by the name that the file has for it.
    static func layout(of names: [String], renamed: [String: String] = [:]) -> Layout? {
        let plain = names.map { renamed[$0] ?? $0.lowercased() }
        func has(_ needed: String...) -> Bool { needed.allSatisfy(plain.contains) }
        if has(rowType, "net_total_amount") { return Layout(.dlocalSettlement, isHead: true, plain, heads) }
        if has(rowType, "net_amount") { return Layout(.dlocalSettlement, isHead: false, plain, details) }
        if has("type", "amount (usd)", "settlement date") { return Layout(.dlocalDaily, isHead: false, plain, daily) }
        if has("type", "currency"), has("net") || has("gross") {
            return Layout(.canonical, isHead: false, plain, own)
        }
        return nil
    }
}

extension SettlementFormat.Layout {
    fileprivate init(
        _ format: SettlementFormat, isHead: Bool, _ names: [String], _ known: [String: String]
    ) {
        self.format = format
        self.isHead = isHead
        places = SettlementFormat.columns.map { column in names.firstIndex { known[$0] == column } }
        rowTypePlace = names.firstIndex(of: SettlementFormat.rowType)
        // Padding behind the last name is no column.
        width = (names.lastIndex { !$0.isEmpty } ?? -1) + 1
    }
}
