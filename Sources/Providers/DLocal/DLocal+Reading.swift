import JSON
import Payments

/// What mappings and notifications read alike.
struct DLocalReading: Sendable {
    let statusMap: StatusMap
    let keepsUserReference: Bool
    var redaction: Redaction { keepsUserReference ? Self.ofOpaque : Self.ofPersonal }
    var comparison: Redaction { keepsUserReference ? Self.comparedOfOpaque : Self.comparedOfPersonal }

    // Dozens of paths at any depth are worth building once.
    private static let ofPersonal = Redaction(paths: DLocal.redactedPaths, keeping: DLocal.keptOnly)
    private static let ofOpaque = Redaction(
        paths: DLocal.redactedPaths.filter { $0 != "**.user_reference" },
        keeping: DLocal.keptOnly.merging(["payer": ["user_reference"]]) { $1 })
    private static let comparedOfPersonal = ofPersonal.cutting(DLocal.volatilePaths)
    private static let comparedOfOpaque = ofOpaque.cutting(DLocal.volatilePaths)

    init(statusMap: StatusMap, keepsUserReference: Bool) {
        self.statusMap = statusMap
        self.keepsUserReference = keepsUserReference
    }

    /// The customer's id, where it may be kept.
    func customer(_ reader: ElementReader) throws(RowFault) -> String? {
        keepsUserReference ? try reader.text("payer.user_reference") : nil
    }

    /// What a status means. Of a payment PENDING means three things: 101 is an open 3-D Secure; 100 of a card that was
    /// submitted directly leaves the customer nothing to do (`submitted`); any other way the customer must still pay.
    func meaning(
        of status: String, _ kind: DLocalKind, _ reader: ElementReader
    ) throws(RowFault) -> StatusMap.Reading {
        var circumstances = StatusMap.Circumstances(direction: .in, kind: kind.rawValue)
        if kind == .payment {
            circumstances.method = try method(reader) ?? ""
            let type = try reader.text(anyOf: "payment_method_type", "payment_method_id")
            let code = try code(reader)
            let flow = try reader.text("payment_method_flow")
            let isSubmitted = code == "100" && type == "CARD" && flow == "DIRECT"
            circumstances.kindClass = isSubmitted ? "submitted" : "open"
        }
        return statusMap.reading(status, circumstances)
    }

    /// Text in payments, a number in refunds and chargebacks.
    private func code(_ reader: ElementReader) throws(RowFault) -> String? { try reader.text("status_code") }

    /// How it was paid: a wallet where the card says so, else the type, else the id.
    func method(_ reader: ElementReader) throws(RowFault) -> String? {
        try reader.text(anyOf: "card.wallet_type", "payment_method_type", "payment_method_id")
    }

    /// What ties an object to orders, payments and events; what is no text is passed over. `kind` nil: a refund or a
    /// chargeback, which of the two nobody knows, so both are looked for.
    func references(_ reader: ElementReader, _ kind: DLocalKind?) -> [Reference] {
        func text(_ path: String) -> String? { (try? reader.text(path)) ?? nil }
        let id = text("id")
        var references: [Reference?] = [Reference("book:order", text("order_id"))]
        switch kind {
        case .payment:
            references += [
                Reference(DLocalKind.payment.idKind, id),
                // A capture is a payment of its own, and names the authorization that it uses up.
                Reference(DLocalKind.payment.idKind, text("authorization_id")),
            ]
            references += Self.refunds(of: reader.element).map { Reference(DLocalKind.refund.idKind, $0) }
        case .refund, .dispute:
            references.append(Reference((kind ?? .refund).idKind, id))
            references.append(Reference(DLocalKind.payment.idKind, text("payment_id") ?? text("id_payment")))
        case nil:
            references.append(Reference(DLocalKind.refund.idKind, id))
            references.append(Reference(DLocalKind.dispute.idKind, id))
            references.append(Reference(DLocalKind.payment.idKind, text("payment_id") ?? text("id_payment")))
        }
        return references.compactMap(\.self)
    }

    /// The ids that `refunds[]` names. Its elements are not documented: refund objects, or their bare ids. Nil: an element
    /// that names none.
    static func refunds(of payment: JSONValue) -> [String?] {
        guard let list = payment["refunds"], list.isArray else { return [] }
        return list.elements.map { element in
            let id = element.isObject ? (element["id"] ?? element["refund_id"])?.scalarText : element.string
            return id.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
