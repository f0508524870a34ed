import Payments
import Testing

@testable import Providers

@Suite("Coinbase, its statuses")
struct CoinbaseStatusTests {
    struct Expectation: Sendable, CustomTestStringConvertible {
        let status: String
        var more = ""
        let state: PaymentState
        let money: MoneyState
        let isFinal: Bool
        var testDescription: String { "\(status) \(more)" }
    }

    static let buyFailed = #""failure_reason":"FAILURE_REASON_BUY_FAILED""#
    static let sendFailed = #""failure_reason":"FAILURE_REASON_SEND_FAILED""#

    static let transactions: [Expectation] = [
        .init(status: "CREATED", state: .created, money: .none, isFinal: false),
        .init(status: "AWAITING_AUTH", state: .pending, money: .none, isFinal: false),
        .init(status: "AWAITING_PAYMENT", state: .pending, money: .none, isFinal: false),
        .init(status: "IN_PROGRESS", state: .pending, money: .held, isFinal: false),
        .init(status: "IN_PROGRESS", more: #""tx_hash":"""#, state: .pending, money: .held, isFinal: false),
        .init(status: "IN_PROGRESS", more: #""tx_hash":"0x""#, state: .pending, money: .held, isFinal: false),
        .init(status: "IN_PROGRESS", more: #""txHash":"0x31""#, state: .pending, money: .taken, isFinal: false),
        .init(status: "SUCCESS", state: .settled, money: .delivered, isFinal: true),
        .init(status: "FAILED", more: buyFailed, state: .failed, money: .none, isFinal: true),
        .init(status: "FAILED", more: sendFailed, state: .failed, money: .taken, isFinal: true),
        .init(
            status: "FAILED", more: sendFailed + #","type":"ONRAMP_TRANSACTION_TYPE_SEND""#, state: .failed,
            money: .none,
            isFinal: true),
        .init(
            status: "FAILED", more: sendFailed + #","payment_method":"GUEST_CHECKOUT_APPLE_PAY""#, state: .failed,
            money: .taken, isFinal: true),
        .init(
            status: "FAILED", more: buyFailed + #","payment_method":"GUEST_CHECKOUT_APPLE_PAY""#, state: .failed,
            money: .none, isFinal: true),
        .init(
            status: "FAILED", more: #""failure_reason":"FAILURE_REASON_UNSPECIFIED""#, state: .failed, money: .unknown,
            isFinal: true),
        .init(status: "FAILED", state: .failed, money: .unknown, isFinal: true),
        .init(status: "FAILED", more: #""tx_hash":"0x31""#, state: .failed, money: .unknown, isFinal: true),
        .init(status: "UNSPECIFIED", state: .unknown, money: .unknown, isFinal: false),
        .init(status: "SLEEPING", state: .unknown, money: .unknown, isFinal: false),
    ]

    @Test("what each status of a transaction means", arguments: transactions)
    func transaction(expected: Expectation) throws {
        let row = try CoinbaseSample.map(CoinbaseSample.element(expected.status, expected.more))
        #expect(row.reading.state == expected.state)
        #expect(row.money == expected.money)
        #expect(row.reading.isFinal == expected.isFinal)
        #expect(row.reading.afterTaken == nil && row.reading.afterHeld == nil)
        #expect(row.flags.contains("attention") == expected.more.contains("SEND_FAILED"))
    }

    static let orders: [Expectation] = [
        .init(status: "PENDING_AUTH", state: .pending, money: .none, isFinal: false),
        .init(status: "PENDING_VERIFICATION", state: .pending, money: .none, isFinal: false),
        .init(status: "PENDING_PAYMENT", state: .pending, money: .none, isFinal: false),
        .init(status: "PROCESSING", state: .settling, money: .held, isFinal: false),
        .init(status: "PROCESSING", more: #","txHash":"0x31""#, state: .settling, money: .taken, isFinal: false),
        .init(status: "COMPLETED", state: .settled, money: .delivered, isFinal: true),
        .init(status: "FAILED", state: .failed, money: .unknown, isFinal: true),
        .init(
            status: "FAILED", more: #","failureReason":"FAILURE_REASON_BUY_FAILED""#, state: .failed, money: .none,
            isFinal: true),
        .init(
            status: "FAILED", more: #","failureReason":"FAILURE_REASON_SEND_FAILED""#, state: .failed, money: .taken,
            isFinal: true),
        .init(status: "SLEEPING", state: .unknown, money: .unknown, isFinal: false),
    ]

    @Test("what each status of an order means", arguments: orders)
    func order(expected: Expectation) throws {
        let text =
            #"{"orderId":"O","createdAt":"2026-07-31T12:00:00Z","status":"ONRAMP_ORDER_STATUS_\#(expected.status)"\#(expected.more)}"#
        let row = try CoinbaseSample.mapOrder(text)
        #expect(row.reading.state == expected.state)
        #expect(row.money == expected.money)
        #expect(row.reading.isFinal == expected.isFinal)
        #expect(row.reading.isKnown == (expected.status != "SLEEPING"))
    }
}
