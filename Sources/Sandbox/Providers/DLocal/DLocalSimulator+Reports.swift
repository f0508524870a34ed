import Payments

/// The cross-border settlement report, a file for each day on which something was transferred.
extension DLocalSimulator {
    func settlementFiles(night: Int) -> [(name: String, bytes: [UInt8])] {
        let until = source.shape.captureEnd(night)
        let since = night > 1 ? source.shape.captureEnd(night - 1) : WorldShape.firstDay
        let days = Dictionary(grouping: settlement.payouts.filter { $0.at > since && $0.at <= until }, by: \.at)
        return days.sorted { $0.key < $1.key }.map { at, payouts in
            (name(at), report(at, payouts))
        }
    }

    private func name(_ at: Timestamp) -> String {
        let day = at.utcDate.filter { $0 != "-" }
        return source.setting("report-name") == "merchant"
            ? "Example_Settlement_Reports_\(day).csv" : "example_cross_border_report_\(day)_190000.csv"
    }

    private static let heads = [
        "ROW_TYPE", "SETTLEMENT_CURRENCY", "NUMBER_OF_ITEMS", "GROSS_TOTAL_AMOUNT", "FEE_TOTAL_AMOUNT",
        "NET_TOTAL_AMOUNT", "TRANSFER_DATE", "TRANSFER_ID",
    ]
    private static let details = [
        "ROW_TYPE", "MID", "LOGIN", "COUNTRY", "CREATION_DATE", "APPROVED_DATE", "TRANSACTION_ID",
        "DLOCAL_TRANSACTION_ID", "LOCAL_AMOUNT", "LOCAL_CURRENCY", "FX_RATE", "GROSS_AMOUNT", "FEE_AMOUNT",
        "NET_AMOUNT", "PAYMENT_TYPE", "PAYMENT_METHOD_CODE", "CARD_BIN", "CARD_TYPE", "INSTALLMENTS", "STATUS",
        "STATUS_CODE", "STATUS_DETAILS", "USER_DOCUMENT", "USER_EMAIL", "DESCRIPTION",
    ]

    /// One row of the report, in dollars.
    private struct Row {
        let cells: [String]
        let gross: Amount
        let fee: Amount
    }

    /// Days since the first tell transfers apart.
    private func transfer(_ at: Timestamp) -> Int {
        700_000 + Int((at.microseconds - WorldShape.firstDay.microseconds) / 86_400_000_000)
    }

    var shortPayouts: [ShortPayout] {
        settlement.payouts.filter { !$0.shortfall.isZero }.map { payout in
            ShortPayout(
                id: String(transfer(payout.at)), at: payout.at, shortfall: payout.shortfall, currency: "USD")
        }
    }

    private func report(_ at: Timestamp, _ payouts: [Settlement.Payout]) -> [UInt8] {
        let transfer = transfer(at)
        // An inquiry takes nothing.
        var rows = payouts.flatMap { settlement.lines(of: $0) }.filter { line in
            line.kind != .chargeback || source.trades[line.trade].disputes[line.part].ended != nil
        }.map { row($0) }
        rows.append(fee(transfer))
        let gross = rows.reduce(Amount.zero) { $0 + $1.gross }
        let fees = rows.reduce(Amount.zero) { $0 + $1.fee }
        let head = [
            "HEADER", "USD", String(rows.count), gross.plain, fees.plain,
            payouts.reduce(gross + fees) { $0 - $1.shortfall }.plain, at.utcDate,
            String(transfer),
        ]
        var text: [UInt8] = []
        for cells in [Self.heads, head, Self.details] + rows.map(\.cells) { append(cells, to: &text) }
        return text
    }

    /// Rows are padded to the width of the widest.
    private func append(_ cells: [String], to text: inout [UInt8]) {
        let mark = source.setting("separator") == "semicolon" ? ";" : ","
        let padding = [String](repeating: "", count: Self.details.count - cells.count)
        text += Array((cells + padding).joined(separator: mark).utf8) + [10]
    }

