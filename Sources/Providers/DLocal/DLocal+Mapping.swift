package import JSON
import Payments

/// How a dLocal object becomes ours. Field by field:
/// - a payment: `charged` is `amount` in `currency`, what the customer pays in local money; fees and what is settled stand
///   in reports alone. A payment never tells of its refunds' and chargebacks' money: these have rows of their own.
/// - a capture is a payment of its own whose `authorization_id` names the payment that held the money: its `parentID`.
/// - a refund: `returned` is `amount_refunded`, else `amount`; a chargeback: `disputed` is `amount`.
/// - no object has a time of change; `approved_date` of a paid payment is when the money was taken.
package struct DLocalMapping: ElementMapping {
    package var resource: String { kind.resource }
    package var redaction: Redaction { reading.redaction }
    package var comparison: Redaction { reading.comparison }
    package let known: KnownPaths
    let kind: DLocalKind
    let reading: DLocalReading

    init(kind: DLocalKind, reading: DLocalReading) {
        self.kind = kind
        self.reading = reading
        known = Self.known[kind] ?? KnownPaths([])
    }

    private static let known = Dictionary(
        uniqueKeysWithValues: DLocalKind.allCases.map { kind in
            (kind, KnownPaths(kind.known, cut: DLocal.redactedPaths, keeping: DLocal.keptOnly))
        })

    package func identity(of element: JSONValue) -> RowIdentity {
        RowIdentity(
            id: element["id"]?.scalarText.flatMap { $0.isEmpty ? nil : $0 },
            createdAt: (element["created_date"] ?? element["approved_date"])?.textBytes
                .flatMap { Timestamp(utf8: $0) })
    }

    package func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        do throws(RowFault) {
            return try mapWhole(element)
        } catch {
            // The payment this row belongs to must be known even so: it is not evaluated on this side.
            var fault = error
            fault.recordID = element["id"]?.scalarText
            fault.references = element.isObject ? reading.references(ElementReader(element: element), kind) : []
            throw fault
        }
    }

    private func mapWhole(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        try ElementReader.checkUsable(element)
        let reader = ElementReader(element: element)
        guard let id = try reader.text("id") else { throw RowFault("missing: id") }
        guard let status = try reader.text("status") else { throw RowFault("missing: status") }
        let created = try reader.time("created_date")
        let approved = try reader.time("approved_date")
        guard let createdAt = created ?? approved else { throw RowFault("missing: created_date") }
        for path in ["order_id", "payment_id", "id_payment", "authorization_id"] { _ = try reader.text(path) }

        var mapped = MappedTransaction(
            resource: resource, transactionID: id, createdAt: createdAt, direction: .in, rawStatus: status,
            reading: try reading.meaning(of: status, kind, reader))
        guard let amount = try ElementReader.amount(element["amount"], "amount") else {
            throw RowFault("missing: amount")
        }
        guard let currency = try reader.text("currency") else { throw RowFault("missing: currency") }
        mapped.chargedCurrency = currency
        switch kind {
        case .payment: try payment(reader, amount, approved, into: &mapped)
        case .refund: mapped.returned = try refunded(reader, amount, mapped.reading)
        case .dispute: mapped.disputed = amount
        }
        if kind != .payment { mapped.parentID = try reader.text(anyOf: "payment_id", "id_payment") }
        mapped.references = reading.references(reader, kind)
        if !mapped.reading.isKnown { mapped.flags.append("status_unknown") }
        if mapped.reading.event == .expected { mapped.flags.append("event_expected") }
        if amount.isNegative { mapped.flags.append("negative_amount") }
        UnmappedValues.note(element, compared: kind.compared, known: known, into: &mapped)
        return mapped
    }

    private func payment(
        _ reader: ElementReader, _ amount: ExactDecimal, _ approved: Timestamp?, into mapped: inout MappedTransaction
    ) throws(RowFault) {
        for path in ["card", "payer", "wallet"] { try reader.checkObject(path) }
        mapped.charged = amount
        if mapped.reading.money == .returned { mapped.returned = amount }
        // Of the other statuses it is when they were reached, not when money moved.
        if mapped.reading.money == .taken || mapped.reading.money == .returned { mapped.takenAt = approved }
        mapped.paymentMethod = try reading.method(reader)
        mapped.country = try reader.text("country")
        mapped.customerID = try reading.customer(reader)
        mapped.parentID = try reader.text("authorization_id")
        if mapped.parentID == mapped.transactionID { mapped.parentID = nil }
        let refunds = reader.element["refunds"]
        if let refunds, !refunds.isArray, !refunds.isNull {
            throw ElementReader.changed("refunds", "array", refunds)
        }
        if DLocalReading.refunds(of: reader.element).contains(nil) { mapped.flags.append("refund_unnamed") }
    }

    /// What the user received; a refund that is not carried out has received nothing yet, and speaks of its amount.
    private func refunded(
        _ reader: ElementReader, _ amount: ExactDecimal, _ reading: StatusMap.Reading
    ) throws(RowFault) -> ExactDecimal {
        let received = try ElementReader.amount(reader.element["amount_refunded"], "amount_refunded")
        return reading.money == .returned ? received ?? amount : amount
    }
}
