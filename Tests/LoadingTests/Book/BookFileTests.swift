import Loading
import Payments
import Testing

@Suite("Shapes of book files")
struct BookFileTests {
    let fixture: FileFixture
    static let header = "order_id,source,status,amount,currency,created_at"
    static let row = "A-1,meld-live,paid,1,EUR,2026-08-10T12:00:00Z"

    init() throws { fixture = try FileFixture() }

    private func load(_ bytes: [UInt8], _ options: BookOptions = BookOptions()) throws -> LoadOutcome {
        let path = try fixture.write(bytes, to: "orders.csv")
        return try BookLoader(fixture.context(), fixture.connection).load(path: path, options: options)
    }

    private func fault(_ text: String, _ options: BookOptions = BookOptions()) throws -> String {
        do {
            _ = try load(Array(text.utf8), options)
            return "loaded"
        } catch let fault as LoadFault {
            return fault.message
        }
    }

    @Test("case 60: a byte-order mark, CRLF, semicolons or tabs, quoted names and no last line end all load")
    func shapes() throws {
        let tab = (Self.header + "\r\n" + Self.row).replacing(",", with: "\t")
        #expect(try load(Array("\u{FEFF}\(Self.header)\r\n\(Self.row)\r\n".utf8)).new == 1)
        #expect(
            try load(
                Array("\"Order_ID\";source;status;amount;currency;created_at\r".utf8)
                    + Array(Self.row.replacing(",", with: ";").utf8)
            ).unchanged == 1)
        #expect(try load(Array(tab.utf8)).unchanged == 1)
    }

    @Test("case 60: windows-1252 is read as declared; undeclared, the row goes to quarantine")
    func encodings() throws {
        let text = Array("\(Self.header),note\nA-1,meld-live,paid,1,EUR,2026-08-10T12:00:00Z,Zo".utf8) + [0xEB, 0x0A]
        let undeclared = try load(text)
        #expect(undeclared.quarantined == 1)
        #expect(try fixture.rows("reason) from tieout.quarantine") == ["encoding: not UTF-8"])
        let declared = try load(text + [0x0A], BookOptions(encoding: "windows-1252"))
        #expect(declared.new == 1)
        #expect(try fixture.rows("extra->>'note') from tieout.book_order") == ["Zoë"])
    }

    @Test("case 60: no record in a file that is not empty is an error, and so is no header")
    func noRows() throws {
        #expect(try fault("\(Self.header)\n\n") == "orders.csv: the file holds a header, but no record")
        #expect(try fault("") == "orders.csv: the file has no header row")
        #expect(try fixture.count("loaded_file") == 0)
    }

    @Test("a header that cannot be used is refused, naming file and column")
    func headers() throws {
        #expect(
            try fault("order_id,source,status,amount,created_at\n") == "orders.csv: the header has no column currency")
        #expect(try fault("\(Self.header),Amount\n") == "orders.csv: the header names the column Amount twice")
        #expect(try fault("\(Self.header),note,note\n") == "orders.csv: the header names the column note twice")
        #expect(try fault("\(Self.header),\n") == "orders.csv: column 7 of the header has no name")
    }

    @Test("a source given from outside stands for rows that name none, and needs no column")
    func baseSource() throws {
        let text = "order_id,status,amount,currency,created_at\nA-1,paid,1,EUR,2026-08-10T12:00:00Z\n"
        #expect(try fault(text) == "orders.csv: the header has no column source")
        #expect(try load(Array(text.utf8), BookOptions(baseSource: "meld-live")).new == 1)
    }

    @Test("a quote that is never closed refuses the file and says where it opened")
    func openQuote() throws {
        #expect(
            try fault("\(Self.header),note\n\(Self.row),\"oops\n\(Self.row),\n")
                == "orders.csv:2: a quote is opened and never closed")
        #expect(try fixture.count("book_order") == 0)
    }

    @Test("the lines of a copy's end mark and of quotes within fields are data")
    func endMark() throws {
        let outcome = try load(Array("\(Self.header),note\n\\.\n\(Self.row),\"say \"\"a;b,c\"\"\"\n".utf8))
        #expect(outcome.quarantined == 1)
        #expect(outcome.new == 1)
        #expect(try fixture.rows("extra->>'note') from tieout.book_order") == ["say \"a;b,c\""])
    }
}
