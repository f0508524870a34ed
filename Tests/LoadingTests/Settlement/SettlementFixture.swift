import Loading
import Payments
import Postgres

/// Settlement files loaded for a source of dLocal, and what the database then holds.
struct SettlementFixture {
    let files: FileFixture
    var connection: Connection { files.connection }

    init() throws {
        files = try FileFixture()
        try connection.script(
            "insert into tieout.source (account_id, source_id, provider, environment) values "
                + "(1, 'dlocal-live', 'dlocal', 'live'), (1, 'dlocal-two', 'dlocal', 'live')")
    }

    @discardableResult
    func load(
        _ bytes: [UInt8], name: String = "report.csv", as corrected: SettlementName? = nil, hours: Int64 = 0,
        _ options: SettlementOptions = SettlementOptions(source: "dlocal-live")
    ) throws -> LoadOutcome {
        let path = try files.write(bytes, to: name)
        return try SettlementLoader(files.context(hours: hours), connection)
            .load(path: path, as: corrected, options: options)
    }

    @discardableResult
    func load(
        _ text: String, name: String = "report.csv", as corrected: SettlementName? = nil, hours: Int64 = 0,
        _ options: SettlementOptions = SettlementOptions(source: "dlocal-live")
    ) throws -> LoadOutcome {
        try load(Array(text.utf8), name: name, as: corrected, hours: hours, options)
    }

    /// The message of the fault that loading `text` ends with.
    func fault(_ text: String, _ options: SettlementOptions = SettlementOptions(source: "dlocal-live")) throws -> String
    {
        do {
            try load(text, options)
            return "loaded"
        } catch let fault as LoadFault {
            return fault.message
        }
    }

    /// Current lines as `line kind gross fee net currency`.
    func lines() throws -> [String] {
        try files.rows(
            "line_id, kind, trim_scale(gross), trim_scale(fee), trim_scale(net), currency) from tieout.settlement_line order by line_id"
        )
    }

    static let header = """
        ROW_TYPE,SETTLEMENT_CURRENCY,NUMBER_OF_ITEMS,GROSS_TOTAL_AMOUNT,FEE_TOTAL_AMOUNT,NET_TOTAL_AMOUNT,TRANSFER_DATE,TRANSFER_ID,,,,,,,,,,,,,,,,,
        """
    static let details = """
        ROW_TYPE,MID,LOGIN,COUNTRY,CREATION_DATE,APPROVED_DATE,TRANSACTION_ID,DLOCAL_TRANSACTION_ID,LOCAL_AMOUNT,LOCAL_CURRENCY,FX_RATE,GROSS_AMOUNT,FEE_AMOUNT,NET_AMOUNT,PAYMENT_TYPE,PAYMENT_METHOD_CODE,CARD_BIN,CARD_TYPE,INSTALLMENTS,STATUS,STATUS_CODE,STATUS_DETAILS,USER_DOCUMENT,USER_EMAIL,DESCRIPTION
        """
    static let payment = """
        PAYMENT,648,MARK-login,Brazil,2026-07-30 14:02:11,2026-07-30 14:02:12,ORDER_12345,T-648-x1aaaa,120,BRL,5.4,22.222222,-0.55,21.672222,CARD,VI,MARK-bin,CREDIT,1,PAID,200,The payment was paid.,MARK-document,MARK@example.org,MARK-description
        """
    static let refund = """
        REFUND,648,MARK-login,Brazil,2026-08-01 09:15:00,2026-08-01 09:15:00,ORDER_12345,REF-648-x1bbbb,20,BRL,5.373134,-3.722222,0,-3.722222,CARD,VI,424242,CREDIT,1,SUCCESS,200,The refund was paid.,00000000000,buyer@example.org,
        """
    static let fee = "SETTLEMENT_FEE,648,,,,,,700001,0,,0,0,-10,-10,,,,,,,,,,,"

    /// The report of section 10.6 of dLocal's sheet.
    static func report(_ rows: [String] = [payment, refund, fee], net: String = "7.95", items: Int = 3) -> String {
        let head = "HEADER,USD,\(items),18.5,-10.55,\(net),2026-08-07,700001,,,,,,,,,,,,,,,,,"
        return ([header, head, details] + rows).joined(separator: "\n") + "\n"
    }
}
