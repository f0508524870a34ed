import Payments

/// The three vocabularies.
extension BanxaSimulator {
    /// The turn that an order stands on; before the first it is created.
    func turn(_ trade: Trade, at moment: Timestamp) -> Status { trade.status(at: moment) ?? .pendingCreated }

    func word(_ trade: Trade, at moment: Timestamp) -> String {
        let turn = turn(trade, at: moment)
        return source.setting("surface") == "native"
            ? Self.native(turn, trade.direction) : Self.hosted(turn, trade.direction)
    }

    /// Hosted and legacy. There is no word for a failure: what breaks off later is cancelled.
    static func hosted(_ turn: Status, _ direction: Direction) -> String {
        switch turn {
        case .pendingCreated: "pendingPayment"
        case .settling: "paymentReceived"
        case .onrampSettled: "cryptoTransferred"
        case .settled: "complete"
        case .refunded: "refunded"
        case .declined: "declined"
        case .cancelled, .failed, .voided: "cancelled"
        case .authorizationExpired: "expired"
        case .retryScheduled: "retryScheduled"
        default: "waitingPayment"
        }
    }

    static func native(_ turn: Status, _ direction: Direction) -> String {
        let isPurchase = direction == .in
        return switch turn {
        case .pendingCreated: "INITIALIZED"
        case .settling: isPurchase ? "PAYMENT_RECEIVED" : "COIN_DEPOSIT_CONFIRMED"
        case .onrampSettled: isPurchase ? "COIN_TRANSFERRED" : "FIAT_TRANSFERRED"
        case .settled: "FULFILLED"
        case .refunded: "REFUNDED"
        case .declined: "PAYMENT_DECLINED"
        case .cancelled, .failed, .voided: "PAYMENT_CANCELLED"
        case .authorizationExpired: "EXPIRED"
        case .retryScheduled: "RETRY_SCHEDULED"
        default: isPurchase ? "PAYMENT_ACCEPTED" : "COIN_DEPOSIT_READY"
        }
    }
}
