import Crypto
package import JSON
import Payments

extension MappedTransaction {
    /// What makes two versions the same: 16 bytes of SHA-256 over the mapped columns in catalogue order, each prefixed
    /// with its length and in normal form (numbers without trailing zeros or −0, moments in UTC microseconds), then the
    /// unmapped values and their paths, sorted.
    package func contentHash() -> [UInt8] { contentHash(references: referenceTexts, flags: flagTexts) }

    /// The same where `referenceTexts` and `flagTexts` were made already.
    package func contentHash(references: [String], flags: [String]) -> [UInt8] {
        var fields = FieldBytes()
        fields.append(resource)
        fields.append(transactionID)
        append(createdAt, to: &fields)
        append(updatedAt, to: &fields)
        fields.append(direction.rawValue)
        fields.append(kind)
        fields.append(rawStatus)
        fields.append(reading.state.rawValue)
        fields.append(String(reading.rank))
        fields.append(money.rawValue)
        fields.append(reading.afterHeld?.rawValue)
        fields.append(reading.afterTaken?.rawValue)
        fields.append(reading.afterDelivered?.rawValue)
        fields.append(reading.isFinal ? "final" : "open")
        append(takenAt, to: &fields)
        fields.append(provider)
        fields.append(paymentMethod)
        fields.append(country)
        append(charged, to: &fields)
        append(delivered, to: &fields)
        append(returned, to: &fields)
        append(disputed, to: &fields)
        fields.append(chargedCurrency)
        fields.append(deliveredCurrency)
        append(feeNetwork, to: &fields)
        append(feeProvider, to: &fields)
        append(feePartner, to: &fields)
        append(feeOther, to: &fields)
        append(feeTotal, to: &fields)
        fields.append(feeCurrency)
        fields.append(customerID)
        fields.append(walletAddress)
        fields.append(walletTag)
        fields.append(segment)
        fields.append(isTest ? "test" : "live")
        append(references, to: &fields)
        append(flags, to: &fields)
        fields.append(unmapped.map { Hex.encode($0) })
        append(unmappedPaths, to: &fields)
        // Only where there is one: rows that are about none keep the digest they had before there were parents.
        if let parentID { fields.append(parentID) }
        return fields.digest
    }

    private func append(_ moment: Timestamp?, to fields: inout FieldBytes) {
        fields.append(moment.map { String($0.microseconds) })
    }

    private func append(_ amount: ExactDecimal?, to fields: inout FieldBytes) {
        fields.append(amount?.description)
    }

    private func append(_ texts: [String], to fields: inout FieldBytes) {
        fields.append(String(texts.count))
        for text in texts { fields.append(text) }
    }
}

/// 16 bytes of SHA-256 over the kept bytes less volatile paths: equal means unchanged, without mapping.
package enum RawHash {
    package static func of(_ element: JSONValue, _ mapping: any ElementMapping) -> [UInt8] {
        var hasher = SHA256Hasher()
        mapping.comparison.forEachKeptSpan(of: element) { hasher.update($0) }
        return Array(hasher.finish().prefix(16))
    }
}
