package import JSON
import Payments

/// How an element of Mercuryo's list becomes one row. The row is the payment: its id is the `transaction_id` that the
/// linked operations share, its status that of the operation that says where it stands (of the purchase until it is
/// paid, of the withdrawal from then on), its money the furthest of both. Amounts are never added: the withdrawal moves
/// what the purchase bought.
/// - `charged` is `fiat_amount` of a purchase, `amount` of a sale; `delivered` the other one, for a purchase as the
///   withdrawal says it.
/// - no fees: the list shows none, which is not known and not zero.
/// - no customer: the list names none but by e-mail, which is cut.
package struct MercuryoMapping: ElementMapping {
    package let resource = "transaction"
    package let redaction: Redaction
    package let comparison: Redaction
    package let known: KnownPaths
    let statusMap: StatusMap
    let widgetID: String?

    package init(statusMap: StatusMap, widgetID: String? = nil) {
        self.statusMap = statusMap
        self.widgetID = widgetID
        redaction = Self.redaction
        comparison = Self.comparison
        known = Self.known
    }

    // Made once: turning paths into a machine costs more than a page of rows.
    private static let redaction = Redaction(paths: Mercuryo.redactedPaths)
    private static let comparison = redaction.cutting(Mercuryo.volatilePaths)
    private static let known = KnownPaths(knownPaths, cut: Mercuryo.redactedPaths)

    /// Of each operation; an array in the place of one holds several.
    static let knownPaths = MercuryoOperation.kinds.flatMap { kind in
        MercuryoOperation.fields.flatMap { ["\(kind).\($0)", "\(kind)[].\($0)"] }
    }

    package func identity(of element: JSONValue) -> RowIdentity {
        let values = MercuryoOperation.values(element).map(\.value)
        let widget = values.lazy.compactMap { $0["widget_id"]?.scalarText }.first
        let times = values.compactMap { value in
            value["created_at"]?.textBytes.flatMap { Timestamp(utf8: $0, assumingUTC: true) }
        }
        return RowIdentity(
            id: Self.id(values), createdAt: times.first,
            isStranger: widgetID != nil && widget != nil && widget != widgetID)
    }

    /// The id that the linked operations share, else the first one's own id.
    private static func id(_ values: [JSONValue]) -> String? {
        for name in ["transaction_id", "id"] {
            for value in values { if let id = value[name]?.scalarText, !id.isEmpty { return id } }
        }
        return nil
    }

    package func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        do throws(RowFault) {
            return try mapWhole(element)
        } catch {
            // The payment this row belongs to must be known even so: it is not evaluated on this side.
            var fault = error
            let values = MercuryoOperation.values(element).map(\.value)
            fault.recordID = Self.id(values)
            fault.references = values.flatMap { value in
                Self.references(
                    transaction: value["transaction_id"]?.scalarText ?? fault.recordID,
                    operation: value["id"]?.scalarText,
                    merchant: value["merchant_transaction_id"]?.scalarText, hash: value["hash"]?.scalarText)
            }
            throw fault
        }
    }

    private func mapWhole(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        try ElementReader.checkUsable(element)
        var operations: [MercuryoOperation] = []
        for (kind, value) in MercuryoOperation.values(element) {
            guard value.isObject else { throw ElementReader.changed(kind, "object", value) }
            operations.append(try MercuryoOperation(value, kind: kind))
        }
        let payment = try MercuryoPayment(operations, statusMap)
        guard let id = Self.id(MercuryoOperation.values(element).map(\.value)) else {
            throw RowFault("missing: transaction_id")
        }
        let main = payment.main
        var mapped = MappedTransaction(
            resource: resource, transactionID: id, createdAt: main.createdAt,
            direction: MercuryoPayment.direction(main.kind), rawStatus: payment.deciding.status,
            reading: payment.reading)
        mapped.money = payment.money
        mapped.updatedAt = operations.compactMap(\.updatedAt).max()
        mapped.takenAt = payment.takenAt
        mapped.kind = main.kind
        mapped.paymentMethod = main.method ?? main.kind
        mapped.country = main.country?.uppercased()
        amounts(of: payment, into: &mapped)
        mapped.walletAddress = (payment.linked ?? main).address
        mapped.references = operations.flatMap {
            Self.references(
                transaction: $0.transactionID ?? id, operation: $0.id, merchant: $0.merchantTransactionID, hash: $0.hash
            )
        }
        flags(of: payment, into: &mapped)
        note(element, into: &mapped)
        return mapped
    }

    private func amounts(of payment: MercuryoPayment, into mapped: inout MappedTransaction) {
        let main = payment.main
        let fiat = (main.fiat, main.fiatCurrency)
        let crypto = (main.crypto, main.cryptoCurrency)
        switch main.kind {
        case "sell", "deposit":
            (mapped.charged, mapped.chargedCurrency) = crypto
            (mapped.delivered, mapped.deliveredCurrency) = fiat
        default:
            (mapped.charged, mapped.chargedCurrency) = fiat
            let sent = payment.linked.flatMap { $0.crypto == nil ? nil : ($0.crypto, $0.cryptoCurrency) }
            (mapped.delivered, mapped.deliveredCurrency) = sent ?? crypto
        }
        if mapped.money == .returned { mapped.returned = mapped.charged }
    }

    static func references(
        transaction: String?, operation: String?, merchant: String?, hash: String?
    ) -> [Reference] {
        // Which of them Meld shows as the payment's is not documented: each is a name of the payment.
        [transaction, operation, merchant].compactMap { Reference("mercuryo:transaction", $0) }
            + [
                Reference("mercuryo:operation", operation), Reference("book:order", merchant),
                Reference("chain:tx", hash),
            ].compactMap(\.self)
    }

    private func flags(of payment: MercuryoPayment, into mapped: inout MappedTransaction) {
        let status = payment.main.status
        let isBuy = MercuryoOperation.purchases.contains(payment.main.kind)
        if isBuy, status == "descriptor_failed" || status == "failed_exchange" { mapped.flags.append("attention") }
        if payment.deciding.kind == "withdraw", ["failed", "cancelled"].contains(payment.deciding.status) {
            mapped.flags.append("attention")
        }
        if payment.all.count(where: { $0.kind == "withdraw" }) > 1 { mapped.flags.append("several_withdrawals") }
        if mapped.updatedAt == nil { mapped.flags.append("updated_at_missing") }
        if !mapped.reading.isKnown { mapped.flags.append("status_unknown") }
        if mapped.reading.event == .expected { mapped.flags.append("event_expected") }
        if mapped.charged?.isNegative == true || mapped.delivered?.isNegative == true {
            mapped.flags.append("negative_amount")
        }
    }

    /// What changed in the operation that does not decide is news too.
    private func note(_ element: JSONValue, into mapped: inout MappedTransaction) {
        var compared: [String] = []
        for (kind, paths) in Self.compared {
            guard let value = element[kind] else { continue }
            compared += paths
            if !value.isArray { continue }
            compared += (0..<value.count).flatMap { place in
                Self.comparedFields.map { "\(kind)[\(place)].\($0)" }
            }
        }
        UnmappedValues.note(element, compared: compared, known: known, into: &mapped)
    }

    private static let comparedFields = [
        "amount", "created_at", "fiat_amount", "hash", "id", "payment_method", "status", "updated_at",
    ]
    /// The paths of an operation under each kind.
    private static let compared = MercuryoOperation.kinds.map { kind in
        (kind: kind, paths: comparedFields.map { "\(kind).\($0)" })
    }
}
