import Loading
import Payments
import Postgres
import Testing

@Suite("dLocal's reports")
struct DLocalReportTests {
    let fixture: SettlementFixture
    init() throws { fixture = try SettlementFixture() }

    private static let lines = [
        "700001/PAYMENT/T-648-x1aaaa|charge|22.222222|-0.55|21.672222|USD",
        "700001/REFUND/REF-648-x1bbbb|refund|-3.722222|0|-3.722222|USD",
        "700001/SETTLEMENT_FEE/700001|fee|0|-10|-10|USD",
    ]

    @Test("a settlement report gives its payout and its lines, exact, with the amounts of the transaction")
    func settlement() throws {
        let outcome = try fixture.load(SettlementFixture.report())
        #expect(outcome.new == 4 && outcome.records == 4)
        #expect(try fixture.lines() == Self.lines)
        #expect(
            try fixture.files.rows(
                "payout_id, amount, currency, paid_at = '2026-08-07Z', items, flags) from tieout.payout")
                == ["700001|7.95|USD|t|3|{}"])
        #expect(
            try fixture.files.rows(
                "transaction_amount, transaction_currency, refs, payout_id, settled_at = '2026-08-07Z') from tieout.settlement_line order by line_id"
            ) == [
                "120|BRL|{book:order=ORDER_12345,dlocal:transaction=T-648-x1aaaa}|700001|t",
                "-20|BRL|{book:order=ORDER_12345,dlocal:refund=REF-648-x1bbbb}|700001|t", "{}|700001|t",
            ])
        #expect(
            try fixture.files.rows(
                "covered_from = '2026-08-07Z', watermark = '2026-08-08Z', records) from tieout.feed_state where feed = 'settlement'"
            ) == ["t|t|4"])
    }

    @Test("nothing personal of a report is stored: login, card, document, e-mail and description stay in the file")
    func personal() throws {
        let bad = SettlementFixture.payment.replacing("22.222222", with: "MARK?").replacing("x1aaaa", with: "x1cccc")
        try fixture.load(SettlementFixture.report([SettlementFixture.payment, bad]))
        for table in ["settlement_line", "payout", "quarantine", "settlement_listing", "loaded_file"] {
            let rows = try fixture.files.rows("to_jsonb(t)::text) from tieout.\(table) t")
            #expect(!rows.isEmpty && rows.allSatisfy { !$0.contains("MARK") }, "\(table)")
        }
    }

    /// A row whose TRANSACTION_ID is an orchestrator's and whose description is `text`.
    private func orchestrated(_ text: String, id: String = "ORCH-998877") -> String {
        SettlementFixture.payment.replacing("ORDER_12345", with: id).replacing("MARK-description", with: text)
    }

    private func book(_ order: String) throws {
        try fixture.connection.execute(
            "insert into tieout.book_order (account_id, order_id, source_id, run_id, observed_at, request_started_at, version_time, state_rank, status, direction, amount, currency, created_at, refs, file_digest, line_no, content_hash) values (1, $1, 'dlocal-live', 1, '2026-07-30Z', '2026-07-30Z', '2026-07-30Z', 1, 'credited', 'in', 120, 'BRL', '2026-07-30Z', array['book:order=' || $1], '\\x00', 1, '\\x00')",
            [.text(order)])
    }

    private func refs() throws -> [String] {
        try fixture.files.rows("refs) from tieout.settlement_line order by line_id")
    }

    @Test(
        "a row of an orchestrator names its order in the description, where that is an order of the book",
        arguments: ["d-orch", "\"d-orch\"", " d-orch"])
    func orchestratedRow(text: String) throws {
        try book("d-orch")
        try fixture.load(SettlementFixture.report([orchestrated(text)]))
        let found = text == " d-orch" ? "" : "book:order=d-orch,"
        #expect(
            try refs() == [
                "{book:order=ORCH-998877,\(found)dlocal:transaction=T-648-x1aaaa}"
            ])
        // A corrected file reads it the same, though the line itself is known by now.
        try fixture.load(
            SettlementFixture.report([orchestrated(text).replacing("-0.55,21.672222", with: "-0.45,21.772222")]),
            hours: 1)
        #expect(try refs() == ["{book:order=ORCH-998877,\(found)dlocal:transaction=T-648-x1aaaa}"])
    }

    @Test(
        "a description is no order's id by chance: not of a row that names an order, nor one that nobody knows, nor a name"
    )
    func chance() throws {
        for order in ["d-orch", "ORDER_12345", "Maria"] { try book(order) }
        let rows = [
            orchestrated("d-orch", id: "ORDER_12345"), orchestrated("d-other"), orchestrated("Maria"),
            orchestrated("order d-orch"), orchestrated("\u{7}bell"),
        ].enumerated().map { $1.replacing("x1aaaa", with: "x\($0)") }
        #expect(try fixture.load(SettlementFixture.report(rows)).quarantined == 0)
        #expect(
            try refs()
                == (0..<5).map {
                    "{book:order=\($0 == 0 ? "ORDER_12345" : "ORCH-998877"),dlocal:transaction=T-648-x\($0)}"
                })
    }

    @Test(
        "case 60: semicolons, CRLF, a byte-order mark, lines before the header and rows without padding read the same",
        arguments: [0, 1, 2, 3, 4])
    func shapes(_ shape: Int) throws {
        var text = SettlementFixture.report()
        switch shape {
        case 0: text = text.replacing(",", with: ";")
        case 1: text = "\u{FEFF}" + text.replacing("\n", with: "\r\n")
        case 2: text = "Cross-border report\nMerchant: Acme, Inc.\n\n,,,,\n" + text
        case 3:
            text = text.split(separator: "\n").map { line in
                var line = line
                while line.last == "," { line.removeLast() }
                return String(line)
            }.joined(separator: "\n")
        default:
            text = text.split(separator: "\n").map { "\"" + $0.replacing(",", with: "\",\"") + "\"" }.joined(
                separator: "\n")
        }
        #expect(try fixture.load(text).new == 4)
        #expect(try fixture.lines() == Self.lines)
    }

    @Test("amounts with a comma are read where that was declared, and refused where not")
    func comma() throws {
        let text = SettlementFixture.report().replacing(",", with: ";").replacing(".", with: ",")
        // The fee of -10 is a plain number.
        #expect(try fixture.load(text).quarantined == 3)
        #expect(try fixture.files.count("settlement_line") == 1)
        var options = SettlementOptions(source: "dlocal-live")
        options.decimal = .comma
        try fixture.load(text + "\n", hours: 1, options)
        #expect(try fixture.lines() == Self.lines)
        #expect(try fixture.files.rows("state, count(*)) from tieout.quarantine group by state") == ["cleared|3"])
    }

    @Test("case 18: a row type that nobody modelled is kept as it came, unclassified, and stops nothing")
    func unknownType() throws {
        let strange = "CLIMATE_ORDER_PURCHASE,648,,,,,,X-1,0,,0,-10,0,-10,,,,,,,,,,,"
        let outcome = try fixture.load(SettlementFixture.report([SettlementFixture.payment, strange]))
        #expect(outcome.unknownStatuses == 1 && outcome.new == 3)
        #expect(
            try fixture.files.rows(
                "type_word, kind, flags, trim_scale(net)) from tieout.settlement_line where kind = 'other'")
                == ["CLIMATE_ORDER_PURCHASE|other|{type_unknown}|-10"])
    }

    @Test("a head whose totals are not those of its rows says what differs")
    func heads() throws {
        try fixture.load(SettlementFixture.report([SettlementFixture.payment, SettlementFixture.refund]))
        #expect(
            try fixture.files.rows("flags) from tieout.payout") == ["{fees_differ,items_differ,net_differs}"])
        try fixture.load(SettlementFixture.report(), name: "corrected.csv", hours: 1)
        #expect(try fixture.files.rows("flags) from tieout.payout") == ["{}"])
    }

    @Test(
        "a refund without its sign gets it where the head is right only then, and not where the head is right already")
    func signs() throws {
        let unsigned = SettlementFixture.refund.replacing("-3.722222", with: "3.722222")
        try fixture.load(SettlementFixture.report([SettlementFixture.payment, unsigned, SettlementFixture.fee]))
        #expect(try fixture.lines() == Self.lines)
        try fixture.load(
            SettlementFixture.report([SettlementFixture.payment, unsigned, SettlementFixture.fee], net: "15.39"),
            hours: 1)
        #expect(try fixture.lines()[1] == "700001/REFUND/REF-648-x1bbbb|refund|3.722222|0|3.722222|USD")
    }

    @Test("a head in whole yen is right within a yen, for the signs as for the sums")
    func yen() throws {
        try fixture.connection.script("insert into tieout.currency (code, name, exponent) values ('JPY', 'Yen', 0)")
        let unsigned = SettlementFixture.refund.replacing("-3.722222", with: "3.722222")
        let rows = [SettlementFixture.payment, unsigned, SettlementFixture.fee]
        let report = SettlementFixture.report(rows, net: "8").replacing(
            "HEADER,USD,3,18.5,-10.55", with: "HEADER,JPY,3,18,-11")
        try fixture.load(report)
        #expect(try fixture.lines()[1] == "700001/REFUND/REF-648-x1bbbb|refund|-3.722222|0|-3.722222|JPY")
        #expect(try fixture.files.rows("flags) from tieout.payout") == ["{}"])
        // Twin: a head that is a yen and a half off proves nothing.
        try fixture.load(report.replacing("-11,8,", with: "-11,9.5,"), hours: 1)
        #expect(try fixture.lines()[1] == "700001/REFUND/REF-648-x1bbbb|refund|3.722222|0|3.722222|JPY")
    }

    @Test("several payouts in one file, and rows of one key, are told apart")
    func blocks() throws {
        let second = SettlementFixture.report([SettlementFixture.fee, SettlementFixture.fee], net: "-20", items: 2)
            .replacing("700001", with: "700002").replacing("18.5,-10.55", with: "0,-20")
        #expect(try fixture.load(SettlementFixture.report() + second).new == 7)
        #expect(
            try fixture.files.rows(
                "line_id, trim_scale(net)) from tieout.settlement_line where payout_id = '700002' order by line_id")
                == ["700002/SETTLEMENT_FEE/700002|-10", "700002/SETTLEMENT_FEE/700002#2|-10"])
        #expect(
            try fixture.files.rows("payout_id, flags) from tieout.payout order by 1") == ["700001|{}", "700002|{}"])
    }

    @Test("the older daily report: amounts get their signs, cancelled and waiting rows their states")
    func daily() throws {
        let text = """
            Type;"Creation date";"Settlement date";Reference;Invoice;Country;"Payment Method";"Payment Method Type";"Net Amount (local)";"Amount (USD)";currency;Status;"User Mail";"Transaction Reference";"Transaction Invoice";Fee;IOF
            Payment;2026-08-01 10:00:00;2026-08-05;P-1;A-17;Brazil;VI;CARD;120.00;22.10;BRL;Cleared;a@b.example;;;0.55;0.08
            Refund;2026-08-02 10:00:00;2026-08-05;R-1;X-1;Brazil;VI;CARD;20.00;3.70;BRL;Reimbursed;a@b.example;P-1;A-17;0;0
            "Chargeback processing fee";2026-08-02 10:00:00;2026-08-05;F-1;;Brazil;;;0;15;BRL;Settled;;;;0;0
            Payment;2026-08-03 10:00:00;;P-2;A-18;Brazil;VI;CARD;50;9.20;BRL;"In process";;;;0.2;0

            """
        #expect(try fixture.load(text).new == 4)
        #expect(
            try fixture.files.rows(
                "kind, state, trim_scale(gross), trim_scale(fee), trim_scale(net), trim_scale(transaction_amount), refs) from tieout.settlement_line order by line_no"
            ) == [
                "charge|settled|22.1|-0.55|21.55|120|{book:order=A-17,dlocal:transaction=P-1}",
                "refund|settled|-3.7|0|-3.7|-20|{book:order=A-17,book:order=X-1,dlocal:refund=R-1}",
                "fee|settled|-15|0|-15|0|{}",
                "charge|settling|9.2|-0.2|9|50|{book:order=A-18,dlocal:transaction=P-2}",
            ])
    }
}
