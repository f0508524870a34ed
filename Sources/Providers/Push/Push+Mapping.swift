package import JSON
import Payments

/// How a record of Push Cash becomes ours: what all kinds have in common. What each is read from stands in
/// `Push+Intents`, `Push+Legs` (refunds, disputes) and `Push+Ledger` (lines, payouts).
///
/// Amounts are whole cents, in the currency that the record names. There is no time of change anywhere.
package struct PushMapping: ElementMapping {
    let kind: PushKind
    package var redaction: Redaction { Push.redaction }
    package var comparison: Redaction { Push.comparison }
    package let known: KnownPaths
    let statusMap: StatusMap
    let currencies: CurrencyTable
    let isLive: Bool
    let announcesAll: Bool
    private let accountID: String?

    package var resource: String { kind.rawValue }

    init(kind: PushKind, statusMap: StatusMap, currencies: CurrencyTable, configuration: PushConfiguration) {
        self.kind = kind
        self.statusMap = statusMap
        self.currencies = currencies
        isLive = configuration.isLive
        announcesAll = configuration.announcesAll
        accountID = configuration.accountID
        known = Self.known[kind] ?? KnownPaths([])
    }

    // Made once: turning paths into a machine costs more than a page of rows.
    private static let known = Dictionary(
        uniqueKeysWithValues: PushKind.allCases.map { kind in
            let paths = kind.mappedPaths + kind.comparedPaths + kind.documentedPaths + Push.volatilePaths
            return (kind, KnownPaths(paths, cut: Push.redactedPaths, opaque: Push.opaquePaths))
        })

    package func identity(of element: JSONValue) -> RowIdentity {
        let account = (element[path: "account.id"] ?? element["account_id"])?.string
        let isStranger = accountID != nil && account != nil && account != accountID
        return RowIdentity(
            id: element["id"]?.string.flatMap { $0.isEmpty ? nil : $0 },
            createdAt: element["created_at"]?.textBytes.flatMap { Timestamp(utf8: $0) }, isStranger: isStranger)
    }

    package func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        do throws(RowFault) {
            return try mapWhole(element)
        } catch {
            // The payment this row belongs to must be known even so: it is not evaluated on this side.
            var fault = error
            fault.recordID = element["id"]?.scalarText
            fault.references = readableReferences(element)
            throw fault
        }
    }

    private func mapWhole(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        try ElementReader.checkUsable(element)
        let reader = ElementReader(element: element)
        try reader.checkObject("account")
        guard let id = try reader.string("id") else { throw RowFault("missing: id") }
        guard let createdAt = try reader.time("created_at") else { throw RowFault("missing: created_at") }
        let record = Record(reader: reader, id: id, createdAt: createdAt)
        var mapped: MappedTransaction
        switch kind {
        case .intent: mapped = try intent(record)
        case .refund: mapped = try refund(record)
        case .dispute: mapped = try dispute(record)
        case .line: mapped = try line(record)
        case .transfer: mapped = try transfer(record)
        }
        if mapped.reading.state == .unknown { mapped.flags.append("status_unknown") }
        UnmappedValues.note(element, compared: kind.comparedPaths, known: known, into: &mapped)
        return mapped
    }

    /// What every record has.
    struct Record {
        let reader: ElementReader
        let id: String
        let createdAt: Timestamp
    }

    /// `intent_sandbox_…` in a source of real money: somebody has mixed the two.
    func isTest(_ intent: String?) -> Bool { isLive && intent?.hasPrefix("intent_sandbox_") == true }

    func start(
        _ record: Record, _ direction: Direction, status: String, kind word: String = "", method: String = ""
    ) -> MappedTransaction {
        let reading = statusMap.reading(
            status, .init(direction: direction, kind: word, kindClass: resource, method: method))
        return MappedTransaction(
            resource: resource, transactionID: record.id, createdAt: record.createdAt, direction: direction,
            rawStatus: status, reading: reading)
    }

    // MARK: Money

    /// An amount that must be there, in units of its currency.
    func amount(_ reader: ElementReader) throws(RowFault) -> (amount: ExactDecimal, currency: String) {
        guard let currency = try reader.string("currency") else { throw RowFault("missing: currency") }
        guard let cents = try reader.cents("amount") else { throw RowFault("missing: amount") }
        return (try amount(cents, in: currency), currency)
    }

    func amount(_ cents: ExactDecimal, in currency: String) throws(RowFault) -> ExactDecimal {
        guard let exponent = currencies.exponent(currency, provider: Push.name) else {
            throw RowFault("currency: how many digits its amounts have is not known")
        }
        do throws(ExactDecimal.Fault) {
            return try cents.shiftedDown(by: exponent)
        } catch {
            throw RowFault("amount: beyond supported precision")
        }
    }

    // MARK: References

    /// The two names of a payment: a book may keep its id as that of the provider's transaction or of its order.
    static func payment(_ intent: String?) -> [Reference] {
        [Reference("push:transaction", intent), Reference("push:order", intent)].compactMap(\.self)
    }

    /// What the merchant called it, unless that could be somebody's name.
    static func order(_ text: String?) -> Reference? {
        guard let text, OpaqueRule.plain.keeps(text) else { return nil }
        return Reference("book:order", text)
    }

    private func readableReferences(_ element: JSONValue) -> [Reference] {
        func text(_ name: String) -> String? { element[name]?.string }
        switch kind {
        case .intent:
            return Self.payment(text("id"))
                + [Self.order(text("idempotency_key")), Self.order(text("tag"))].compactMap(\.self)
        case .refund:
            return [Reference("push:refund", text("id"))].compactMap(\.self) + Self.payment(text("intent_id"))
        case .dispute:
            return [Reference("push:dispute", text("id"))].compactMap(\.self) + Self.payment(text("intent_id"))
        case .line: return (try? lineReferences(ElementReader(element: element))) ?? []
        case .transfer: return [Reference("push:payout", text("id"))].compactMap(\.self)
        }
    }
}
