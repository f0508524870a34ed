/// The turns that a payment can take, in the widest vocabulary there is, which is Meld's. Every other simulator renders
/// them in its own words, and says which it has no word for.
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
}
