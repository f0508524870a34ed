package import HTTP
package import JSON
import Payments

/// Reads v2 orders by id. There is no list of them: book and events name what is to be read.
package struct CoinbaseOrders: SingleReader {
    package let configuration: CoinbaseConfiguration
    let mapping: CoinbaseOrderMapping

    package var expectedStatuses: Set<Int> { [400, 404] }
    package var keys: Set<ReadKey> { [.id] }
    package var idKinds: [String] { ["coinbase:order"] }

    package func request(for ask: ReadAsk) -> HTTPRequest? {
        ask.id.map {
            HTTPRequest(
                url: "\(configuration.ordersBase)/platform/v2/onramp/orders/\(URLText.escape($0))",
                headers: [("Accept", "application/json")])
        }
    }

    package func answer(from response: HTTPResponse, to ask: ReadAsk) throws(ProviderFault) -> SingleAnswer {
        switch response.status {
        case 200...299: break
        case 404: return .elements([])
        default:
            let code = Coinbase.code(response)
            // What is no order id by its form is unknown too.
            if response.status == 400, code == "invalid_request", ask.id.map(Self.isOrderID) == false {
                return .elements([])
            }
            throw .refused(status: response.status, code: code)
        }
        let root = try Answer.json(response)
        let order = root["order"] ?? root
        if order.isNull { return .elements([]) }
        guard order.isObject, order["orderId"] != nil || order["order_id"] != nil else { throw .unreadable("no order") }
        return .elements([order])
    }

    /// `^[a-f0-9-]{36}$`
    static func isOrderID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) || $0 == UInt8(ascii: "-") }
    }
}

/// How a v2 order becomes ours: a second view of a payment whose v1 transaction has another id. A shared hash ties the
/// two; that either id is the other's is not documented and would tie them as well. Amounts are plain decimal texts.
package struct CoinbaseOrderMapping: ElementMapping {
    package let resource = "order"
    package let redaction = Coinbase.redaction
    package let known: KnownPaths = Self.known
    let statusMap: StatusMap
    let isLive: Bool

    package init(statusMap: StatusMap, isLive: Bool) {
        self.statusMap = statusMap
        self.isLive = isLive
    }

    // Made once: turning paths into a machine costs more than a page of rows.
    private static let known = KnownPaths(
        knownPaths, cut: Coinbase.redactedPaths, opaque: Coinbase.opaquePaths)

    package var comparison: Redaction { redaction }

    package func identity(of element: JSONValue) -> RowIdentity {
        let fields = CoinbaseFields(element)
        return RowIdentity(
            id: fields["order_id"]?.scalarText.flatMap { $0.isEmpty ? nil : $0 },
            createdAt: (try? fields.time("created_at")) ?? nil)
    }

    package func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        do throws(RowFault) {
            return try mapWhole(element)
        } catch {
            var fault = error
            let fields = CoinbaseFields(element)
            fault.recordID = fields["order_id"]?.scalarText
            fault.references = Self.references(fault.recordID, hash: fields["tx_hash"]?.scalarText)
            throw fault
        }
    }

    private func mapWhole(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        try ElementReader.checkUsable(element)
        let fields = CoinbaseFields(element)
        guard let id = try fields.text("order_id") else { throw RowFault("missing: order_id") }
        guard let status = try fields.text("status") else { throw RowFault("missing: status") }
        guard let created = try fields.time("created_at") else { throw RowFault("missing: created_at") }
        let reading = try CoinbaseMapping.reading(status, fields, statusMap)
        var mapped = MappedTransaction(
            resource: resource, transactionID: id, createdAt: created, direction: .in, rawStatus: status,
            reading: reading)
        mapped.updatedAt = try fields.time("updated_at")
        mapped.kind = "order"
        mapped.paymentMethod = try fields.text("payment_method")
        mapped.charged = try fields.amount("payment_total")
        mapped.chargedCurrency = try fields.text("payment_currency")
        mapped.delivered = try fields.amount("purchase_amount")
        mapped.deliveredCurrency = try fields.text("purchase_currency")
        try fees(try fields.list("fees"), into: &mapped)
        mapped.walletAddress = try fields.text("destination_address")
        mapped.references = Self.references(id, hash: try fields.hash())
        mapped.parentID = try fields.text("transaction_id")
        if let parent = mapped.parentID { mapped.references += CoinbaseMapping.references(parent, hash: nil) }
        try Coinbase.note(customer: fields.text("partner_user_ref"), isLive: isLive, into: &mapped)
        Coinbase.flags(into: &mapped)
        if mapped.updatedAt == nil { mapped.flags.append("updated_at_missing") }
        CoinbaseFields.note(element, compared: Self.compared, known: known, into: &mapped)
        return mapped
    }

    /// Parts by their types. Of two of one type the sum is nobody's word: neither is taken.
    private func fees(_ list: JSONValue?, into mapped: inout MappedTransaction) throws(RowFault) {
        guard let list else { return }
        var parts: [String: ExactDecimal?] = [:]
        for (place, fee) in list.elements.enumerated() {
            let path = "fees[\(place)]"
            guard fee.isObject else { throw ElementReader.changed(path, "object", fee) }
            let type = try ElementReader.text(fee["type"] ?? fee["feeType"], "\(path).type") ?? ""
            let amount = try ElementReader.amount(fee["amount"] ?? fee["feeAmount"], "\(path).amount")
            let currency = try ElementReader.text(fee["currency"] ?? fee["feeCurrency"], "\(path).currency")
            mapped.feeCurrency = mapped.feeCurrency ?? currency
            if currency != mapped.feeCurrency {
                mapped.flags.append("fee_currencies_differ")
                continue
            }
            if parts[type] != nil {
                mapped.flags.append("fees_repeated")
                parts[type] = .some(nil)
            } else {
                parts[type] = amount
            }
        }
        mapped.feeProvider = parts["FEE_TYPE_EXCHANGE"] ?? nil
        mapped.feeNetwork = parts["FEE_TYPE_NETWORK"] ?? nil
        let others = parts.keys.filter { $0 != "FEE_TYPE_EXCHANGE" && $0 != "FEE_TYPE_NETWORK" }
        if others.count == 1, let other = others.first { mapped.feeOther = parts[other] ?? nil }
    }

    static func references(_ id: String?, hash: String?) -> [Reference] {
        [Reference("coinbase:order", id), Reference("coinbase:transaction", id), Reference("chain:tx", hash)]
            .compactMap(\.self)
    }

    static let names = [
        "created_at", "destination_address", "fees[].amount", "fees[].currency", "fees[].type", "order_id",
        "partner_user_ref", "payment_currency", "payment_method", "payment_total", "purchase_amount",
        "purchase_currency", "status", "transaction_id", "tx_hash", "updated_at",
    ]

    /// Documented values that no column holds and whose change is news.
    static let compared: Set<String> = [
        "destination_network", "exchange_rate", "failure_reason", "fees[].amount", "fees[].currency", "fees[].type",
        "payment_subtotal",
    ]

    static let knownPaths = Spelling.both(names + compared)
}
