package import Payments

/// One transaction of the simulated provider, with everything that will ever happen to it. What can be seen of it at a
/// moment is a pure function of that moment.
package struct Trade: Sendable {
    /// One change of status.
    package struct Step: Sendable {
        package let at: Timestamp
        package let status: Status
    }

    /// Which of the merchant's own references the transaction carries back.
    package enum Linking: Sendable, Hashable {
        case reference, externalSession, both
        /// Only the headless order's id.
        case orderOnly
        /// Only the widget session's id.
        case sessionOnly
    }

    /// What is odd about the row; each is allowed by the sheet, but for `feeAsObject`.
    package struct Quirks: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let imported = Quirks(rawValue: 1)
        /// `cryptoDetails.networkFee` turned from a number into an object.
        package static let feeAsObject = Quirks(rawValue: 2)
        package static let unknownField = Quirks(rawValue: 4)
        package static let personalData = Quirks(rawValue: 8)
        package static let withoutUpdatedAt = Quirks(rawValue: 16)
        package static let withoutType = Quirks(rawValue: 32)
        package static let scientificNumbers = Quirks(rawValue: 64)
        package static let shortNumbers = Quirks(rawValue: 128)
        package static let newerIdName = Quirks(rawValue: 256)
        package static let sparse = Quirks(rawValue: 512)
        /// The payout that bundles it is less than its lines.
        package static let shortPayout = Quirks(rawValue: 2048)
        /// A test payment.
        package static let testMode = Quirks(rawValue: 1024)
        /// Its line is settled and in no payout.
        package static let leftOut = Quirks(rawValue: 4096)
    }

    package struct Fees: Sendable {
        package var network: Amount
        package var transaction: Amount
        package var partner: Amount
        package var swap: Amount?
        package var total: Amount { network + transaction + partner + (swap ?? .zero) }
    }

    package var id: String
    package var createdAt: Timestamp
    /// Rows can turn up minutes after the creation time they carry.
    package var visibleFrom: Timestamp
    package var steps: [Step] = []
    /// The provider announces it by events all the same, and lists it only from then on.
    package var withheldUntil: Timestamp?
    /// Fees are null before.
    package var feesKnownFrom: Timestamp
    package var corridor: Corridor
    package var crypto: Crypto
    package var direction: Direction
    package var country: String
    package var fiatAmount: Amount
    package var cryptoAmount: Amount
    package var fees: Fees
    package var customer: Customer
    package var bookOrder: String
    package var headlessOrder: String
    package var session: String
    package var linking: Linking
    package var providerId: String
    package var wallet: String
    package var chainId: String
    package var quirks: Quirks = []
    /// Statuses whose event never comes.
    package var lostEvents: Set<Status> = []
    /// Statuses whose first successful delivery comes this many seconds late.
    package var lateEvents: [Status: Int] = [:]
    /// Statuses whose delivery stands only in the capture of this later night.
    package var eventsFiledAt: [Status: Int] = [:]
    /// Parts that were given back, beside a full return, which is a turn of the payment itself.
    package var refunds: [Refund] = []
    package var disputes: [Dispute] = []
    /// What events announce besides, and the row never shows at that time.
    package var tales: [Tale] = []

    /// A part of the charge that was given back.
    package struct Refund: Sendable {
        package let at: Timestamp
        package let amount: Amount
        /// When it was refused after all; nil: it went through.
        package var failedAt: Timestamp?
    }

    /// A charge that the customer contests.
    package struct Dispute: Sendable {
        package let at: Timestamp
        package let amount: Amount
        /// How it ended, and when; nil: it has not.
        package var ended: (at: Timestamp, isWon: Bool)?
    }

    /// One event that no change of the row stands behind.
    package struct Tale: Sendable {
        package let eventId: String
        package let at: Timestamp
        package let status: Status
        /// Signed with a key that is not the account's: anybody may have sent it.
        package let isForged: Bool
        /// The night whose capture holds it once more, rightly signed; nil: never.
        package var provenOn: Int?
    }

    /// From when on lists show it.
    package var shownFrom: Timestamp { max(visibleFrom, withheldUntil ?? visibleFrom) }
    package func isVisible(at moment: Timestamp) -> Bool { shownFrom <= moment }

    /// The last step that has happened by `moment`; nil before the first.
    package func step(at moment: Timestamp) -> Step? { steps.last { $0.at <= moment } }

    package func status(at moment: Timestamp) -> Status? { step(at: moment)?.status }

    package func feesAreKnown(at moment: Timestamp) -> Bool { feesKnownFrom <= moment }

    /// The last change of anything: `updatedAt` moves, `createdAt` never does.
    package func updatedAt(at moment: Timestamp) -> Timestamp {
        let step = step(at: moment)?.at ?? createdAt
        return feesAreKnown(at: moment) ? max(step, feesKnownFrom) : step
    }

    package var sourceAmount: Amount { direction == .in ? fiatAmount : cryptoAmount }
    package var destinationAmount: Amount { direction == .in ? cryptoAmount : fiatAmount }
    package var sourceCurrency: String { direction == .in ? corridor.fiat.code : crypto.code }
    package var destinationCurrency: String { direction == .in ? crypto.code : corridor.fiat.code }
    package var sourceDigits: Int { direction == .in ? corridor.fiat.digits : 0 }
    package var destinationDigits: Int { direction == .in ? 0 : corridor.fiat.digits }
}

/// A buyer. Names and addresses are invented ones under example domains: they test that nobody stores them.
package struct Customer: Sendable, Hashable {
    package let meldId: String
    package let externalId: String
}
