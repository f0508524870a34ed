import JSON
package import Payments
package import Postgres
package import Providers

/// Writes transactions of one source: what is new, what has changed, and nothing else. One call of `commit` is one
/// database transaction with rows, history, evidence, quarantine and the walk's position in it.
package final class TransactionStore {
    let connection: Connection
    let context: LoadContext
    let source: String
    let mapping: any ElementMapping
    private var packs: EvidenceNumbers
    private let quarantine: QuarantineWriter
    private var inQuarantine: Set<String>
    /// An empty source is not asked for what it knows.
    var held: HeldSpans
    var growth: TableGrowth
    private let wasEmpty: Bool
    /// What others had written in this run before, and from when on this store can have written or superseded anything.
    private var before: (versions: Int, since: Timestamp)
    /// Seconds by which a machine's clock may be set back while a run writes.
    private static let stepBack: Int64 = 10
    /// Quarantined in this run, however often they were met.
    private var newInQuarantine: Set<String>
    /// Bad records met so far: a list that is read twice shows them twice.
    private var metInQuarantine: Set<String> = []
    package private(set) var records: Int
    package private(set) var counts = CommitCounts()

    package init(
        connection: Connection, context: LoadContext, source: String, mapping: any ElementMapping
    ) throws {
        self.connection = connection
        self.context = context
        self.source = source
        self.mapping = mapping
        quarantine = QuarantineWriter(context)
        packs = try EvidenceNumbers(on: connection, context: context, source: source)
        inQuarantine = try quarantine.openIDs(source: source, feed: .provider, on: connection)
        let stored = try Self.held(connection, context, source, mapping.resource)
        records = stored.records
        held = HeldSpans(stored.span)
        growth = TableGrowth(measured: records)
        wasEmpty = held.isEmpty
        let now = context.clock.now()
        before = (0, now.adding(seconds: -Self.stepBack))
        newInQuarantine = try quarantine.ofRun(source: source, feed: .provider, on: connection)
        try HistoryPartitions.ensure(on: connection, table: "transaction_history", covering: now...now)
        before.versions = try versionsOfRun()
    }

    /// When the oldest row held was created.
    package var oldestHeld: Timestamp? { held.oldest }

    /// Commits one group; returns the stored rows of its span that it does not show.
    @discardableResult
    package func commit(_ group: CommitGroup) throws -> [UnlistedRow] {
        do {
            return try commit(group, askForEveryID: !wasEmpty)
        } catch let error as PostgresError where error.sqlState == "23505" && wasEmpty {
            // The source was empty at first and its ids were not asked for: one came twice. Now they are.
            return try commit(group, askForEveryID: true)
        }
    }

    private func commit(_ group: CommitGroup, askForEveryID: Bool) throws -> [UnlistedRow] {
        let now = context.clock.now()
        let packNo = packs
        let size = growth
        do {
            return try connection.transaction { connection in
                try context.fence.check(on: connection)
                var known = try knownRows(of: group, askForEveryID: askForEveryID)
                let unlisted = known.unlisted
                var plan = WritePlan()
                try sort(group, &known.rows, into: &plan)
                plan.quarantined += group.setsAside
                try write(plan, now: now)
                let ids = Set(plan.quarantined.map(\.quarantineID))
                plan.counts.quarantined = ids.subtracting(metInQuarantine).count
                let setAside = try quarantine.write(plan.quarantined, on: connection)
                plan.counts.newlyQuarantined = setAside.subtracting(newInQuarantine).count
                let waiting = inQuarantine.union(plan.quarantined.compactMap(\.recordID))
                let cleared = plan.takenIn.intersection(waiting)
                try quarantine.clear(cleared.sorted(), source: source, feed: .provider, on: connection)
                try quarantine.settle(group.settles, on: connection)
                try countUnknown(plan.unknownPaths, now: now)
                try keepCount(plan.counts.new)
                try group.checkpoint?.apply(on: connection, context: context, source: source, now: now)
                if let proof = group.proof, unlisted.allSatisfy({ $0.createdAt > proof.watermark }) {
                    try checkCounts(with: plan.counts, setAside: setAside)
                    try publish(proof)
                }
                growth.count(plan.counts.new)
                if growth.isTimeToMeasure() { try tellSize() }
                return Committed(
                    plan: plan, span: group.span, cleared: cleared, bad: ids, setAside: setAside, unlisted: unlisted)
            }.settle(self)
        } catch {
            packs = packNo
            growth = size
            throw error
        }
    }

    /// What is remembered after the database has committed, and not before.
    private struct Committed {
        let plan: WritePlan
        let span: ClosedRange<Timestamp>?
        let cleared: Set<String>
        let bad: Set<String>
        let setAside: Set<String>
        let unlisted: [UnlistedRow]

        func settle(_ store: TransactionStore) -> [UnlistedRow] {
            store.inQuarantine.formUnion(plan.quarantined.compactMap(\.recordID))
            store.inQuarantine.subtract(cleared)
            store.newInQuarantine.formUnion(setAside)
            store.metInQuarantine.formUnion(bad)
            store.records += plan.counts.new
            store.counts += plan.counts
            store.counts.groups += 1
            store.hold(plan.current.map(\.mapped.createdAt), span: span)
            return unlisted
        }
    }

    /// Compares what this store says it has written, and is about to commit, with what the database holds of its run.
    /// Throws `CountsDiffer`.
    func checkCounts(with more: CommitCounts = CommitCounts(), setAside: Set<String> = []) throws {
        var counts = counts
        counts += more
        let bad = newInQuarantine.union(setAside)
        if counts.new + counts.changed + counts.late + bad.count == 0 { return }
        let counted = counts.new + counts.changed + counts.late
        let written = try versionsOfRun() - before.versions
        let held = try quarantine.ofRun(source: source, feed: .provider, on: connection).count
        guard written == counted, held == bad.count else {
            throw CountsDiffer(
                source: source, counted: counted, written: written, quarantined: bad.count, setAside: held)
        }
    }

    private func versionsOfRun() throws -> Int {
        let sql = try context.sql.text("SQL/loading/written_by_run.sql")
        return Int(
            try connection.query(sql, key + [.int(context.run), .timestamp(before.since)]).only().int("versions"))
    }

    // MARK: What is known

    private func knownRows(
        of group: CommitGroup, askForEveryID: Bool
    ) throws -> (rows: [String: KnownRow], unlisted: [UnlistedRow]) {
        var known: [String: KnownRow] = [:]
        var unlisted: [UnlistedRow] = []
        if let overlap = group.span.flatMap(held.held) {
            let rows = try connection.query(
                try context.sql.text("SQL/loading/known_by_creation.sql"),
                key + [.timestamp(overlap.lowerBound), .timestamp(overlap.upperBound)])
            known.reserveCapacity(rows.count)
            for row in rows { known[try row.text(0)] = try Self.known(row) }
            let shown = Set(group.rows.compactMap(\.identity.id))
            for (id, row) in known
            where row.createdAt != group.openBorder && !shown.contains(id) && !group.seenAtBorder.contains(id) {
                unlisted.append(UnlistedRow(id: id, createdAt: row.createdAt))
            }
        }
        if askForEveryID {
            let lacking = Set(group.rows.compactMap(\.identity.id).filter { known[$0] == nil })
            for (id, row) in try knownByID(lacking) { known[id] = row }
        }
        return (known, unlisted.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) })
    }

    var key: [SQLValue] { [.int(context.account), .text(source), .text(mapping.resource)] }

    private func knownByID(_ ids: Set<String>) throws -> [String: KnownRow] {
        if ids.isEmpty { return [:] }
        let rows = try connection.query(
            try context.sql.text("SQL/loading/known_by_id.sql"), key + [.textArray(ids.sorted())])
        var known: [String: KnownRow] = [:]
        for row in rows {
            var found = try Self.known(row)
            found.order = VersionOrder(
                versionTime: found.versionTime, stateRank: Int(try row.int("state_rank")),
                requestStartedAt: try row.timestamp("request_started_at"), contentHash: found.contentHash)
            known[try row.text(0)] = found
        }
        return known
    }

    private static func known(_ row: Row) throws(PostgresError) -> KnownRow {
        KnownRow(
            createdAt: try row.timestamp(1), rawHash: try row.bytes(2), contentHash: try row.bytes(3),
            versionTime: try row.timestamp(4))
    }

    // MARK: What is new

    /// Decides for each row of the group: unchanged, a new version, the same content, or quarantine.
    private func sort(_ group: CommitGroup, _ known: inout [String: KnownRow], into plan: inout WritePlan) throws {
        var first: [String: Version] = [:]
        // Ids that come twice in one group are few.
        var more: [String: [Version]] = [:]
        var ids: [String] = []
        first.reserveCapacity(group.rows.count)
        ids.reserveCapacity(group.rows.count)
        for row in group.rows {
            if row.identity.isStranger {
                plan.counts.strangers += 1
                continue
            }
            if let id = row.identity.id, let stored = known[id], stored.rawHash == row.rawHash {
                plan.counts.unchanged += 1
                note(id, in: &plan)
                continue
            }
            do throws(RowFault) {
                let version = try row.version(mapping)
                let id = version.mapped.transactionID
                note(id, in: &plan)
                if let stored = known[id], stored.contentHash == version.order.contentHash, !stored.isUnread {
                    plan.counts.rawOnly += 1
                    continue
                }
                if first[id] == nil {
                    first[id] = version
                    ids.append(id)
                } else {
                    more[id, default: []].append(version)
                }
                for path in version.mapped.unmappedPaths { plan.unknownPaths[path, default: 0] += 1 }
            } catch {
                let bad = record(of: row, error)
                // A good version of the same group that came before it does not settle it.
                if let id = bad.recordID { plan.takenIn.remove(id) }
                plan.quarantined.append(bad)
            }
        }
        let unordered = known.isEmpty ? [] : Set(ids.filter { known[$0] != nil && known[$0]?.order == nil })
        for (id, row) in try knownByID(unordered) { known[id] = row }
        for id in ids {
            guard let version = first[id] else { continue }
            let found = more[id].map { Self.distinct([version] + $0) } ?? [version]
            place(found, against: known[id], watermark: group.watermark, into: &plan)
        }
        try dropKnownHistory(&plan)
    }

    /// An id that was read well: of interest only while something of this source is in quarantine.
    private func note(_ id: String, in plan: inout WritePlan) {
        if !inQuarantine.isEmpty || !plan.quarantined.isEmpty { plan.takenIn.insert(name(id)) }
    }

    /// One version per content, the earliest request standing for it, in version order.
    private static func distinct(_ versions: [Version]) -> [Version] {
        if versions.count == 1 { return versions }
        var byContent: [[UInt8]: Version] = [:]
        for version in versions {
            if let other = byContent[version.order.contentHash],
                (other.order.requestStartedAt.microseconds, other.rawHash.description)
                    <= (version.order.requestStartedAt.microseconds, version.rawHash.description)
            {
                continue
            }
            byContent[version.order.contentHash] = version
        }
        return byContent.values.sorted { $0.order < $1.order }
    }

    private func place(
        _ versions: [Version], against known: KnownRow?, watermark: Timestamp?, into plan: inout WritePlan
    ) {
        guard let newest = versions.last else { return }
        if let known, let stored = known.order, newest.order < stored, !known.givesWay(to: newest) {
            plan.late += versions
            return
        }
        plan.current.append(newest)
        plan.late += versions.dropLast()
        if known == nil {
            plan.counts.new += 1
            if let watermark, newest.mapped.createdAt <= watermark { plan.counts.lateArrivals += 1 }
        } else {
            plan.counts.changed += 1
            plan.superseded.append(newest.mapped.transactionID)
        }
    }

    /// An older version that comes night after night is stored once.
    private func dropKnownHistory(_ plan: inout WritePlan) throws {
        if plan.late.isEmpty { return }
        let ids = Set(plan.late.map(\.mapped.transactionID)).sorted()
        var held: Set<[UInt8]> = []
        let rows = try connection.query(
            try context.sql.text("SQL/loading/known_history.sql"), key + [.textArray(ids)])
        for row in rows { held.insert(Array(try row.text(0).utf8) + [0] + (try row.bytes(1))) }
        plan.late.removeAll { held.contains(Array($0.mapped.transactionID.utf8) + [0] + $0.order.contentHash) }
        plan.counts.late += plan.late.count
    }

    private func record(of row: IncomingRow, _ fault: RowFault) -> QuarantinedRecord {
        // A bare text or number has no members to cut.
        let raw =
            row.element.isObject
            ? String(decoding: mapping.redaction.kept(row.element).bytes, as: UTF8.self) : nil
        return QuarantinedRecord(
            source: source, feed: .provider, reason: fault.reason,
            recordID: (fault.recordID ?? row.identity.id).map(name),
            references: fault.references, place: row.place, raw: raw,
            length: row.element.sourceRange.count, digest: row.rawHash)
    }

    // MARK: Writing

    func write(_ plan: WritePlan, now: Timestamp) throws {
        if !plan.superseded.isEmpty {
            let statement = FileStatements.filled(
                try context.sql.text("SQL/loading/supersede_transactions.sql"), ["columns": TransactionColumns.list])
            let moved = try connection.execute(statement, key + [.textArray(plan.superseded), .timestamp(now)])
            // Somebody else wrote between our question and this: the lock should have made that impossible.
            if moved != plan.superseded.count { throw Fence.Lost() }
        }
        if plan.current.isEmpty && plan.late.isEmpty { return }
        var pack = EvidencePack()
        let packNo = packs.next()
        var stamp = TransactionColumns.Stamp(
            account: context.account, source: source, run: context.run, observedAt: now, packNo: packNo)
        try copy(plan.current, stamp, "tieout.transaction", TransactionColumns.names, &pack)
        stamp.supersededAt = now
        try copy(
            plan.late, stamp, "tieout.transaction_history", TransactionColumns.names + ["superseded_at"], &pack)
        try pack.write(
            on: connection, account: context.account, source: source, run: context.run, packNo: packNo)
    }

    private func copy(
        _ versions: [Version], _ stamp: TransactionColumns.Stamp, _ table: String, _ columns: [String],
        _ pack: inout EvidencePack
    ) throws {
        if versions.isEmpty { return }
        try connection.copyIn(table, columns: columns) { writer in
            for version in versions {
                let place = pack.append(cutting: version.element, with: mapping.redaction)
                try TransactionColumns.write(version, stamp, evidence: place, into: &writer)
            }
        }
    }

    /// The high-water mark of a first walk appears with its last rows, and not before.
    private func publish(_ proof: BackfillProof) throws {
        try connection.execute(
            try context.sql.text("SQL/loading/prove_backfill.sql"),
            [
                .int(context.account), .text(source), .text(mapping.resource), .timestamp(proof.coveredFrom),
                .timestamp(proof.watermark),
            ])
    }

    private func countUnknown(_ paths: [String: Int], now: Timestamp) throws {
        if paths.isEmpty { return }
        let sorted = paths.sorted { $0.key < $1.key }
        try connection.execute(
            try context.sql.text("SQL/loading/count_unknown_fields.sql"),
            key + [
                .int(context.run), .timestamp(now), .textArray(sorted.map(\.key)),
                .intArray(sorted.map { Int64($0.value) }),
            ])
    }
}

/// What one commit is going to write.
struct WritePlan {
    var current: [Version] = []
    /// Ids of which a current version has to give way.
    var superseded: [String] = []
    /// Versions older than the current one.
    var late: [Version] = []
    var quarantined: [QuarantinedRecord] = []
    /// Records, by name, that were read well since there was anything in quarantine.
    var takenIn: Set<String> = []
    var unknownPaths: [String: Int] = [:]
    var counts = CommitCounts()
}
