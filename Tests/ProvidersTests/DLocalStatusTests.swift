import Payments
import Testing

@testable import Providers

@Suite("dLocal's statuses")
struct DLocalStatusTests {
    typealias F = DLocalFixture
    struct Row: Sendable {
        let status: String
        let code: String
        let state: PaymentState
        let money: MoneyState
        let isFinal: Bool
        var after: MoneyState?
        var members = ""
        var event = StatusMap.EventExpectation.unproven
    }

    static let direct = #","payment_method_type":"CARD","payment_method_flow":"DIRECT""#
    static let redirect = #","payment_method_type":"CARD","payment_method_flow":"REDIRECT""#
    static let ticket = #","payment_method_type":"TICKET","payment_method_flow":"DIRECT""#

    @Test(
        "a payment",
        arguments: [
            Row(status: "PENDING", code: "100", state: .pending, money: .held, isFinal: false, members: direct),
            Row(status: "PENDING", code: "101", state: .pending, money: .none, isFinal: false, members: direct),
            Row(status: "PENDING", code: "100", state: .pending, money: .none, isFinal: false, members: redirect),
            Row(status: "PENDING", code: "100", state: .pending, money: .none, isFinal: false, members: ticket),
            Row(status: "PENDING", code: "100", state: .pending, money: .none, isFinal: false),
            Row(status: "AUTHORIZED", code: "600", state: .authorized, money: .held, isFinal: false),
            Row(status: "PAID", code: "200", state: .paid, money: .taken, isFinal: true, event: .expected),
            Row(status: "REJECTED", code: "300", state: .declined, money: .none, isFinal: true, event: .expected),
            Row(status: "REJECTED", code: "399", state: .declined, money: .none, isFinal: true, event: .expected),
            Row(
                status: "CANCELLED", code: "400", state: .cancelled, money: .none, isFinal: true, after: .unknown,
                event: .expected),
            Row(status: "VERIFIED", code: "700", state: .authorized, money: .none, isFinal: true),
            Row(status: "EXPIRED", code: "500", state: .expired, money: .none, isFinal: true, after: .unknown),
            Row(status: "REFUNDED", code: "", state: .refunded, money: .returned, isFinal: true),
            Row(status: "SUCCESS", code: "200", state: .unknown, money: .unknown, isFinal: false),
            Row(status: "COMPLETED", code: "200", state: .unknown, money: .unknown, isFinal: false),
            Row(status: "ON_HOLD", code: "800", state: .unknown, money: .unknown, isFinal: false),
        ])
    func payment(_ row: Row) throws { try check(row, "transaction") }

    @Test(
        "a refund",
        arguments: [
            Row(status: "PENDING", code: "100", state: .pending, money: .none, isFinal: false),
            Row(status: "SUCCESS", code: "200", state: .refunded, money: .returned, isFinal: true, event: .expected),
            Row(status: "REJECTED", code: "300", state: .failed, money: .none, isFinal: true, event: .expected),
            Row(status: "CANCELLED", code: "400", state: .cancelled, money: .none, isFinal: true, event: .expected),
            Row(status: "PAID", code: "200", state: .unknown, money: .unknown, isFinal: false),
        ])
    func refund(_ row: Row) throws { try check(row, "refund") }

    @Test(
        "a chargeback",
        arguments: [
            Row(status: "PENDING", code: "100", state: .disputed, money: .none, isFinal: false),
            Row(
                status: "DISPUTE_RECEIVED", code: "101", state: .disputed, money: .none, isFinal: false,
                after: .returned),
            Row(status: "COMPLETED", code: "200", state: .disputed, money: .returned, isFinal: false, event: .expected),
            Row(status: "IN_DISPUTE", code: "201", state: .disputed, money: .returned, isFinal: false),
            Row(
                status: "DISPUTE_LOST", code: "202", state: .disputed, money: .returned, isFinal: true, event: .expected
            ),
            Row(status: "REVERSAL", code: "700", state: .paid, money: .none, isFinal: true, event: .expected),
            Row(status: "INQUIRY", code: "800", state: .disputed, money: .none, isFinal: false),
            Row(status: "REJECTED", code: "300", state: .unknown, money: .unknown, isFinal: false),
        ])
    func dispute(_ row: Row) throws { try check(row, "dispute") }

    private func check(_ row: Row, _ resource: String) throws {
        let text =
            #"{"id":"X","amount":1,"currency":"BRL","created_date":"2026-07-30T14:02:11Z","status":"\#(row.status)","status_code":"\#(row.code)"\#(row.members)}"#
        let mapped = try F.map(text, as: resource)
        #expect(mapped.reading.state == row.state)
        #expect(mapped.money == row.money)
        #expect(mapped.reading.isFinal == row.isFinal)
        #expect(mapped.reading.afterTaken == row.after)
        #expect(mapped.reading.afterHeld == nil && mapped.reading.afterDelivered == nil)
        #expect(mapped.reading.event == row.event)
        #expect(mapped.flags.contains("status_unknown") == (row.state == .unknown))
        #expect(mapped.rawStatus == row.status)
    }
}
