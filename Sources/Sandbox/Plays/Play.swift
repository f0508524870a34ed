/// A story that a provider's vocabulary may or may not be able to show. Who it happens to, when, and what it must raise
/// is the same for all of them; each renders the turns in its own words.
enum Play: String, Sendable, Hashable, CaseIterable {
    /// One order, charged twice.
    case duplicateCharge
    /// The same, and the second charge given back days later.
    case refundedSurplus
    /// Money taken, nothing delivered in time.
    case paidUnsettled
    /// The same, delivered days late.
    case deliveredLate
    /// Charged another amount than the book has.
    case amountMismatch
    /// Charged in another currency than the book has.
    case currencyMismatch
    /// The session lapsed in the book, and the payment came through after all.
    case expiredButPaid
    /// Expired at the provider and in the book, then paid late: it became active again.
    case revived
    /// The book says cancelled, the provider delivered.
    case acceptedAsFailed
    /// Failed after the money was taken, and nothing given back.
    case takenNotReturned
    /// Credited, and the provider refused it.
    case creditedUnpaid
    /// Credited, then given back to the customer, and still credited.
    case creditedReturned
    /// Delivered, and the book does not know.
    case settledUncredited
    /// Declined, and the book still waits.
    case bookConflict
    /// A charge that no order explains.
    case bookMissing
    /// Paid in the book, unknown to the provider.
    case providerMissing
    /// Nobody paid, and the book still says open.
    case expiredSession
    /// A final state whose event never came.
    case webhookMissing
    /// An event that nobody can prove.
    case webhookForged
    /// An event that the provider's own record contradicts.
    case webhookConflict
    /// Final, and no longer final a day later.
    case statusRegression
    /// A status that nobody modelled.
    case unknownStatus
    /// A member that turned into an object: the row is set aside.
    case changedType
    /// A test payment in the account.
    case testMode
    /// A part given back that the book knows nothing of.
    case refundMismatch
    /// A dispute that the book does not carry.
    case disputed
    /// A payout that is not what its lines come to (`shortPayouts` of the simulator).
    case payoutVariance

    /// The turns without which it cannot be told.
    var turns: Set<Status> {
        switch self {
        case .refundedSurplus, .creditedReturned, .refundMismatch: [.settling, .settled, .refunded]
        case .takenNotReturned: [.settling, .failed]
        case .creditedUnpaid, .bookConflict: [.declined]
        case .statusRegression: [.declined, .pending]
        case .revived: [.authorizationExpired, .settling, .settled]
        case .webhookConflict: [.settled]
        case .unknownStatus: [.retryScheduled]
        default: []
        }
    }

    /// Those that need no more than `turns`. The last ones need more than turns: who can show them says so.
    static func among(_ turns: Set<Status>) -> Set<Play> {
        var plays = Set(allCases).filter { $0.turns.isSubset(of: turns) }
        plays.subtract([.testMode, .changedType, .refundMismatch, .disputed, .webhookForged, .revived, .payoutVariance])
        // Whose events contradict by another word says so, and by which.
        if !turns.contains(.refunded) { plays.remove(.webhookConflict) }
        return plays
    }
}
