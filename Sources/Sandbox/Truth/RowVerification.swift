package import Payments

/// Compares the transactions that a reconciler holds with what the provider showed: nothing may be lost or doubled.
package struct RowVerification: Sendable {
    package private(set) var expected = 0
    package private(set) var lost: [String] = []
    /// One entry per surplus row.
    package private(set) var doubled: [String] = []
    /// Held, but never shown.
    package private(set) var strange: [String] = []
    /// Held with another status than the one shown.
    package private(set) var stale: [String] = []

    package var agrees: Bool { lost.isEmpty && doubled.isEmpty && strange.isEmpty && stale.isEmpty }

    /// `rows: expected E, lost L, doubled D, strange S, stale T`
    package var summary: String {
        """
        rows: expected \(expected), lost \(lost.count), doubled \(doubled.count), strange \(strange.count), \
        stale \(stale.count)
        """
    }

    package var details: [String] {
        let kinds = [("lost", lost), ("doubled", doubled), ("strange", strange), ("stale", stale)]
        return kinds.flatMap { word, ids in ids.map { "\(word): \($0)" } }
    }

    /// Rows of `world` that cannot be taken in (quarantined ones) may be missing.
    init(_ table: CSVTable, _ world: World, at moment: Timestamp) throws(UsageError) {
        guard table.header.contains("transaction_id") else { throw UsageError("the rows have no transaction_id") }
        let rows = table.rows.map { row in
            (
                id: table.value("transaction_id", in: row) ?? "",
                status: table.value("raw_status", in: row) ?? table.value("status", in: row)
            )
        }
        self.init(rows: rows, world, at: moment)
    }

    /// - Parameter rows: what is held; a status of nil is not compared.
    package init(rows: [(id: String, status: String?)], _ world: World, at moment: Timestamp) {
        let spoilt = Set(world.sources.flatMap(\.quarantined))
        var shown: [String: String] = [:]
        for source in world.sources {
            let provider = source.simulator.init(source)
            for trade in source.trades where trade.isVisible(at: moment) {
                shown[trade.id] = provider.word(trade, at: moment)
            }
        }
        var held: Set<String> = []
        for (id, status) in rows {
            if !held.insert(id).inserted { doubled.append(id) }
            guard let current = shown[id] else {
                strange.append(id)
                continue
            }
            if let status, status != current { stale.append("\(id) \(status), shown as \(current)") }
        }
        let wanted = shown.keys.filter { !spoilt.contains($0) }
        expected = wanted.count
        lost = wanted.filter { !held.contains($0) }.sorted()
        doubled.sort()
        strange.sort()
        stale.sort()
    }
}
