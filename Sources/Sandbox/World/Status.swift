/// Transaction statuses as the API spells them, with what this reading of the fact sheet says about each.
package enum Status: String, Sendable, Hashable, CaseIterable {
    case pendingCreated = "PENDING_CREATED"
    case pending = "PENDING"
    case processing = "PROCESSING"
    case twoFactorRequired = "TWO_FA_REQUIRED"
    case twoFactorProvided = "TWO_FA_PROVIDED"
    case authorized = "AUTHORIZED"
    case authorizationExpired = "AUTHORIZATION_EXPIRED"
    case settling = "SETTLING"
    case onrampSettled = "ONRAMP_SETTLED"
    case settled = "SETTLED"
    case refunded = "REFUNDED"
    case declined = "DECLINED"
    case cancelled = "CANCELLED"
    case failed = "FAILED"
    case error = "ERROR"
    case voided = "VOIDED"
    /// In no list that anybody published: the value nobody modelled.
    case retryScheduled = "retry_scheduled"

    /// The type of the event that announces the status; nil: none is sent.
    package var eventType: String? {
        switch self {
        case .pendingCreated, .pending, .processing, .twoFactorRequired, .twoFactorProvided, .authorized:
            "TRANSACTION_CRYPTO_PENDING"
        case .settling, .onrampSettled: "TRANSACTION_CRYPTO_TRANSFERRING"
        case .settled: "TRANSACTION_CRYPTO_COMPLETE"
        case .refunded, .declined, .cancelled, .failed, .error, .voided, .authorizationExpired:
            "TRANSACTION_CRYPTO_FAILED"
        case .retryScheduled: nil
        }
    }
}
