import Payments

/// One payment as Mercuryo keeps it: linked operations, each with a status of its own.
struct MercuryoOperations {
    /// What a purchase or a sale consists of.
    enum Kind: String {
        case buy
        case mobilePay = "mobile_pay"
        case buyAcquirer = "buy_acquirer"
        case withdraw
        case sell
        case deposit
    }

    /// One operation at a moment.
    struct Operation {
        let kind: Kind
        let status: String
        let createdAt: Timestamp
        let updatedAt: Timestamp
    }

    let trade: Trade

    /// The operation that the customer's money goes by: the key it has in an element of the list.
    var main: Kind {
        guard trade.direction == .in else { return .sell }
        switch trade.corridor.method {
        case "APPLE_PAY": return .mobilePay
        case "CREDIT_DEBIT_CARD": return .buy
        default: return .buyAcquirer
        }
    }

    /// The operation that the asset goes by.
    var linked: Kind { trade.direction == .in ? .withdraw : .deposit }

    /// What a turn makes of the two operations: nil leaves one as it was. `wasTaken`: money had moved before.
    static func statuses(
        _ status: Status, isPurchase: Bool, isAcquirer: Bool, wasTaken: Bool
    ) -> (main: String?, linked: String?) {
        switch status {
        case .pendingCreated: ("new", nil)
        case .pending, .processing: ("pending", nil)
        case .authorized: (isPurchase && !isAcquirer ? "order_scheduled" : nil, nil)
        case .settling: isPurchase ? ("paid", "new") : (nil, "completed")
        case .onrampSettled: (nil, isPurchase ? "pending" : nil)
        case .settled: isPurchase ? (nil, "completed") : ("succeeded", nil)
        case .declined: isPurchase ? (isAcquirer ? "failed" : "order_failed", nil) : ("failed", nil)
        case .cancelled, .voided, .authorizationExpired: (isPurchase ? "cancelled" : "failed", nil)
        case .failed:
            if isPurchase, wasTaken {
                (nil, "failed")
            } else {
                (isPurchase && !isAcquirer ? "order_failed" : "failed", nil)
            }
        case .refunded: (isPurchase ? "refunded" : "failed", nil)
        case .retryScheduled: ("retry_scheduled", nil)
        case .twoFactorRequired, .twoFactorProvided, .error: (nil, nil)
        }
    }

    /// What `status` makes of this payment.
    func change(_ status: Status, at moment: Timestamp) -> (main: String?, linked: String?) {
        let wasTaken = trade.steps.contains { $0.at < moment && $0.status == .settling }
        return Self.statuses(
            status, isPurchase: trade.direction == .in, isAcquirer: main == .buyAcquirer, wasTaken: wasTaken)
    }

    /// Both operations as they stand at a moment; the linked one is nil before it exists.
    func operations(at moment: Timestamp) -> (main: Operation, linked: Operation?) {
        var first = Operation(kind: main, status: "new", createdAt: trade.createdAt, updatedAt: trade.createdAt)
        var second: Operation?
        for step in trade.steps where step.at <= moment {
            let change = change(step.status, at: step.at)
            if let status = change.main {
                first = Operation(kind: main, status: status, createdAt: trade.createdAt, updatedAt: step.at)
            }
            if let status = change.linked {
                second = Operation(
                    kind: linked, status: status, createdAt: second?.createdAt ?? step.at, updatedAt: step.at)
            }
        }
        return (first, second)
    }
}
