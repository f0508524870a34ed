package import JSON
import Payments

/// How an onramp session becomes ours. Field by field:
/// - amounts are decimal texts in major units (not the integer minor units of the rest of Stripe);
/// - `delivered` is `destination_amount`, `charged` what the customer was debited, fees included: `source_amount`, or that
///   and the fees, since Stripe's library says that it excludes them and Stripe's own sample includes them
///   (`Stripe+Amounts.swift`);
/// - null fees are not known yet, which is not zero;
/// - the merchant's order is named by one key of `metadata`, which the configuration names;
/// - there is no update time: a version counts from the request that showed it.
package struct StripeMapping: ElementMapping {
    package let resource = "transaction"
    package let redaction: Redaction
    package let comparison: Redaction
    package let known: KnownPaths
    let statusMap: StatusMap
    let isLive: Bool
    let orderKey: String
    let sourceReading: StripeConfiguration.SourceReading
    private let orderField: Field
    private let metadataFields: [Field]
    private let table: FieldTable

    init(configuration: StripeConfiguration, statusMap: StatusMap) {
        self.statusMap = statusMap
        isLive = configuration.isLive
        orderKey = configuration.orderKey
        sourceReading = configuration.sourceReading
        redaction = Redaction(paths: Stripe.redactedPaths, keeping: Stripe.keptOnly(configuration.metadataKeys))
        comparison = redaction.cutting(Stripe.volatilePaths)
        known = KnownPaths(
            Self.mappedPaths + Self.comparedPaths + [
                "transaction_details.destination_currencies[]", "transaction_details.destination_networks[]",
            ], cut: Stripe.redactedPaths, keeping: Stripe.keptOnly(configuration.metadataKeys))
        // Two tables would be two walks over each row: the merchant's keys are fields behind Stripe's own.
        let own = configuration.metadataKeys.map { "metadata.\($0)" }
        table = FieldTable(F.paths + own)
        metadataFields = own.enumerated().map { Field(path: $0.element, number: F.paths.count + $0.offset) }
        let place = configuration.metadataKeys.firstIndex(of: configuration.orderKey) ?? 0
        orderField = metadataFields[place]
    }

    package func identity(of element: JSONValue) -> RowIdentity {
        RowIdentity(
            id: element["id"]?.string.flatMap { $0.isEmpty ? nil : $0 },
            createdAt: StripeTime.lenient(element["created"]))
    }

    package func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        do throws(RowFault) {
            return try mapWhole(element)
        } catch {
            // The payment this row belongs to must be known even so: it is not evaluated on this side.
            var fault = error
            fault.recordID = element["id"]?.scalarText
            fault.references = (try? references(FieldReader(element, table), lenient: true)) ?? []
            throw fault
        }
    }

    private func mapWhole(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        try ElementReader.checkUsable(element)
        let reader = FieldReader(element, table)
        for field in F.objects { try reader.checkObject(field) }
        guard let id = try reader.text(F.id) else { throw RowFault("missing: id") }
        guard let status = try reader.text(F.status) else { throw RowFault("missing: status") }
        guard let createdAt = try StripeTime.read(reader.value(F.created), F.created.path) else {
            throw RowFault("missing: created")
        }
        let references = try references(reader, lenient: false)
        let hasTransfer = references.contains { $0.kind == "chain:tx" }
        let reading = statusMap.reading(
            status, .init(direction: .in, kindClass: hasTransfer ? "transferred" : ""))
        var mapped = MappedTransaction(
            resource: resource, transactionID: id, createdAt: createdAt, direction: .in, rawStatus: status,
            reading: reading)
        mapped.references = references
        try amounts(of: reader, into: &mapped)
        mapped.walletAddress = try reader.text(F.walletAddress)
        mapped.walletTag = try walletTag(reader)
        try mode(of: reader, into: &mapped)
        if !reading.isKnown { mapped.flags.append("status_unknown") }
        if reading.event == .expected { mapped.flags.append("event_expected") }
        UnmappedValues.note(reader, compared: F.compared + metadataFields, known: known, into: &mapped)
        return mapped
    }

    /// What ties the session to the merchant's order, to its events and to the chain. `lenient` skips what has another
    /// type than documented, for rows that cannot be mapped.
    private func references(_ reader: FieldReader, lenient: Bool) throws(RowFault) -> [Reference] {
        func text(_ field: Field) throws(RowFault) -> String? {
            do throws(RowFault) { return try reader.text(field) } catch {
                if lenient { return nil }
                throw error
            }
        }
        return [
            Reference("stripe:transaction", try text(F.id)),
            Reference("book:order", try text(orderField)),
            Reference("chain:tx", try text(F.transactionID)),
        ].compactMap(\.self)
    }

    /// A test session among live ones is kept and marked; it is in no sum.
    private func mode(of reader: FieldReader, into mapped: inout MappedTransaction) throws(RowFault) {
        guard let isLiveRow = try reader.bool(F.livemode) else { return mapped.flags.append("livemode_missing") }
        mapped.isTest = isLive && !isLiveRow
        if isLive != isLiveRow { mapped.flags.append("environment_differs") }
    }

    /// The tag of the network it goes to, else the only one there is.
    private func walletTag(_ reader: FieldReader) throws(RowFault) -> String? {
        guard let tags = reader.value(F.destinationTags), !tags.isNull else { return nil }
        try ElementReader.checkObject(tags, F.destinationTags.path)
        if let network = try reader.text(F.destinationNetwork), let tag = tags[network] {
            return try ElementReader.text(tag, "\(F.destinationTags.path).\(network)")
        }
        let named = tags.members.filter { !$0.value.isNull }
        guard named.count == 1, let only = named.first else { return nil }
        return try ElementReader.text(only.value, F.destinationTags.path)
    }
}
