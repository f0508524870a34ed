import Glibc
package import Payments

/// What a mapping reads from one element: every column of `tieout.transaction` that comes from the provider. Whoever
/// stores it adds account, source, run, times of observation, evidence and hashes.
package struct MappedTransaction: Sendable, Hashable {
    package var resource: String
    package var transactionID: String
    package var createdAt: Timestamp
    package var updatedAt: Timestamp?
    package var direction: Direction
    /// The provider's type, verbatim.
    package var kind: String?
    /// Verbatim.
    package var rawStatus: String
    package var reading: StatusMap.Reading
    /// By this version alone: `reading.money`, or its captured variant.
    package var money: MoneyState
    /// The provider's paid or approved time, where it gives one.
    package var takenAt: Timestamp?
    package var provider: String?
    package var paymentMethod: String?
    package var country: String?
    /// What the customer was debited, fees included, in major units of `chargedCurrency`.
    package var charged: ExactDecimal?
    package var chargedCurrency: String?
    /// What the customer received, in major units of `deliveredCurrency`.
    package var delivered: ExactDecimal?
    package var deliveredCurrency: String?
    package var returned: ExactDecimal?
    package var disputed: ExactDecimal?
    /// Fee parts in `feeCurrency`; nil: not known yet, which is not zero.
    package var feeNetwork: ExactDecimal?
    package var feeProvider: ExactDecimal?
    package var feePartner: ExactDecimal?
    package var feeOther: ExactDecimal?
    package var feeTotal: ExactDecimal?
    package var feeCurrency: String?
    package var customerID: String?
    package var walletAddress: String?
    package var walletTag: String?
    package var segment: String?
    /// The `transaction` of the same source that a refund, dispute, settlement line or second view is about; nil: not known.
    package var parentID: String?
    package var isTest: Bool
    package var references: [Reference]
    package var flags: [String]
    /// 16 bytes of SHA-256 over the paths and values that no column holds; nil: there are none.
    package var unmapped: [UInt8]?
    /// Those paths, sorted, without repeats.
    package var unmappedPaths: [String]

    package init(
        resource: String, transactionID: String, createdAt: Timestamp, direction: Direction, rawStatus: String,
        reading: StatusMap.Reading
    ) {
        self.resource = resource
        self.transactionID = transactionID
        self.createdAt = createdAt
        self.direction = direction
        self.rawStatus = rawStatus
        self.reading = reading
        money = reading.money
        isTest = false
        references = []
        flags = []
        unmappedPaths = []
    }

    /// References as the column holds them: `kind=value`, sorted, without repeats.
    package var referenceTexts: [String] { Self.sortedUnique(references.map(\.description)) }
    /// Flags as the column holds them: sorted, without repeats.
    package var flagTexts: [String] { Self.sortedUnique(flags) }

    static func sortedUnique(_ texts: [String]) -> [String] {
        if texts.count < 2 { return texts }
        // By bytes, as `collate "C"` orders: Swift's own order of strings follows Unicode normalisation.
        let sorted = texts.sorted { precedes($0, $1) }
        return sorted.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    private static func precedes(_ a: String, _ b: String) -> Bool {
        let byBytes = a.utf8.withContiguousStorageIfAvailable { a in
            b.utf8.withContiguousStorageIfAvailable { b -> Bool in
                let common = min(a.count, b.count)
                guard common > 0, let left = a.baseAddress, let right = b.baseAddress else { return a.count < b.count }
                let order = memcmp(left, right, common)
                return order == 0 ? a.count < b.count : order < 0
            }
        }
        return (byBytes ?? nil) ?? a.utf8.lexicographicallyPrecedes(b.utf8)
    }
}

/// What a webhook scheme reads from one delivery's body: the columns of `tieout.webhook_event` that come from it.
package struct MappedEvent: Sendable, Hashable {
    /// The provider's event id (with the profile, where it gives one), else the hex digest of the body.
    package var eventKey: String
    /// The event type, verbatim.
    package var kind: String?
    package var transactionID: String?
    /// Verbatim; nil: the event carries no status of a transaction.
    package var rawStatus: String?
    /// What the status means; nil: the event carries no state.
    package var reading: StatusMap.Reading?
    package var direction: Direction?
    /// The body's own time, not that of the signature or the arrival.
    package var eventTime: Timestamp?
    /// How often the delivery was tried again, where it says so.
    package var retryCount: Int?
    package var isTest: Bool
    package var customerID: String?
    package var references: [Reference]
    package var flags: [String]

    package init(eventKey: String) {
        self.eventKey = eventKey
        isTest = false
        references = []
        flags = []
    }

    /// What it says of the customer's money; of play money nothing.
    package var money: MoneyState? { isTest ? nil : reading?.money }

    /// References as the column holds them: `kind=value`, sorted, without repeats.
    package var referenceTexts: [String] { MappedTransaction.sortedUnique(references.map(\.description)) }
    /// Flags as the column holds them: sorted, without repeats.
    package var flagTexts: [String] { MappedTransaction.sortedUnique(flags) }
}
