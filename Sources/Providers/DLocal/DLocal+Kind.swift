/// The three kinds of objects that dLocal shows by id and speaks of in notifications.
enum DLocalKind: String, Sendable, CaseIterable {
    case payment, refund, dispute

    /// The resource it is stored under.
    var resource: String { self == .payment ? "transaction" : rawValue }
    /// The kind of reference that holds ids of it.
    var idKind: String { "dlocal:\(resource)" }
    /// Its place in the API.
    var path: String {
        switch self {
        case .payment: "payments"
        case .refund: "refunds"
        case .dispute: "chargebacks"
        }
    }

    /// The id of a record of the kind, as events name it: payments by their bare id.
    func subject(_ id: String) -> String { self == .payment ? id : "\(rawValue)/\(id)" }

    /// Documented members that may be kept.
    var known: [String] {
        switch self {
        case .payment:
            [
                "id", "amount", "currency", "payment_method_id", "payment_method_type", "payment_method_flow",
                "country", "created_date", "approved_date", "status", "status_detail", "status_code", "order_id",
                "refunds",
                "refunds[]", "refunds[].**", "authorization_id", "eci",
            ]
        case .refund:
            [
                "id", "payment_id", "id_payment", "amount", "amount_refunded", "currency", "status", "status_detail",
                "status_code", "created_date", "order_id", "custom_merchant_name", "use_orig_fx",
                "payment_request_amount", "payment_request_currency", "transaction_id",
            ]
        case .dispute:
            [
                "id", "payment_id", "id_payment", "amount", "currency", "status", "status_code", "status_detail",
                "created_date", "order_id", "reason_code",
            ]
        }
    }

    /// Documented scalars that no column holds and whose change is news.
    var compared: [String] {
        switch self {
        case .payment: ["payment_method_flow", "payment_method_id", "status_code", "eci", "card.brand", "card.last4"]
        case .refund: ["amount", "status_code", "payment_request_amount", "payment_request_currency"]
        case .dispute: ["status_code", "reason_code"]
        }
    }

    /// Which kind a notification's body is of. There is no envelope: the shape alone tells. Nil: of a payment, but whether
    /// it is a refund or a chargeback nobody can tell.
    static func classify(id: String?, status: String?, members: Set<String>) -> DLocalKind? {
        if let id {
            if id.hasPrefix("REF") { return .refund }
            if id.hasPrefix("CHAR") { return .dispute }
        }
        switch status {
        case "SUCCESS": return .refund
        case "COMPLETED", "DISPUTE_RECEIVED", "IN_DISPUTE", "DISPUTE_LOST", "REVERSAL", "INQUIRY": return .dispute
        default: break
        }
        // A payment names no other one as its own.
        guard members.contains("payment_id") || members.contains("id_payment") else { return .payment }
        if members.contains("amount_refunded") || members.contains("id_payment") { return .refund }
        if members.contains("reason_code") { return .dispute }
        // Chargebacks are never refused or cancelled.
        if status == "REJECTED" || status == "CANCELLED" { return .refund }
        return nil
    }
}
