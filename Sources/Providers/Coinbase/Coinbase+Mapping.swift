package import JSON
import Payments

/// How a v1 transaction of Coinbase becomes ours. Only `status` and `transaction_id` are sure to be there. Money are
/// objects of `value` and `currency`; `charged` is `payment_total`, fees included; `delivered` is `purchase_amount`.
/// There is no time of change, so the version's time is that of the request.
package struct CoinbaseMapping: ElementMapping {
    package let resource = "transaction"
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

    /// Nothing of a row is known to change without meaning; which spelling its keys have is told by the content.
    package var comparison: Redaction { redaction }

    package func identity(of element: JSONValue) -> RowIdentity {
        let fields = CoinbaseFields(element)
        return RowIdentity(
            id: fields["transaction_id"]?.scalarText.flatMap { $0.isEmpty ? nil : $0 },
            createdAt: (try? fields.time("created_at")) ?? (try? fields.time("completed_at")) ?? nil)
    }

    package func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        do throws(RowFault) {
            return try mapWhole(element)
        } catch {
            // The payment this row belongs to must be known even so: it is not evaluated on this side.
            var fault = error
            let fields = CoinbaseFields(element)
            fault.recordID = fields["transaction_id"]?.scalarText
            fault.references = Self.references(fault.recordID, hash: fields["tx_hash"]?.scalarText)
            throw fault
        }
    }

    private func mapWhole(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        try ElementReader.checkUsable(element)
        let fields = CoinbaseFields(element)
        guard let id = try fields.text("transaction_id") else { throw RowFault("missing: transaction_id") }
        guard let status = try fields.text("status") else { throw RowFault("missing: status") }
        var created = try fields.time("created_at")
        let completed = try fields.time("completed_at")
        created = created ?? completed
        guard let created else { throw RowFault("missing: created_at") }
        let reading = try Self.reading(status, fields, statusMap)
        var mapped = MappedTransaction(
            resource: resource, transactionID: id, createdAt: created, direction: .in, rawStatus: status,
            reading: reading)
        mapped.kind = try fields.text("type")
        mapped.paymentMethod = try fields.text("payment_method")
        mapped.country = try fields.text("country")
        (mapped.charged, mapped.chargedCurrency) = try fields.money("payment_total")
        (mapped.delivered, mapped.deliveredCurrency) = try fields.money("purchase_amount")
        if mapped.deliveredCurrency == nil { mapped.deliveredCurrency = try fields.text("purchase_currency") }
        try fees(of: fields, into: &mapped)
        mapped.walletAddress = try fields.text("wallet_address")
        mapped.references = Self.references(id, hash: try fields.hash())
        try Coinbase.note(customer: fields.text("partner_user_ref"), isLive: isLive, into: &mapped)
        Coinbase.flags(into: &mapped)
        if try fields.text("failure_reason") == Self.sendFailed { mapped.flags.append("attention") }
        CoinbaseFields.note(element, compared: Self.compared, known: known, into: &mapped)
        return mapped
    }

    private func fees(of fields: CoinbaseFields, into mapped: inout MappedTransaction) throws(RowFault) {
        let (provider, providerCurrency) = try fields.money("coinbase_fee")
        let (network, networkCurrency) = try fields.money("network_fee")
        let (subtotal, subtotalCurrency) = try fields.money("payment_subtotal")
        mapped.feeProvider = provider
        mapped.feeCurrency = providerCurrency ?? networkCurrency
        if provider == nil || networkCurrency == mapped.feeCurrency {
            mapped.feeNetwork = network
            if provider == nil { mapped.feeCurrency = networkCurrency ?? providerCurrency }
        } else if network != nil {
            mapped.flags.append("fee_currencies_differ")
        }
        let currencies = Set([mapped.chargedCurrency, subtotalCurrency, providerCurrency, networkCurrency])
        if let total = mapped.charged, let subtotal, let provider, let network, currencies.count == 1,
            !ExactSum.equals(total, [subtotal, provider, network])
        {
            mapped.flags.append("fee_sum_differs")
        }
    }

    static let sendFailed = "FAILURE_REASON_SEND_FAILED"

    /// What a status means: a failure by its reason, a payment in progress by whether something was sent.
    static func reading(
        _ status: String, _ fields: CoinbaseFields, _ map: StatusMap
    ) throws(RowFault) -> StatusMap.Reading {
        let type = try fields.text("type")
        var kind = ""
        switch try fields.text("failure_reason") {
        case "FAILURE_REASON_BUY_FAILED": kind = "buy_failed"
        case sendFailed: kind = type == "ONRAMP_TRANSACTION_TYPE_SEND" ? "send_failed_of_balance" : "send_failed"
        default: if try fields.hash() != nil { kind = "hash" }
        }
        return map.reading(
            status,
            .init(direction: .in, kind: type ?? "", kindClass: kind, method: try fields.text("payment_method") ?? ""))
    }

    static func references(_ id: String?, hash: String?) -> [Reference] {
        [Reference("coinbase:transaction", id), Reference("chain:tx", hash)].compactMap(\.self)
    }

    /// What a column holds.
    static let names = [
        "coinbase_fee.currency", "coinbase_fee.value", "country", "created_at", "network_fee.currency",
        "network_fee.value", "partner_user_ref", "payment_method", "payment_total.currency", "payment_total.value",
        "purchase_amount.currency", "purchase_amount.value", "purchase_currency", "status", "transaction_id", "tx_hash",
        "type", "wallet_address",
    ]

    /// Documented values that no column holds and whose change is news.
    static let compared: Set<String> = [
        "completed_at", "contract_address", "end_partner_name", "exchange_rate.currency", "exchange_rate.value",
        "failure_reason", "network_fee.value", "payment_subtotal.currency", "payment_subtotal.value",
        "payment_total_usd.currency", "payment_total_usd.value", "purchase_network", "user_type",
    ]

    static let knownPaths = Spelling.both(names + compared)
}
