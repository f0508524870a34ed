import JSON
import Payments
import Postgres
import Providers

/// Versions that are read again together, and what becomes of each.
struct RedecodeBatch {
    private let store: TransactionStore
    private var entries: [(stored: StoredVersion, kept: [UInt8]?)] = []
    private(set) var bytes = 0

    init(store: TransactionStore) { self.store = store }

    var count: Int { entries.count }
    var last: DecodingState.Position? { entries.last?.stored.position }

    mutating func add(_ stored: StoredVersion, _ kept: [UInt8]?) {
        entries.append((stored, kept))
        bytes += kept?.count ?? 0
    }

    mutating func clear() {
        entries.removeAll(keepingCapacity: true)
        bytes = 0
    }

    /// Writes what reads differently, within the caller's transaction.
    func write() throws -> RedecodeCounts {
        var counts = RedecodeCounts()
        counts.read = entries.count
        var plan = WritePlan()
        var gone: [String] = []
        var earlier: [Version] = []
        for (stored, kept) in entries {
            guard let kept else {
                counts.unread += 1
                if stored.isCurrent { gone.append(stored.id) }
                continue
            }
            do throws(RowFault) {
                let version = try read(kept, stored)
                if version.order.contentHash == stored.contentHash { continue }
                if stored.isCurrent {
                    plan.current.append(version)
                    plan.superseded.append(stored.id)
                } else {
                    earlier.append(version)
                }
            } catch {
                // An earlier version that cannot be read any more stays as it was read once.
                if !stored.isCurrent { continue }
                counts.quarantined += 1
                // Else the next poll would meet the same bytes, take them for read and end the quarantine.
                gone.append(stored.id)
                plan.quarantined.append(record(of: stored, kept, error))
            }
        }
        plan.late = try news(earlier)
        counts.changed = plan.current.count + plan.late.count
        try store.rewrite(plan, unread: gone)
        return counts
    }

    private func read(_ kept: [UInt8], _ stored: StoredVersion) throws(RowFault) -> Version {
        let element: JSONValue
        do throws(JSONFault) {
            element = try JSONDocument(kept, unreadable: .mark).root
        } catch {
            throw RowFault("the kept bytes are no JSON: \(error)", recordID: stored.id)
        }
        let mapping = store.mapping
        let row = IncomingRow(
            element: element, identity: mapping.identity(of: element), mapping: mapping,
            requestStartedAt: stored.requestStartedAt, place: "")
        let version = try row.version(mapping)
        // An id that reads differently would be another record.
        guard version.mapped.transactionID == stored.id else {
            throw RowFault("the id reads differently now", recordID: stored.id)
        }
        return version
    }

    /// One moment holds one version of each content: bytes that differ in nothing that is read now are one version.
    private func news(_ versions: [Version]) throws -> [Version] {
        if versions.isEmpty { return [] }
        struct Key: Hashable {
            let id: String
            let hash: [UInt8]
        }
        let ids = Set(versions.map(\.mapped.transactionID)).sorted()
        var known = Set(try store.rewritten(ids).map { Key(id: $0.id, hash: $0.hash) })
        return versions.filter {
            known.insert(Key(id: $0.mapped.transactionID, hash: $0.order.contentHash)).inserted
        }
    }

    private func record(of stored: StoredVersion, _ kept: [UInt8], _ fault: RowFault) -> QuarantinedRecord {
        let text = String(decoding: kept, as: UTF8.self)
        let element = try? JSONDocument(kept, unreadable: .mark).root
        return QuarantinedRecord(
            source: store.source, feed: .provider, reason: fault.reason,
            recordID: store.name(fault.recordID ?? stored.id),
            references: fault.references, place: "\(store.mapping.resource), kept by run \(stored.position.run)",
            raw: element?.isObject == true ? text : nil, length: kept.count,
            digest: element.map { RawHash.of($0, store.mapping) } ?? stored.contentHash)
    }
}
