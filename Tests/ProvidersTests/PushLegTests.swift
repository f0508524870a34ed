import JSON
import Payments
import Testing

@testable import Providers

@Suite("Push Cash: refunds, disputes, ledger")
struct PushLegTests {
    static let refund =
        #"{"id":"refund_1","intent_id":"\#(PushTests.intentID)","amount":1250,"currency":"USD","status":"approved","created_at":"2026-11-28T09:00:00.000Z"}"#
    static func dispute(_ status: String, _ code: String) -> String {
        #"{"id":"dispute_1","amount":5000,"currency":"USD","created_at":"2026-11-29T10:00:00.000Z","intent_id":"intent_1","code":"\#(code)","status":"\#(status)","type":"card_only"}"#
    }

    @Test("a refund returns its own amount, in part or whole, and names its intent; a declined one returns nothing")
    func refunds() throws {
        let mapped = try PushTests.map("refund", Self.refund)
        #expect(mapped.returned?.description == "12.5")
        #expect(mapped.chargedCurrency == "USD")
        #expect(mapped.charged == nil)
        #expect(mapped.parentID == PushTests.intentID)
        #expect(mapped.direction == .in)
        #expect((mapped.reading.state, mapped.money, mapped.reading.isFinal) == (.refunded, .returned, true))
        #expect(
            mapped.referenceTexts == [
                "push:order=\(PushTests.intentID)", "push:refund=refund_1", "push:transaction=\(PushTests.intentID)",
            ])
        #expect(mapped.unmappedPaths == [])
        let declined = try PushTests.map("refund", Self.refund.replacing("approved", with: "declined"))
        #expect((declined.reading.state, declined.money, declined.reading.isFinal) == (.declined, .none, true))
        for other in ["created", "pending", "settled", "canceled"] {
            let unknown = try PushTests.map("refund", Self.refund.replacing("approved", with: other))
            #expect((unknown.reading.state, unknown.money) == (.unknown, .unknown), "\(other)")
        }
    }

    @Test("a chargeback moves nothing until it is lost; a bank's return has taken the money back, won or lost")
    func disputes() throws {
        let rows: [(String, String, PaymentState, Bool, MoneyState)] = [
            ("created", "10.4", .disputed, false, .none), ("won", "10.4", .settled, true, .none),
            ("lost", "10.4", .disputed, true, .returned), ("created", "4837", .disputed, false, .none),
            ("created", "R01", .disputed, false, .returned), ("won", "R10", .settled, true, .returned),
            ("lost", "R85", .disputed, true, .returned), ("created", "R00", .disputed, false, .none),
            ("created", "R86", .disputed, false, .none), ("created", "R1", .disputed, false, .none),
            ("pending", "R01", .unknown, false, .unknown), ("approved", "10.4", .unknown, false, .unknown),
        ]
        for (status, code, state, isFinal, money) in rows {
            let mapped = try PushTests.map("dispute", Self.dispute(status, code))
            #expect(mapped.disputed?.description == "50")
            #expect(mapped.kind == code)
            #expect(mapped.parentID == "intent_1")
            #expect(
                (mapped.reading.state, mapped.reading.isFinal, mapped.money) == (state, isFinal, money),
                "\(status) \(code)")
            #expect(mapped.flags.contains("ach_return") == (PushMapping.isReturn(code)))
            #expect(mapped.unmappedPaths == [])
        }
        #expect(
            try PushTests.map("dispute", Self.dispute("won", "10.4")).referenceTexts == [
                "push:dispute=dispute_1", "push:order=intent_1", "push:transaction=intent_1",
            ])
    }

    @Test("a line of the ledger: gross and net are its signed amount, its day is the settlement's, no fee is known")
    func line() throws {
        let mapped = try PushTests.map("settlement_line", PushTests.ledgerLine)
        #expect(mapped.kind == "charge")
        #expect((mapped.charged?.description, mapped.delivered?.description) == ("50", "50"))
        #expect((mapped.chargedCurrency, mapped.deliveredCurrency) == ("USD", "USD"))
        #expect(mapped.feeTotal == nil)
        #expect(mapped.takenAt == Timestamp("2026-11-30T00:00:00Z"))
        #expect(mapped.parentID == PushTests.intentID)
        #expect((mapped.reading.state, mapped.money) == (.settling, .taken))
        #expect(
            mapped.referenceTexts == [
                "push:line=txn_demo0000000000000001", "push:order=\(PushTests.intentID)",
                "push:transaction=\(PushTests.intentID)",
            ])
        #expect(mapped.unmappedPaths == [])
        #expect(mapped.flags == [])
    }

    private static func ledger(_ members: String, amount: String = "-1500", status: String = "settled") -> String {
        #"{"id":"txn_2","amount":\#(amount),"currency":"USD","created_at":"2026-11-29T10:00:00.000Z","date":"2026-11-30","batch":null,"balance":"settlement","status":"\#(status)",\#(members)}"#
    }

    @Test("each kind of line, of both generations of the ledger")
    func kinds() throws {
        let rows: [(String, String, String, Direction, MoneyState, String)] = [
            (#""type":"intent","source_id":"intent_9""#, "-1500", "charge", .out, .delivered, "push:order=intent_9"),
            (#""type":"intent","source_id":"intent_9""#, "1500", "charge", .in, .taken, "push:order=intent_9"),
            (#""type":"refund","source_id":"refund_9""#, "-1500", "refund", .in, .returned, "push:refund=refund_9"),
            (#""type":"intent","source_id":"refund_9""#, "-1500", "refund", .in, .returned, "push:refund=refund_9"),
            (
                #""type":"dispute","source_id":"dispute_9""#, "-1500", "chargeback", .in, .unknown,
                "push:dispute=dispute_9"
            ),
            (
                #""type":"intent","source_id":"dispute_9""#, "-1500", "chargeback", .in, .unknown,
                "push:dispute=dispute_9"
            ),
            (
                #""type":"dispute","source_id":"dispute_9""#, "1500", "chargeback_reversal", .in, .unknown,
                "push:dispute=dispute_9"
            ),
            (
                #""type":"transfer","source_id":"transfer_9""#, "-700284", "transfer", .in, .none,
                "push:payout=transfer_9"
            ),
            (#""type":"unreconciled","source_id":null"#, "-12", "other", .in, .unknown, "push:line=txn_2"),
            (#""type":"rebate","source_id":null"#, "12", "rebate", .in, .unknown, "push:line=txn_2"),
            (
                #""type":"intent","source_id":"intent_9","transfer_id":"transfer_8""#, "1500", "charge", .in, .taken,
                "push:payout=transfer_8"
            ),
        ]
        for (members, amount, kind, direction, money, reference) in rows {
            let mapped = try PushTests.map("settlement_line", Self.ledger(members, amount: amount))
            #expect(mapped.kind == kind, "\(members)")
            #expect(mapped.direction == direction, "\(members)")
            #expect((mapped.reading.state, mapped.money) == (.settled, money), "\(members)")
            #expect(mapped.referenceTexts.contains(reference), "\(members)")
            #expect(mapped.flags.contains("type_unknown") == (kind == "rebate"))
            #expect((mapped.parentID == nil) == (kind != "charge"))
        }
        let unknown = try PushTests.map(
            "settlement_line", Self.ledger(#""type":"refund","source_id":"refund_9""#, status: "approved"))
        #expect(unknown.reading.state == .unknown)
    }

    @Test("trap 5: what either its sign or its direction calls a debit is one")
    func signs() throws {
        func amount(_ amount: String, _ direction: String) throws -> (String?, Bool) {
            let text = Self.ledger(#""type":"unreconciled","direction":"\#(direction)""#, amount: amount)
            let mapped = try PushTests.map("settlement_line", text)
            return (mapped.delivered?.description, mapped.flags.contains("sign_differs"))
        }
        #expect(try amount("-100", "debit") == ("-1", false))
        #expect(try amount("100", "credit") == ("1", false))
        #expect(try amount("100", "debit") == ("-1", true))
        #expect(try amount("-100", "credit") == ("-1", true))
        #expect(
            throws: RowFault(
                "direction: neither credit nor debit", recordID: "txn_2",
                references: [try #require(Reference("push:line", "txn_2"))])
        ) {
            try amount("1", "sideways")
        }
    }

    static let transfer =
        #"{"id":"transfer_demo0000000000001","amount":3500,"currency":"USD","direction":"credit","created_at":"2026-11-30T21:00:00.000Z","date":"2026-11-30","transactions":[\#(PushTests.ledgerLine.replacing("pending", with: "settled")),{"id":"txn_demo0000000000000002","amount":-1500,"currency":"USD","created_at":"2026-11-29T10:00:00.000Z","date":"2026-11-30","batch":"400001","account_id":"account_demo0000000000000001","type":"intent","source_id":"intent_sandbox_CcCdEfGhIjKlMnOpQrStUv","status":"settled","direction":"debit"}],"account":\#(PushTests.account)}"#

    @Test("the sheet's transfer names its lines; its own offsetting line is none of them")
    func transfers() throws {
        let mapped = try PushTests.map("payout", Self.transfer)
        #expect(mapped.delivered?.description == "35")
        #expect(mapped.deliveredCurrency == "USD")
        #expect(mapped.takenAt == Timestamp("2026-11-30T00:00:00Z"))
        #expect((mapped.reading.state, mapped.money, mapped.rawStatus) == (.settled, .none, ""))
        let names = [
            "push:line=txn_demo0000000000000001", "push:line=txn_demo0000000000000002",
            "push:payout=transfer_demo0000000000001",
        ]
        #expect(mapped.referenceTexts == names)
        #expect(mapped.unmappedPaths == [])
        let offset =
            #"{"id":"txn_demo0000000000000003","amount":-3500,"type":"transfer","source_id":"transfer_demo0000000000001"},{"id":"txn_demo0000000000000002""#
        let old = Self.transfer.replacing(#"{"id":"txn_demo0000000000000002""#, with: offset)
        #expect(try PushTests.map("payout", old).referenceTexts == names)
        let debit = Self.transfer.replacing(
            #""direction":"credit","created_at":"2026-11-30T21"#,
            with: #""direction":"debit","created_at":"2026-11-30T21"#)
        #expect(try PushTests.map("payout", debit).delivered?.description == "-35")
        for (word, state) in [
            ("created", PaymentState.settling), ("submitted", .settled), ("failed", .failed), ("lost", .unknown),
        ] {
            let text = Self.transfer.replacing(
                #""date":"2026-11-30","transactions""#, with: #""status":"\#(word)","date":"2026-11-30","transactions""#
            )
            #expect(try PushTests.map("payout", text).reading.state == state)
        }
    }

    @Test("a field of another type, or a missing one, costs its row and names the path; the payment stays known")
    func faults() throws {
        func fault(_ resource: String, _ text: String) -> String? {
            do {
                _ = try PushTests.map(resource, text)
                return nil
            } catch {
                return (error as? RowFault)?.reason
            }
        }
        func with(_ from: String, _ to: String) -> String { PushTests.intent.replacing(from, with: to) }
        let rows = [
            (
                with(#""amount":5000,"currency":"USD","guarantee"#, #""amount":"50.00","currency":"USD","guarantee"#),
                "type_changed: amount int->string"
            ),
            (
                with(#""amount":5000,"currency":"USD","guarantee"#, #""amount":50.25,"currency":"USD","guarantee"#),
                "amount: not a whole number of cents"
            ),
            (
                with(
                    #""amount":5000,"currency":"USD","guarantee"#,
                    #""amount":{"cents":5000},"currency":"USD","guarantee"#), "type_changed: amount int->object"
            ),
            (
                with(#""amount":5000,"currency":"USD","guarantee"#, #""amount":null,"currency":"USD","guarantee"#),
                "missing: amount"
            ),
            (with(#""currency":"USD","guarantee"#, #""currency":null,"guarantee"#), "missing: currency"),
            (
                with(#""currency":"USD","guarantee"#, #""currency":"XQQ","guarantee"#),
                "currency: how many digits its amounts have is not known"
            ),
            (with(#""direction":"cash_in""#, #""direction":"sideways""#), "direction: neither cash_in nor cash_out"),
            (with(#""direction":"cash_in","#, ""), "missing: direction"),
            (with(#""status":"approved""#, #""status":7"#), "type_changed: status string->number"),
            (with(#""created_at":"2026-11-27T18:04:05.123Z""#, #""created_at":"yesterday""#), "created_at: not a time"),
            (with(#""refund":null"#, #""refund":"refund_1""#), "type_changed: refund object->string"),
            (
                with(#""transactions":["#, #""transactions":{"a":["#).replacing(
                    #"}],"dispute":null"#, with: #"}]},"dispute":null"#), "type_changed: transactions array->object"
            ),
            (with(#""rail":"card""#, #""rail":["card"]"#), "type_changed: rail string->array"),
        ]
        for (text, reason) in rows { #expect(fault("transaction", text) == reason) }
        #expect(
            fault("settlement_line", PushTests.ledgerLine.replacing("2026-11-30", with: "30.11.2026"))
                == "date: not a date")
        #expect(fault("refund", Self.refund.replacing("1250", with: "12.5")) == "amount: not a whole number of cents")
        #expect(
            fault("payout", Self.transfer.replacing(#""transactions":["#, with: #""transactions":["txn_1","#))
                == "type_changed: transactions[] object->string")
        do {
            _ = try PushTests.map("transaction", rows[0].0)
        } catch let fault as RowFault {
            #expect(fault.recordID == PushTests.intentID)
            #expect(fault.references.map(\.description).contains("book:order=ord-1001"))
        }
        // Exponents and zeros behind the point are the same whole number.
        for text in ["5e3", "5000.0", "50E+2"] {
            let same = with(
                #""amount":5000,"currency":"USD","guarantee"#, #""amount":\#(text),"currency":"USD","guarantee"#)
            #expect(try PushTests.map("transaction", same).charged?.description == "50")
        }
    }
}
