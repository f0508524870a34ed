import Payments

/// The merchant's order book as a file: what it would export on one night.
package enum OrderFile {
    private static let columns = [
        "order_id", "source", "status", "amount", "currency", "created_at", "direction", "provider_order_id",
        "provider_session_id", "provider_transaction_id", "customer_id", "destination_amount", "destination_currency",
        "wallet_address", "payment_method", "country", "segment", "expires_at", "paid_at", "credited_at", "failed_at",
        "updated_at", "credited_amount", "refunded_amount", "idempotency_key", "campaign",
    ]

    /// The first night exports everything, the later ones what changed since the export before. An order missing from a
    /// file says nothing.
    package static func csv(_ world: World, night: Int) -> [UInt8] {
        let until = world.shape.bookExport(night)
        let since = night > 1 ? world.shape.bookExport(night - 1) : nil
        var text: [UInt8] = Array(columns.joined(separator: ",").utf8) + [10]
        for order in world.orders where order.createdAt <= until {
            if let since, order.updatedAt(at: until) <= since { continue }
            append(order, at: until, to: &text)
        }
        return text
    }

    private static func append(_ order: BookEntry, at moment: Timestamp, to text: inout [UInt8]) {
        guard let status = order.status(at: moment) else { return }
        let amount = order.amount(at: moment).text(digits: order.amountDigits)
        let credited = order.moment(of: .credited, by: moment)
        let refunded = order.moment(of: .refunded, by: moment)
        let failed = order.moment(of: .failed, by: moment) ?? order.moment(of: .cancelled, by: moment)
        let bought = order.destinationAmount.text(digits: order.destinationDigits)
        let fields: [String?] = [
            order.id, order.source, status.rawValue, amount, order.currency, order.createdAt.description,
            order.direction.rawValue, order.headlessOrder, order.session(at: moment),
            status == .open ? nil : order.transaction,
            order.customer.externalId, bought, order.destinationCurrency, order.wallet, order.method, order.country,
            Identifiers.fold(order.id) % 5 == 0 ? "partner" : "own",
            order.showsExpiry ? order.expiresAt.description : nil,
            order.moment(of: .paid, by: moment)?.description, credited?.description, failed?.description,
            order.updatedAt(at: moment).description, credited == nil ? nil : bought, refunded == nil ? nil : amount,
            order.idempotencyKey, campaign(order),
        ]
        for (index, field) in fields.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(field ?? "", to: &text)
        }
        text.append(10)
    }

    /// A column nobody modelled, with text that needs quoting.
    private static func campaign(_ order: BookEntry) -> String? {
        switch Identifiers.fold(order.id) % 9 {
        case 0: "summer, \"early\" birds"
        case 1: "=newsletter"
        case 2: "Zoë"
        default: nil
        }
    }

    private static func append(_ field: String, to text: inout [UInt8]) {
        let bytes = Array(field.utf8)
        guard bytes.contains(where: { $0 == 34 || $0 == 44 || $0 == 10 || $0 == 13 }) else {
            text += bytes
            return
        }
        text.append(34)
        for byte in bytes {
            if byte == 34 { text.append(34) }
            text.append(byte)
        }
        text.append(34)
    }
}
