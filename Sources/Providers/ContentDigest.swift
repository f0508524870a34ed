import Crypto
package import JSON
import Payments

extension MappedTransaction {
    /// What makes two versions the same: 16 bytes of SHA-256 over the mapped columns in catalogue order, each prefixed
    /// with its length and in normal form (numbers without trailing zeros or −0, moments in UTC microseconds), then the
    /// unmapped values and their paths, sorted.
    package func contentHash() -> [UInt8] {
        var hasher = SHA256Hasher()
        hasher.update(field: resource)
        hasher.update(field: transactionID)
        hasher.update(field: String(createdAt.microseconds))
        hasher.update(field: updatedAt.map { String($0.microseconds) })
        hasher.update(field: direction.rawValue)
        hasher.update(field: kind)
        hasher.update(field: rawStatus)
        hasher.update(field: reading.state.rawValue)
        hasher.update(field: String(reading.rank))
        hasher.update(field: money.rawValue)
        hasher.update(field: reading.afterHeld?.rawValue)
        hasher.update(field: reading.afterTaken?.rawValue)
        hasher.update(field: reading.afterDelivered?.rawValue)
        hasher.update(field: reading.isFinal ? "final" : "open")
        hasher.update(field: takenAt.map { String($0.microseconds) })
        hasher.update(field: provider)
        hasher.update(field: paymentMethod)
        hasher.update(field: country)
        for amount in [charged, delivered, returned, disputed] { hasher.update(field: amount?.description) }
        hasher.update(field: chargedCurrency)
        hasher.update(field: deliveredCurrency)
        for fee in [feeNetwork, feeProvider, feePartner, feeOther, feeTotal] { hasher.update(field: fee?.description) }
        hasher.update(field: feeCurrency)
        hasher.update(field: customerID)
        hasher.update(field: walletAddress)
        hasher.update(field: walletTag)
        hasher.update(field: segment)
        hasher.update(field: isTest ? "test" : "live")
        list(referenceTexts, into: &hasher)
        list(flagTexts, into: &hasher)
        hasher.update(field: unmapped.map { Hex.encode($0) })
        list(unmappedPaths, into: &hasher)
        return Array(hasher.finish().prefix(16))
    }

    private func list(_ texts: [String], into hasher: inout SHA256Hasher) {
        hasher.update(field: String(texts.count))
        for text in texts { hasher.update(field: text) }
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
