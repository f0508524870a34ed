import Payments
import Testing

@testable import Providers

@Suite("Mercuryo, its statuses")
struct MercuryoStatusTests {
    struct Expectation: Sendable, CustomTestStringConvertible {
        /// `mobile_pay paid + withdraw completed`
        let operations: String
        let state: PaymentState
        let money: MoneyState
        let isFinal: Bool
        var raw: String?
        var more = ""

        var testDescription: String { operations + (more.isEmpty ? "" : " with \(more)") }

        var parts: [(kind: String, status: String, more: String)] {
            operations.split(separator: " + ").map { part in
                let words = part.split(separator: " ").map(String.init)
                return (words[0], words[1], more)
            }
        }
    }

    static let purchases: [Expectation] = ["buy", "mobile_pay", "buy_acquirer"].flatMap { kind -> [Expectation] in
        [
            .init(operations: "\(kind) new", state: .created, money: .none, isFinal: false),
            .init(
                operations: "\(kind) pending", state: .pending, money: kind == "mobile_pay" ? .held : .none,
                isFinal: false),
            .init(operations: "\(kind) order_scheduled", state: .authorized, money: .held, isFinal: false),
            .init(operations: "\(kind) descriptor_failed", state: .pending, money: .held, isFinal: false),
            .init(operations: "\(kind) failed_exchange", state: .pending, money: .held, isFinal: false),
            .init(operations: "\(kind) paid", state: .paid, money: .taken, isFinal: false),
            .init(operations: "\(kind) completed", state: .paid, money: .taken, isFinal: false),
            .init(operations: "\(kind) order_failed", state: .declined, money: .none, isFinal: true),
            .init(operations: "\(kind) cancelled", state: .cancelled, money: .none, isFinal: true),
            .init(operations: "\(kind) failed", state: .failed, money: .none, isFinal: true),
            .init(operations: "\(kind) refunded", state: .refunded, money: .returned, isFinal: true),
            .init(operations: "\(kind) processing", state: .unknown, money: .unknown, isFinal: false),
            .init(
                operations: "\(kind) paid + withdraw new", state: .settling, money: .taken, isFinal: false, raw: "new"),
            .init(operations: "\(kind) paid + withdraw pending", state: .settling, money: .taken, isFinal: false),
            .init(
                operations: "\(kind) paid + withdraw order_scheduled", state: .settling, money: .taken, isFinal: false),
            .init(
                operations: "\(kind) paid + withdraw completed", state: .settled, money: .delivered, isFinal: true,
                raw: "completed"),
            .init(
                operations: "\(kind) completed + withdraw completed", state: .settled, money: .delivered, isFinal: true),
            .init(
                operations: "\(kind) paid + withdraw failed", state: .failed, money: .taken, isFinal: true,
                raw: "failed"),
            .init(operations: "\(kind) paid + withdraw cancelled", state: .failed, money: .taken, isFinal: true),
            // A word nobody modelled beside a paid purchase: the money is known all the same.
            .init(operations: "\(kind) paid + withdraw sleeping", state: .unknown, money: .taken, isFinal: false),
            // A withdrawal exists only once the purchase was paid.
            .init(
                operations: "\(kind) order_failed + withdraw failed", state: .declined, money: .taken, isFinal: true,
                raw: "order_failed"),
            .init(
                operations: "\(kind) cancelled + withdraw cancelled", state: .cancelled, money: .returned, isFinal: true
            ),
            .init(operations: "\(kind) refunded + withdraw failed", state: .refunded, money: .returned, isFinal: true),
        ]
    }

