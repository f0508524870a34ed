import Loading
import Payments
import Postgres
import Testing

@Suite("Settlement files in the canonical form")
struct CanonicalFileTests {
    let fixture: SettlementFixture
    init() throws { fixture = try SettlementFixture() }

    static let header =
        "settlement_id,payout_id,reference,type,gross,fee,tax,other,net,currency,transaction_amount,transaction_currency,fx_rate,settled_on,segment"

    private func file(_ rows: String...) -> String { ([Self.header] + rows).joined(separator: "\n") + "\n" }

    @Test("case 44: gross, fee and net are kept apart, and a plain reference may be the order's or the provider's")
    func fields() throws {
        try fixture.load(file("S-1,PO-1,A-17,charge,3537.64,-77.12,,,3460.52,EUR,,,,2026-08-07,"))
        #expect(try fixture.lines() == ["S-1|charge|3537.64|-77.12|3460.52|EUR"])
        #expect(
            try fixture.files.rows("refs, payout_id, state) from tieout.settlement_line")
                == ["{book:order=A-17,dlocal:transaction=A-17}|PO-1|settled"])
    }

    @Test(
        "case 60: references compare composed, in UTF-8 and in windows-1252 as declared; some lines stand before the header"
    )
    func encodings() throws {
        let row = "S-1,,Zoë,charge,10,,,,,EUR,,,,2026-08-07,"
        try fixture.load(file(row.replacing("ë", with: "e\u{308}")))
        let refs = try fixture.files.rows("refs[1]) from tieout.settlement_line")
        #expect(refs == ["book:order=Zoë"])
        let latin =
            Array("Bericht\r\nKonto;1\r\n\r\n\r\n".utf8)
            + Array(file(row).replacing("\n", with: "\r\n").utf8.prefix(while: { $0 < 0x80 })) + [0xEB]
            + Array(",charge,10,,,,,EUR,,,,2026-08-07,\r\n".utf8)
        var options = SettlementOptions(source: "dlocal-live")
        options.encoding = "windows-1252"
        #expect(try fixture.load(latin, name: "latin.csv", hours: 1, options).changed == 1)
        #expect(try fixture.files.rows("refs[1]) from tieout.settlement_line") == refs)
    }

    @Test("case 60: German names of columns are declared; a file of which no row comes is an error")
    func names() throws {
        var options = SettlementOptions(source: "dlocal-live")
        options.columns = ["settled_on": "Buchungsdatum", "net": "Betrag", "type": "Art", "currency": "Währung"]
        options.decimal = .comma
        let text =
            "\u{FEFF}\"Kontoauszug\"\r\n\r\n\"Buchungsdatum\";\"Art\";\"Betrag\";\"Währung\"\r\n\"07.08.2026\";\"charge\";\"1.234,50\";\"EUR\"\r\n"
        try fixture.load(text, options)
        #expect(
            try fixture.files.rows("net, settled_at = '2026-08-07Z') from tieout.settlement_line") == ["1234.50|t"])
        #expect(try fixture.fault(text + "\n").hasPrefix("report.csv: no header of a settlement file"))
        #expect(try fixture.fault("") == "report.csv: the file is empty")
        #expect(try fixture.fault(Self.header + "\n,,,,\n") == "report.csv: the file holds a header, but no record")
    }

    @Test("a row that cannot be read costs itself, and says which column; the same row again is not two")
    func rows() throws {
        let good = "S-1,,A,charge,10,,,,10,EUR,,,,2026-08-07,"
        let outcome = try fixture.load(
            file(
                good, good, "S-2,,B,charge,12.3.4,,,,,EUR,,,,2026-08-07,", "S-3,,C,,1,,,,,EUR,,,,2026-08-07,",
                "S-4,,D,charge,1,,,,,,,,,2026-08-07,", "S-5,,E,charge,,,,,,EUR,,,,2026-02-30,", "S-6,,F,charge"))
        #expect(outcome.new == 1 && outcome.duplicates == 1 && outcome.quarantined == 5)
        #expect(
            try fixture.files.rows("place, reason, record_id) from tieout.quarantine order by place") == [
                "report.csv:4|gross: not a number|S-2", "report.csv:5|type: missing|S-3",
                "report.csv:6|currency: missing|S-4", "report.csv:7|net: missing; settled on: not a date|S-5",
                "report.csv:8|fields: 4 where the header has 15",
            ])
        #expect(
            try fixture.files.rows("source_id, feed) from tieout.quarantine group by 1, source_id, feed").count == 1)
    }

    @Test("an id that stands for a whole settlement tells lines by type and reference too")
    func sharedID() throws {
        try fixture.load(
            file(
                "B-1,PO,A,charge,4000,-120,,,,JPY,,,,2026-08-07,", "B-1,PO,A,charge,4000,-125,,,,JPY,,,,2026-08-07,",
                "B-1,PO,,fee,,-1727,,,,JPY,,,,2026-08-07,"))
        #expect(try fixture.files.rows("count(*), sum(net)) from tieout.settlement_line") == ["3|6028"])
        #expect(
            Set(try fixture.files.rows("line_id) from tieout.settlement_line"))
                == ["B-1/charge/A", "B-1/charge/A#2", "B-1/fee"])
    }

    @Test(
        "case 70: the same name in two accounts is two files; corrected, it supersedes as version 2, and both are kept")
    func corrected() throws {
        let name = "settlement_detail_report_batch_12.csv"
        let first = file("S-1,PO,A,charge,10,,,,,EUR,,,,2026-08-07,", "S-2,PO,B,charge,20,,,,,EUR,,,,2026-08-07,")
        let second = file("S-1,PO,A,charge,11,,,,,EUR,,,,2026-08-07,", "S-3,PO,C,charge,30,,,,,EUR,,,,2026-08-07,")
        try fixture.load(first, name: name)
        #expect(try fixture.load(first, name: name, hours: 1).skippedFiles == 1)
        try fixture.load(first, name: name, hours: 2, SettlementOptions(source: "dlocal-two"))
        let outcome = try fixture.load(second, name: name, hours: 3)
        #expect(outcome.new == 1 && outcome.changed == 1 && outcome.superseded == 1)
        let current = "source_id, line_id, gross) from tieout.settlement_line order by 1"
        #expect(
            try fixture.files.rows(current) == [
                "dlocal-live|S-1|11", "dlocal-live|S-3|30", "dlocal-two|S-1|10", "dlocal-two|S-2|20",
            ])
        #expect(
            try fixture.files.rows("line_id, gross) from tieout.settlement_line_history order by 1")
                == ["S-1|10", "S-2|20"])
        #expect(
            try fixture.files.rows("version, count(*)) from tieout.loaded_file group by version order by version") == [
                "1|2", "2|1",
            ])
        // What was loaded before stays a no-op, though another version came since.
        #expect(
            try fixture.load(first, name: name, hours: 4, SettlementOptions(source: "dlocal-two")).skippedFiles == 1)
    }

    @Test("a line that another file lists too is not gone when one of them drops it")
    func overlapping() throws {
        let both = "S-1,PO,A,charge,10,,,,,EUR,,,,2026-08-07,"
        try fixture.load(file(both, "S-2,PO,B,charge,1,,,,,EUR,,,,2026-08-07,"), name: "monday.csv")
        try fixture.load(file(both), name: "tuesday.csv", hours: 1)
        #expect(
            try fixture.load(file("S-2,PO,B,charge,1,,,,,EUR,,,,2026-08-07,"), name: "monday.csv", hours: 2).superseded
                == 0)
        #expect(try fixture.files.count("settlement_line") == 2)
        #expect(
            try fixture.load(file("S-3,PO,B,charge,1,,,,,EUR,,,,2026-08-07,"), name: "tuesday.csv", hours: 3).superseded
                == 1)
        #expect(try fixture.files.rows("line_id) from tieout.settlement_line order by 1") == ["S-2", "S-3"])
    }

    @Test("a version that was written earlier and comes late changes nothing that holds")
    func late() throws {
        var newer = SettlementOptions(source: "dlocal-live")
        newer.exportedAt = Timestamp("2026-08-10T12:00:00Z")
        var older = newer
        older.exportedAt = Timestamp("2026-08-09T12:00:00Z")
        try fixture.load(file("S-1,PO,A,charge,11,,,,,EUR,,,,2026-08-07,"), newer)
        let outcome = try fixture.load(
            file("S-1,PO,A,charge,10,,,,,EUR,,,,2026-08-07,", "S-2,PO,B,charge,1,,,,,EUR,,,,2026-08-07,"), hours: 1,
            older)
        #expect(outcome.late == 2)
        #expect(try fixture.lines() == ["S-1|charge|11||11|EUR"].map { $0.replacing("||", with: "|") })
        #expect(try fixture.files.count("settlement_line_history") == 2)
    }

    @Test("a row of a source that is configured later is taken in when its file is read again")
    func again() throws {
        let text = file("S-1,PO,A,charge,10,,,,,EUR,,,,2026-08-07,")
        #expect(try fixture.load(text, SettlementOptions(source: "late")).quarantined == 1)
        try fixture.connection.script(
            "insert into tieout.source (account_id, source_id, provider, environment) values (1, 'late', 'dlocal', 'live')"
        )
        let path = try fixture.files.write(text, to: "report.csv")
        let context = fixture.files.context(hours: 2)
        let list = QuarantineList(connection: fixture.connection, account: 1, sql: context.sql)
        let outcome = try FileRetry(context, fixture.connection, feed: .settlement, source: "late")
            .run(try list.entries(), paths: [path], stop: StopFlag()) { path, moment in
                _ = try SettlementLoader(context, fixture.connection)
                    .load(path: path, options: SettlementOptions(source: "late", exportedAt: moment), again: true)
            }
        #expect(outcome.reasons.isEmpty)
        #expect(try list.entries().isEmpty)
        #expect(try fixture.files.count("settlement_line") == 1)
    }
}
