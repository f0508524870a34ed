import Foundation
import Payments
import Providers
import TestSupport
import Testing

/// The shipped map of Meld, read from the checkout.
enum Maps {
    static func meld() throws -> StatusMap { try StatusMap(csv: try reference("status_map/meld.csv")) }

    static func stripe() throws -> StatusMap { try StatusMap(csv: try reference("status_map/stripe.csv")) }

    static func push() throws -> StatusMap { try StatusMap(csv: try reference("status_map/push.csv")) }

    static func currencies() throws -> CurrencyTable { try CurrencyTable(currencies: try reference("currencies.csv")) }

    private static func reference(_ name: String) throws -> String {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: here.appending(path: "../../SQL/reference/\(name)"), encoding: .utf8)
    }
}

@Suite("Status map")
struct StatusMapTests {
    struct Expectation: Sendable {
        let status: String
        let direction: Direction
        var kindClass = "crypto"
        var provider = ""
        var method = ""
        let state: PaymentState
        let money: MoneyState
        let isFinal: Bool
        var afterHeld: MoneyState?
        var afterTaken: MoneyState?
        var afterDelivered: MoneyState?
    }

    static let sheet: [Expectation] = [
        .init(status: "PENDING_CREATED", direction: .in, state: .created, money: .none, isFinal: false),
        .init(status: "PENDING", direction: .in, state: .pending, money: .none, isFinal: false),
        .init(
            status: "PENDING", direction: .in, provider: "MERCURYO", method: "APPLE_PAY", state: .pending,
            money: .held, isFinal: false),
        .init(
            status: "PENDING", direction: .in, provider: "MERCURYO", method: "CREDIT_DEBIT_CARD", state: .pending,
            money: .none, isFinal: false),
        .init(
            status: "PENDING", direction: .in, provider: "COINBASEPAY", state: .pending, money: .held, isFinal: false),
        .init(
            status: "PENDING", direction: .out, provider: "COINBASEPAY", state: .pending, money: .none, isFinal: false),
        .init(status: "TWO_FA_REQUIRED", direction: .in, state: .pending, money: .none, isFinal: false),
        .init(status: "TWO_FA_PROVIDED", direction: .in, state: .pending, money: .held, isFinal: false),
        .init(status: "AUTHORIZED", direction: .in, state: .authorized, money: .held, isFinal: false),
        .init(status: "SETTLING", direction: .in, state: .settling, money: .taken, isFinal: false),
        .init(status: "SETTLING", direction: .out, state: .settling, money: .taken, isFinal: false),
        .init(
            status: "SETTLING", direction: .in, kindClass: "fiat", method: "ACH", state: .settling, money: .held,
            isFinal: false),
        .init(
            status: "ERROR", direction: .in, state: .pending, money: .none, isFinal: false, afterHeld: .held,
            afterTaken: .taken, afterDelivered: .delivered),
        .init(status: "SETTLED", direction: .in, state: .settled, money: .delivered, isFinal: true),
        .init(status: "SETTLED", direction: .in, method: "ACH", state: .settled, money: .delivered, isFinal: false),
        .init(
            status: "SETTLED", direction: .in, kindClass: "fiat", state: .settled, money: .taken, isFinal: true),
        .init(
            status: "FAILED", direction: .in, state: .failed, money: .none, isFinal: true, afterTaken: .taken,
            afterDelivered: .delivered),
        .init(
            status: "FAILED", direction: .in, kindClass: "fiat", method: "ACH", state: .failed, money: .none,
            isFinal: true, afterTaken: .returned),
        .init(status: "REFUNDED", direction: .out, state: .refunded, money: .returned, isFinal: true),
        .init(
            status: "VOIDED", direction: .in, state: .cancelled, money: .none, isFinal: true, afterTaken: .unknown,
            afterDelivered: .unknown),
        .init(
            status: "DISPUTED", direction: .in, state: .disputed, money: .taken, isFinal: false,
            afterDelivered: .delivered),
        .init(status: "ACCEPTED", direction: .in, state: .unknown, money: .unknown, isFinal: false),
        .init(status: "retry_scheduled", direction: .in, state: .unknown, money: .unknown, isFinal: false),
    ]

    @Test("reads each status as the fact sheet does", arguments: sheet)
    func reads(_ e: Expectation) throws {
        let reading = try Maps.meld().reading(
            e.status,
            .init(
                direction: e.direction, kind: "CRYPTO_PURCHASE", kindClass: e.kindClass, provider: e.provider,
                method: e.method))
        #expect(reading.state == e.state)
        #expect(reading.money == e.money)
        #expect(reading.isFinal == e.isFinal)
        #expect(reading.afterHeld == e.afterHeld)
        #expect(reading.afterTaken == e.afterTaken)
        #expect(reading.afterDelivered == e.afterDelivered)
        #expect(reading.isKnown == (e.status != "retry_scheduled"))
    }

    @Test("a failure with a captured amount has money in it; without, none")
    func captured() throws {
        let failed = try Maps.meld().reading("FAILED", .init(direction: .in))
        #expect(failed.moneyWhenCaptured == .taken)
        #expect(try Maps.meld().reading("FAILED", .init(direction: .out)).moneyWhenCaptured == nil)
    }

    @Test("every status of the provider's own lists is modelled")
    func complete() throws {
        let names = [
            "ACCEPTED", "AUTHORIZATION_EXPIRED", "AUTHORIZED", "CANCELLED", "DECLINED", "DISPUTED", "ERROR", "FAILED",
            "ONRAMP_SETTLED", "PARTIALLY_SETTLED", "PENDING", "PENDING_CREATED", "PROCESSING", "REFUNDED", "SETTLED",
            "SETTLING", "TWO_FA_PROVIDED", "TWO_FA_REQUIRED", "VOIDED",
        ]
        #expect(try Maps.meld().knownStatuses == names)
    }

    @Test("a typing error is refused with its line, not read as unknown")
    func typingErrors() throws {
        let good = try Maps.meld().text
        #expect(throws: StatusMap.Fault.self) {
            try StatusMap(csv: good.replacingOccurrences(of: ",taken,", with: ",takn,"))
        }
        #expect(throws: StatusMap.Fault.self) {
            try StatusMap(csv: good.split(separator: "\n").dropLast().joined(separator: "\n"))
        }
        #expect(throws: StatusMap.Fault.self) { try StatusMap(csv: "status,state\n*,unknown\n") }
    }
}
