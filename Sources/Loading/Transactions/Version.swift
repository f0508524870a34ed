package import JSON
package import Payments
package import Providers

/// One element as it arrived, before anything is known about it.
package struct IncomingRow: Sendable {
    package let element: JSONValue
    package let identity: RowIdentity
    /// 16 bytes over the kept bytes less volatile paths.
    package let rawHash: [UInt8]
    /// Ledger time of the request that brought it.
    package let requestStartedAt: Timestamp
    /// Resource and page, or resource and id: where a person can look.
    package let place: String
    /// What the mapping made of it, where that did not wait until the row turned out to be new.
    private let ahead: Result<Version, RowFault>?

    package init(
        element: JSONValue, identity: RowIdentity, mapping: any ElementMapping, requestStartedAt: Timestamp,
        place: String, mappedAhead: Bool = false
    ) {
        self.element = element
        self.identity = identity
        let rawHash = RawHash.of(element, mapping)
        self.rawHash = rawHash
        self.requestStartedAt = requestStartedAt
        self.place = place
        guard mappedAhead, !identity.isStranger else {
            ahead = nil
            return
        }
        do throws(RowFault) {
            ahead = .success(
                Version(
                    element: element, rawHash: rawHash, requestStartedAt: requestStartedAt,
                    mapped: try mapping.map(element)))
        } catch {
            ahead = .failure(error)
        }
    }

    /// The row as a version; throws what makes it unusable.
    func version(_ mapping: any ElementMapping) throws(RowFault) -> Version {
        if let ahead { return try ahead.get() }
        return Version(
            element: element, rawHash: rawHash, requestStartedAt: requestStartedAt, mapped: try mapping.map(element))
    }
}

/// What decides which of two versions of one transaction is the current one: the greater. Arrival plays no part.
package struct VersionOrder: Sendable, Hashable, Comparable {
    package let versionTime: Timestamp
    package let stateRank: Int
    package let requestStartedAt: Timestamp
    package let contentHash: [UInt8]

    package init(versionTime: Timestamp, stateRank: Int, requestStartedAt: Timestamp, contentHash: [UInt8]) {
        self.versionTime = versionTime
        self.stateRank = stateRank
        self.requestStartedAt = requestStartedAt
        self.contentHash = contentHash
    }

    package static func < (a: VersionOrder, b: VersionOrder) -> Bool {
        if a.versionTime != b.versionTime { return a.versionTime < b.versionTime }
        if a.stateRank != b.stateRank { return a.stateRank < b.stateRank }
        if a.requestStartedAt != b.requestStartedAt { return a.requestStartedAt < b.requestStartedAt }
        return a.contentHash.lexicographicallyPrecedes(b.contentHash)
    }
}

/// One mapped version, ready to be written. A class: what a mapping reads from a row is far too wide to be copied.
final class Version: Sendable {
    let element: JSONValue
    let rawHash: [UInt8]
    let mapped: MappedTransaction
    /// As the columns hold them; they are digested and written.
    let references: [String]
    let flags: [String]
    let order: VersionOrder

    init(element: JSONValue, rawHash: [UInt8], requestStartedAt: Timestamp, mapped: MappedTransaction) {
        self.element = element
        self.rawHash = rawHash
        self.mapped = mapped
        references = mapped.referenceTexts
        flags = mapped.flagTexts
        order = VersionOrder(
            versionTime: mapped.updatedAt ?? requestStartedAt, stateRank: mapped.reading.rank,
            requestStartedAt: requestStartedAt, contentHash: mapped.contentHash(references: references, flags: flags))
    }
}

/// What is stored of one transaction, as far as it was asked for.
struct KnownRow {
    var createdAt: Timestamp
    var rawHash: [UInt8]
    var contentHash: [UInt8]
    var versionTime: Timestamp
    /// Nil until the whole order was asked for.
    var order: VersionOrder?

    /// It carries an older reading of bytes that are gone: whatever comes is news.
    var isUnread: Bool { rawHash.isEmpty }

    /// A version of the same time stands for the bytes that are gone, whatever rank the older reading gave them.
    func givesWay(to version: Version) -> Bool { isUnread && version.order.versionTime >= versionTime }
}
