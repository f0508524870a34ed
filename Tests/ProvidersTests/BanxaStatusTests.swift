import Payments
import Testing

@testable import Providers

@Suite("Banxa's statuses")
struct BanxaStatusTests {
    struct Row: Sendable {
        let status: String
        let state: PaymentState
        let isFinal: Bool
        /// On a purchase by bank transfer, by card, and on a sale.
        let bank: MoneyState
        let card: MoneyState
        let sale: MoneyState
        var afterHeld: MoneyState?
        var afterTaken: MoneyState?
        var event = StatusMap.EventExpectation.unproven
    }

    static let rows: [Row] = [
        Row(status: "pendingPayment", state: .created, isFinal: false, bank: .none, card: .none, sale: .none),
        Row(status: "waitingPayment", state: .pending, isFinal: false, bank: .none, card: .held, sale: .none),
        Row(status: "paymentReceived", state: .paid, isFinal: false, bank: .taken, card: .taken, sale: .taken),
        Row(
            status: "inProgress", state: .pending, isFinal: false, bank: .none, card: .held, sale: .none,
            afterTaken: .taken, event: .none),
        Row(
            status: "extraVerification", state: .pending, isFinal: false, bank: .unknown, card: .unknown,
            sale: .unknown, afterHeld: .held, afterTaken: .taken),
        Row(status: "cryptoTransferred", state: .settling, isFinal: false, bank: .taken, card: .taken, sale: .taken),
        Row(status: "coinTransferred", state: .settling, isFinal: false, bank: .taken, card: .taken, sale: .taken),
        Row(status: "coinsTransferred", state: .settling, isFinal: false, bank: .taken, card: .taken, sale: .taken),
        Row(
            status: "cryptoTransferInitiated", state: .settling, isFinal: false, bank: .taken, card: .taken,
            sale: .taken, event: .none),
        Row(
            status: "cryptoTransferPending", state: .settling, isFinal: false, bank: .taken, card: .taken,
            sale: .taken, event: .none),
        Row(
            status: "cryptoTransferComplete", state: .settling, isFinal: false, bank: .taken, card: .taken,
            sale: .taken, event: .none),
        Row(
            status: "complete", state: .settled, isFinal: true, bank: .delivered, card: .delivered, sale: .delivered,
            event: .expected),
        Row(
            status: "cancelled", state: .cancelled, isFinal: true, bank: .none, card: .none, sale: .none,
            afterTaken: .taken, event: .expected),
        Row(
            status: "declined", state: .declined, isFinal: true, bank: .none, card: .none, sale: .none,
            afterTaken: .taken, event: .expected),
        Row(
            status: "expired", state: .expired, isFinal: false, bank: .none, card: .none, sale: .none, event: .expected
        ),
        Row(
            status: "refunded", state: .refunded, isFinal: true, bank: .returned, card: .returned, sale: .returned,
            event: .expected),
        Row(
            status: "pending", state: .unknown, isFinal: false, bank: .unknown, card: .unknown, sale: .unknown,
            event: .none),
        Row(status: "INITIALIZED", state: .created, isFinal: false, bank: .none, card: .none, sale: .none),
        Row(status: "PAYMENT_READY", state: .created, isFinal: false, bank: .none, card: .none, sale: .none),
        Row(status: "PAYMENT_ACCEPTED", state: .pending, isFinal: false, bank: .none, card: .held, sale: .none),
        Row(status: "PAYMENT_RECEIVED", state: .paid, isFinal: false, bank: .taken, card: .taken, sale: .unknown),
        Row(
            status: "IN_PROGRESS", state: .pending, isFinal: false, bank: .none, card: .held, sale: .none,
            afterTaken: .taken, event: .none),
        Row(
            status: "EXTRA_VERIFICATION", state: .pending, isFinal: false, bank: .unknown, card: .unknown,
            sale: .unknown, afterHeld: .held, afterTaken: .taken),
        Row(
            status: "COIN_DEPOSIT_READY", state: .pending, isFinal: false, bank: .unknown, card: .unknown, sale: .none),
        Row(
            status: "COIN_DEPOSIT_CONFIRMED", state: .paid, isFinal: false, bank: .unknown, card: .unknown,
            sale: .taken),
        Row(status: "COIN_TRANSFERRED", state: .settling, isFinal: false, bank: .taken, card: .taken, sale: .taken),
        Row(
            status: "FIAT_TRANSFERRED", state: .settling, isFinal: false, bank: .unknown, card: .unknown, sale: .taken),
        Row(
            status: "FULFILLED", state: .settled, isFinal: true, bank: .delivered, card: .delivered, sale: .delivered,
            event: .expected),
        Row(
            status: "REFUNDED", state: .refunded, isFinal: true, bank: .returned, card: .returned, sale: .returned,
            event: .expected),
        Row(
            status: "EXPIRED", state: .expired, isFinal: false, bank: .none, card: .none, sale: .none, event: .expected
        ),
        Row(
            status: "PAYMENT_DECLINED", state: .declined, isFinal: true, bank: .none, card: .none, sale: .none,
            afterTaken: .taken, event: .expected),
        Row(
            status: "PAYMENT_CANCELLED", state: .cancelled, isFinal: true, bank: .none, card: .none, sale: .none,
            afterTaken: .taken, event: .expected),
        Row(
            status: "ACCOUNT_BLOCKED", state: .unknown, isFinal: false, bank: .unknown, card: .unknown, sale: .unknown,
            afterHeld: .held, afterTaken: .taken),
        Row(status: "failed", state: .unknown, isFinal: false, bank: .unknown, card: .unknown, sale: .unknown),
    ]

