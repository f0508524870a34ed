package import HTTP
import JSON
import Payments
package import Postgres
import Providers

/// Tries quarantined elements of a provider again: from the text that was kept, else by id from the provider.
package struct ElementRetry {
    private static let batch = 200

    private let source: SourceHandle
    private let parts: PollerParts
    private let connection: Connection
    /// Nothing may be asked of the provider: the source is retired.
    private let isOffline: Bool

    package init(
        source: SourceHandle, context: LoadContext, connection: Connection, machine: MachineClock, isOffline: Bool,
        fetch: @escaping @Sendable (HTTPRequest, Set<Int>) async throws(HTTPError) -> HTTPResponse
    ) {
        self.source = source
        self.connection = connection
        self.isOffline = isOffline
        parts = PollerParts(context: context, settings: source.settings, machine: machine, fetch: fetch)
    }

    /// Throws what the database throws and `Fence.Lost`.
    package func run(_ entries: [QuarantineList.Entry], stop: StopFlag) async throws -> RetryOutcome {
        // The place begins with the resource in which the record was met.
        let resources = Dictionary(grouping: entries) { entry in
            let name = entry.place.prefix { $0 != " " }
            return source.provider.others.first { $0.name == name }?.name ?? source.provider.payments.name
        }
        var outcome = RetryOutcome()
        for resource in source.provider.resources {
            guard let entries = resources[resource.name], !outcome.isInterrupted else { continue }
            outcome += try await run(entries, of: resource, stop: stop)
        }
        return outcome
    }

    private func run(
        _ entries: [QuarantineList.Entry], of resource: Resource, stop: StopFlag
    ) async throws -> RetryOutcome {
        let store = try TransactionStore(
            connection: connection, context: parts.context, source: source.id, mapping: resource.mapping)
        var outcome = RetryOutcome()
        var rest = entries[...]
        while !rest.isEmpty {
            if stop.isRequested {
                outcome.isInterrupted = true
                return outcome
            }
            let batch = Array(rest.prefix(Self.batch))
            rest = rest.dropFirst(Self.batch)
            try retryKept(batch, resource, store, &outcome)
        }
        let unread = entries.filter { outcome.reasons[$0.id] != nil }
        try await readAgain(unread, resource, store, stop, &outcome)
        return outcome
    }

    // MARK: From the kept text

    private func retryKept(
        _ entries: [QuarantineList.Entry], _ resource: Resource, _ store: TransactionStore,
        _ outcome: inout RetryOutcome
    ) throws {
        let texts = try keptTexts(entries.filter(\.isKept).map(\.id))
        var group = CommitGroup(rows: [])
        for entry in entries {
            do throws(RowFault) {
                group.rows.append(try row(entry, texts[entry.id], resource.mapping))
                group.settles.append(entry.id)
            } catch {
                outcome.reasons[entry.id] = error.reason
            }
        }
        if !group.rows.isEmpty { try store.commit(group) }
    }

    private func keptTexts(_ ids: [String]) throws -> [String: String] {
        if ids.isEmpty { return [:] }
        let rows = try connection.query(
            try parts.context.sql.text("SQL/loading/quarantine/kept_text.sql"),
            [.int(parts.context.account), .textArray(ids)])
        var texts: [String: String] = [:]
        for row in rows { texts[try row.text(0)] = try row.text(1) }
        return texts
    }

    /// The row as it was met then; a fault where the mapping refuses it still.
    private func row(
        _ entry: QuarantineList.Entry, _ text: String?, _ mapping: any ElementMapping
    ) throws(RowFault) -> IncomingRow {
        guard let text else { throw RowFault("no text was kept") }
        let element: JSONValue
        do throws(JSONFault) {
            element = try JSONDocument(Array(text.utf8), unreadable: .mark).root
        } catch {
            throw RowFault("the kept text is no JSON: \(error)")
        }
        let identity = mapping.identity(of: element)
        if identity.isStranger { throw RowFault("it belongs to another account of the provider") }
        _ = try mapping.map(element)
        // The text says what was so when it came, not what is so now.
        return IncomingRow(
            element: element, identity: identity, mapping: mapping, requestStartedAt: entry.observedAt,
            place: entry.place)
    }

    // MARK: From the provider

    private func readAgain(
        _ entries: [QuarantineList.Entry], _ resource: Resource, _ store: TransactionStore, _ stop: StopFlag,
        _ outcome: inout RetryOutcome
    ) async throws {
        guard let reader = resource.reader, !isOffline else { return }
        let named = entries.compactMap { entry in
            entry.recordID.map { (entry: entry, id: RecordName.id($0, resource: resource.name)) }
        }
        if named.isEmpty { return }
        let reads = SingleReads(
            reader: reader, mapping: resource.mapping, store: store, parts: parts, watermark: nil,
            waiting: Set(entries.map(\.id)), refusesCredentials: source.provider.refusesCredentials)
        let list = AskList(connection, parts.context, source: source, resource: resource, reader: reader)
        let result = try await reads.run(list.about(Set(named.map(\.id)).sorted()), stop: stop)
        if result.isStopped { outcome.isInterrupted = true }
        if let failure = result.failure {
            outcome.failure = failure.description
            outcome.isRateLimited = failure.isRateLimited
        }
        let missing = Set(result.missing)
        for (entry, id) in named {
            if missing.contains(id) {
                outcome.reasons[entry.id]? += "; the provider does not know its id"
            } else if !result.answered.contains(id) {
                outcome.reasons[entry.id]? += "; the provider was not asked or gave no usable answer"
            }
        }
    }
}
