import Foundation
import Postgres
import TestSupport
import Testing

@testable import Reporting

@Suite("Payouts, disputes and fees in a report")
struct SettlementReportTests {
    private func sample() throws -> Sample {
        let sample = try Sample()
        try sample.connection.execute(
            Sample.sql("add_transaction"),
            [
                .text("T1"), .text("2026-08-21T10:00:00Z"), .text("PAID"), .text("paid"), .text("taken"), .null,
            ])
        try sample.connection.script(Sample.sql("add_settlement"))
        return sample
    }

    @Test(
        "case 43: payouts.csv has the bridge of each payout of this account alone, with what its lines do not explain")
    func payouts() throws {
        let sample = try sample()
        let csv = try sample.text(try sample.publish(), "payouts.csv")
        #expect(csvColumn(csv, "payout_id") == ["'=PO-1<b>"])
        let bridge = ["amount", "gross", "fees", "other", "unexplained", "lines", "items", "origin"]
        #expect(
            bridge.map { csvColumn(csv, $0).first } == ["60.28", "80.00", "-2.45", "0.00", "-17.27", "2", "3", "file"])
        #expect(csvColumn(csv, "file") == ["'=report.csv"])
    }

    @Test("the page draws the bridge with its numbers as text, and escapes what comes from outside")
    func page() throws {
        let sample = try sample()
        let page = try sample.text(try sample.publish(), "index.html")
        let bridge = try #require(
            page.split(separator: "<table class=\"bridge\">").dropFirst().first?
                .split(separator: "</table>").first)
        let steps = bridge.split(separator: "<tr>").dropFirst().compactMap { row -> String? in
            guard let name = row.firstMatch(of: /<th scope="row">([^<]*)</),
                let value = row.firstMatch(of: /<data value="([^"]*)">([^<]*)</)
            else { return nil }
            return "\(name.1) \(value.1) \(value.2)"
        }
        #expect(
            steps == [
                "Gross 80.00 80.00", "Fees -2.45 −2.45", "Unexplained -17.27 −17.27", "Payout 60.28 60.28",
            ])
        #expect(page.contains("differs from its lines") && page.contains("=PO-1&lt;b&gt;"))
        #expect(!page.contains("OTHER"))
        let empty = try Sample()
        #expect(!(try empty.text(try empty.publish(), "index.html")).contains("id=\"payouts\""))
    }

    @Test("case 42: a fee that is not known yet is pending, not zero; known, it is summed")
    func fees() throws {
        let sample = try sample()
        #expect(try sample.text(try sample.publish(), "index.html").contains("1 pending"))
        let known = try self.sample()
        try known.connection.execute(
            "update tieout.transaction set fee_total = 0.59, fee_currency = 'EUR' where resource = 'transaction'")
        let page = try known.text(try known.publish(), "index.html")
        #expect(page.contains("none pending") && page.contains("<data value=\"0.59\">"))
        let parts = try self.sample()
        try parts.connection.execute(
            "update tieout.transaction set fee_network = 0.19, fee_provider = 0.4, fee_currency = 'EUR' where resource = 'transaction'"
        )
        let report = try parts.publish()
        let summed = try parts.text(report, "index.html")
        #expect(summed.contains("none pending") && summed.contains("<data value=\"0.59\">"))
        let (fees, rows) = (try parts.text(report, "fees.csv"), try parts.text(report, "transactions.csv"))
        #expect(csvColumn(fees, "pending") == ["0"] && csvColumn(fees, "fee_total") == ["0.59"])
        #expect(csvColumn(rows, "fee_total") == ["0.59"])
    }

    @Test(
        "disputes.csv has this account's disputes, neutral in a spreadsheet; transactions.csv says what they did to the payment"
    )
    func disputes() throws {
        let sample = try sample()
        let report = try sample.publish()
        let csv = try sample.text(report, "disputes.csv")
        #expect(csvColumn(csv, "dispute_id") == ["'=D-1"])
        #expect(csvColumn(csv, "amount") == ["10.00"] && csvColumn(csv, "transaction_id") == ["T1"])
        let transactions = try sample.text(report, "transactions.csv")
        #expect(csvColumn(transactions, "transaction_id") == ["T1"])
        #expect(csvColumn(transactions, "state") == ["disputed"])
        #expect(csvColumn(transactions, "disputed") == ["10.00"])
    }

    @Test("a report shows nothing of another account that lies in the same database")
    func otherAccount() throws {
        let sample = try sample()
        try sample.connection.script(
            "create temporary table copied as select * from tieout.transaction where resource = 'transaction'; "
                + "update copied set account_id = 2, transaction_id = 'FOREIGN'; "
                + "insert into tieout.transaction select * from copied")
        let report = try sample.publish()
        for file in report.files where file.name.hasSuffix(".csv") {
            #expect(!(try sample.text(report, file.name)).contains("FOREIGN"), "\(file.name)")
        }
    }
}