    @Test("each status of the three vocabularies means what the sheet says, in either direction", arguments: rows)
    func status(row: Row) throws {
        let map = try BanxaScene.map()
        for (direction, method, money) in [
            (Direction.in, "", row.bank), (.in, "card", row.card), (.in, "apple_pay", row.card),
            (.in, "google_pay", row.card), (.out, "", row.sale), (.out, "card", row.sale),
        ] {
            let reading = map.reading(row.status, .init(direction: direction, method: method))
            #expect(reading.state == row.state && reading.isFinal == row.isFinal && reading.event == row.event)
            #expect(reading.money == money, "\(direction) \(method)")
            #expect(reading.afterTaken == row.afterTaken)
            if direction == .in { #expect(reading.afterHeld == row.afterHeld) }
            #expect(reading.isKnown == (row.status != "failed"))
        }
    }

    @Test("no status is mapped that the test does not know")
    func complete() throws {
        #expect(try BanxaScene.map().knownStatuses == Self.rows.map(\.status).filter { $0 != "failed" }.sorted())
    }

    @Test("what revives an expiry ranks above it, and the end of a payment above all on its way")
    func ranks() throws {
        let map = try BanxaScene.map()
        func rank(_ status: String) -> Int { map.reading(status, .init(direction: .in)).rank }
        for names in [
            [
                "pendingPayment", "waitingPayment", "expired", "paymentReceived", "cryptoTransferred", "complete",
                "refunded",
            ],
            [
                "INITIALIZED", "PAYMENT_ACCEPTED", "EXPIRED", "PAYMENT_RECEIVED", "COIN_TRANSFERRED", "FULFILLED",
                "REFUNDED",
            ],
        ] {
            let ranks = names.map(rank)
            #expect(ranks == ranks.sorted() && Set(ranks).count == ranks.count)
        }
    }

    @Test(
        "card, Apple Pay and Google Pay are told by ids and names; transfers and direct debits are none of them",
        arguments: [
            ("debit-credit-card", "card"), ("WORLDPAYCREDIT", "card"), ("Visa/Mastercard", "card"),
            ("apple-pay", "apple_pay"), ("CHECKOUTAPPLEPAY", "apple_pay"), ("Google Pay", "google_pay"),
            ("payid-bank-transfer", ""), ("PayID", ""), ("sepa-direct-debit", ""), ("ach-bank-transfer", ""),
            ("6028", ""),
        ])
    func methods(name: String, expected: String) {
        #expect(BanxaWord.methodClass(name) == expected)
        #expect(BanxaWord.methodClass("6028", name) == expected)
    }
}