    /// Local units for a dollar, in thousandths, and what of a dollar is left behind a tax on the exchange, in thousandths.
    private static func rate(_ currency: String) -> (thousandths: Int, kept: Int) {
        currency == "BRL" ? (5_400, 965) : (17_250, 1_000)
    }

    private func row(_ line: Settlement.Line) -> Row {
        let trade = source.trades[line.trade]
        let rate = Self.rate(line.currency)
        let gross = line.gross.scaled(by: rate.kept, over: rate.thousandths, digits: 6)
        let fee = line.kind == .charge ? -gross.scaled(by: 29, over: 1_000, digits: 6) : Amount.zero
        let isCard = ["CARD", "APPLE_PAY"].contains(trade.corridor.method)
        let local = line.gross < .zero ? -line.gross : line.gross
        return Row(
            cells: [
                type(of: line), String(Self.merchant), "fictitiousLogin", line.currency == "BRL" ? "Brazil" : "Mexico",
                WireTime.plain(trade.createdAt), WireTime.plain(line.at), trade.bookOrder, id(of: line, trade),
                local.plain, line.currency, Amount(rate.thousandths, digits: 3).plain, gross.plain, fee.plain,
                (gross + fee).plain, isCard ? "CARD" : trade.corridor.method, isCard ? "VI" : "PQ",
                isCard ? "424242" : "", isCard ? "CREDIT" : "", "1", Self.status(of: line.kind), "200",
                "The payment was paid.", "00000000191", "\(trade.customer.externalId)@example.org", "Ana Exemplo",
            ], gross: gross, fee: fee)
    }

    private func type(of line: Settlement.Line) -> String {
        switch line.kind {
        case .charge: authorizations[line.trade] == nil ? "PAYMENT" : "CAPTURE"
        case .refund: "REFUND"
        case .chargeback: "CHARGEBACK"
        case .chargebackReversal: "CHARGEBACK_REVERSAL"
        }
    }

    private static func status(of kind: Settlement.Kind) -> String {
        switch kind {
        case .charge: "PAID"
        case .refund: "SUCCESS"
        case .chargeback: "COMPLETED"
        case .chargebackReversal: "REVERSAL"
        }
    }

    /// Reports have short ids of their own, which the API does not know.
    private func id(of line: Settlement.Line, _ trade: Trade) -> String {
        let isShort = source.setting("report-ids") == "short"
        switch line.kind {
        case .charge: return isShort ? "T-\(Self.merchant)-\(short(trade.id))" : trade.id
        case .refund:
            let id = Self.refundID(line.part, trade, source)
            return isShort ? "R-\(Self.merchant)-\(short(id))" : id
        case .chargeback, .chargebackReversal:
            let id = Self.disputeID(line.part, trade, source)
            return isShort ? "C-\(Self.merchant)-\(short(id))" : id
        }
    }

    private func short(_ id: String) -> String {
        var random = source.randomness(45, id)
        return "x1" + Identifiers.hex(6, &random)
    }

    /// What the transfer itself costs.
    private func fee(_ transfer: Int) -> Row {
        let fee = Amount(-10, digits: 0)
        var cells = [String](repeating: "", count: Self.details.count)
        for (name, value) in [
            ("ROW_TYPE", "SETTLEMENT_FEE"), ("MID", String(Self.merchant)), ("DLOCAL_TRANSACTION_ID", String(transfer)),
            ("LOCAL_AMOUNT", "0"), ("FX_RATE", "0"), ("GROSS_AMOUNT", "0"), ("FEE_AMOUNT", "-10"),
            ("NET_AMOUNT", "-10"),
        ] {
            if let place = Self.details.firstIndex(of: name) { cells[place] = value }
        }
        return Row(cells: cells, gross: .zero, fee: fee)
    }
}