    static let sales: [Expectation] = [
        .init(operations: "sell new", state: .created, money: .none, isFinal: false),
        .init(operations: "sell pending", state: .pending, money: .none, isFinal: false),
        .init(operations: "sell pending + deposit pending", state: .pending, money: .held, isFinal: false),
        .init(operations: "sell new + deposit completed", state: .created, money: .taken, isFinal: false),
        .init(
            operations: "sell pending + deposit completed", state: .pending, money: .taken, isFinal: false,
            raw: "pending"),
        .init(operations: "sell succeeded + deposit completed", state: .settled, money: .delivered, isFinal: true),
        .init(operations: "sell succeeded", state: .settled, money: .delivered, isFinal: true),
        .init(operations: "sell failed", state: .failed, money: .none, isFinal: true),
        .init(operations: "sell failed + deposit completed", state: .failed, money: .returned, isFinal: true),
        .init(operations: "sell sleeping", state: .unknown, money: .unknown, isFinal: false),
        .init(operations: "deposit new", state: .created, money: .none, isFinal: false),
        .init(operations: "deposit pending", state: .pending, money: .held, isFinal: false),
        .init(operations: "deposit completed", state: .paid, money: .taken, isFinal: false),
        .init(operations: "deposit failed", state: .failed, money: .none, isFinal: true),
        .init(
            operations: "deposit failed", state: .failed, money: .unknown, isFinal: true, more: #""hash":"0xab12""#),
    ]

    /// A withdrawal seen alone.
    static let alone: [Expectation] = [
        .init(operations: "withdraw new", state: .settling, money: .taken, isFinal: false),
        .init(operations: "withdraw pending", state: .settling, money: .taken, isFinal: false),
        .init(operations: "withdraw order_scheduled", state: .settling, money: .taken, isFinal: false),
        .init(operations: "withdraw failed", state: .failed, money: .taken, isFinal: true),
        .init(operations: "withdraw cancelled", state: .failed, money: .taken, isFinal: true),
        .init(operations: "withdraw completed", state: .settled, money: .delivered, isFinal: true),
        .init(operations: "withdraw sleeping", state: .unknown, money: .unknown, isFinal: false),
    ]

    @Test("what each operation's status means, alone and beside the linked one", arguments: purchases + sales + alone)
    func status(expected: Expectation) throws {
        let row = try MercuryoSample.map(element: MercuryoSample.element(expected.parts))
        #expect(row.reading.state == expected.state)
        #expect(row.money == expected.money)
        #expect(row.reading.isFinal == expected.isFinal)
        if let raw = expected.raw { #expect(row.rawStatus == raw) }
        let isSale = expected.operations.hasPrefix("sell") || expected.operations.hasPrefix("deposit")
        #expect(row.direction == (isSale ? .out : .in))
        #expect(row.transactionID == "T1")
    }

    @Test(
        "what was seen before decides what an end means",
        arguments: [
            ("buy", "order_failed", MoneyState.taken), ("buy", "cancelled", .returned),
            ("buy_acquirer", "failed", .taken),
            ("mobile_pay", "failed_exchange", .taken), ("sell", "failed", .returned), ("sell", "pending", .taken),
        ])
    func after(kind: String, status: String, money: MoneyState) throws {
        let row = try MercuryoSample.map(element: MercuryoSample.element([(kind, status, "")]))
        #expect(row.reading.afterTaken == money)
        #expect(row.reading.afterHeld == nil)
    }

    @Test("what sounds final and is not, and a purchase that was paid for nothing, ask for attention; others do not")
    func attention() throws {
        func isFlagged(_ operations: (String, String)...) throws -> Bool {
            let parts = operations.map { (kind: $0.0, status: $0.1, more: "") }
            return try MercuryoSample.map(element: MercuryoSample.element(parts)).flags.contains("attention")
        }
        #expect(try isFlagged(("buy", "descriptor_failed")))
        #expect(try isFlagged(("buy", "failed_exchange")))
        #expect(try isFlagged(("buy", "paid"), ("withdraw", "failed")))
        #expect(try isFlagged(("mobile_pay", "paid"), ("withdraw", "cancelled")))
        #expect(!(try isFlagged(("buy", "paid"), ("withdraw", "completed"))))
        #expect(!(try isFlagged(("buy", "order_failed"))))
    }

    @Test(
        "only final states of an operation must have come with a callback; never given back",
        arguments: [
            ("buy paid", true), ("buy order_failed", true), ("buy cancelled", true),
            ("buy paid + withdraw completed", true),
            ("buy paid + withdraw failed", true), ("sell succeeded", true), ("sell failed", true), ("buy new", false),
            ("buy pending", false), ("buy refunded", false), ("buy paid + withdraw new", false),
            ("sell pending", false),
        ])
    func announced(operations: String, isAnnounced: Bool) throws {
        let parts = Expectation(operations: operations, state: .unknown, money: .unknown, isFinal: false).parts
        let row = try MercuryoSample.map(element: MercuryoSample.element(parts))
        #expect(row.flags.contains("event_expected") == isAnnounced)
    }

    @Test("another withdrawal in the same element takes the place of the failed one, and its amount is not added")
    func retried() throws {
        let element =
            #"{"buy":{"id":"B","transaction_id":"T1","status":"paid","fiat_amount":"10","fiat_currency":"EUR","amount":"9","currency":"USDC","created_at":"2026-07-31 12:00:05","updated_at":"2026-07-31 12:01:00"},"withdraw":[{"id":"W1","transaction_id":"T1","status":"failed","amount":"9","currency":"USDC","created_at":"2026-07-31 12:02:00","updated_at":"2026-07-31 12:09:00"},{"id":"W2","transaction_id":"T1","status":"completed","amount":"9","currency":"USDC","hash":"0x77","created_at":"2026-07-31 12:03:00","updated_at":"2026-07-31 12:08:00"}]}"#
        let row = try MercuryoSample.map(element: element)
        #expect(row.money == .delivered && row.reading.state == .settled)
        #expect(row.delivered?.description == "9")
        #expect(row.flags.contains("several_withdrawals"))
        #expect(row.unmappedPaths == [])
        #expect(row.referenceTexts.filter { $0.hasPrefix("mercuryo:operation") }.count == 3)
    }
}
