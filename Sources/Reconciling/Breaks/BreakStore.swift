import Crypto
package import Payments
package import Postgres

/// Breaks as people work them off: list, show, acknowledge, and prove that nobody touched the trail.
package struct BreakStore {
    /// What `list` shows; nil means any.
    package struct Filter: Sendable, Hashable {
        /// Empty: open and acknowledged ones.
        package var states: [Break.State] = []
        package var rule: String?
        package var source: String?
        /// At least this severe.
        package var severity: Severity?
        package var primaryOnly = false
        package var limit: Int?
        package init() {}
    }

    package enum Fault: Error, Hashable, CustomStringConvertible {
        case unknown(id: String)
        /// Only open breaks can be acknowledged.
        case notOpen(id: String, state: String)
        case reasonMissing

        package var description: String {
            switch self {
            case .unknown(let id): "there is no break \(id)"
            case .notOpen(let id, let state): "break \(id) is \(state), only an open one can be acknowledged"
            case .reasonMissing: "a reason is needed"
            }
        }
    }

    /// Whether the audit trail is whole.
    package enum Verification: Sendable, Hashable {
        /// Events, and the digest of the last one.
        case whole(length: Int64, head: [UInt8])
        /// The first event that was changed, removed or put in; or a head that is not the last event.
        case broken(at: Int64)
    }

    let connection: Connection
    let library: SQLLibrary
    let account: Int64

    package init(connection: Connection, library: SQLLibrary, account: Int64) {
        self.connection = connection
        self.library = library
        self.account = account
    }

    /// Worst first, then the order of rule and subject.
    package func list(_ filter: Filter = Filter()) throws -> [Break] {
        let states = filter.states.isEmpty ? [.open, .acknowledged] : filter.states
        let severities = Severity.allCases.filter { severity in filter.severity.map { severity >= $0 } ?? true }
        let rows = try connection.query(
            library.text("SQL/reconciling/list_breaks.sql"),
            [
                .int(account), .textArray(states.map(\.rawValue)), .textArray(severities.map(\.rawValue)),
                .text(filter.rule ?? ""), .text(filter.source ?? ""), .bool(filter.primaryOnly),
                .int(filter.limit ?? Int(Int32.max)),
            ])
        return try rows.map { try Break($0) }
    }

    /// The break and everything that happened to it, oldest first. Throws `Fault.unknown`.
    package func show(_ id: String) throws -> (break: Break, trail: [BreakEvent]) {
        let found = try find(id)
        let rows = try connection.query(
            library.text("SQL/reconciling/break_trail.sql"), [.int(account), .text(found.rule), .text(found.subject)])
        return (found, try rows.map { try BreakEvent($0) })
    }

    /// Marks an open break as known and owned by `actor`, the database login or operating-system user. It stays in aging
    /// and totals and is silent in notification and `--fail-on`. Takes the lock on the trail's end only. `now` is ledger
    /// time. Throws `Fault`.
    @discardableResult
    package func ack(_ id: String, reason: String, actor: String, now: Timestamp) throws -> Break {
        if reason.allSatisfy(\.isWhitespace) { throw Fault.reasonMissing }
        return try connection.transaction { connection in
            let trail = BreakTrail(connection: connection, library: library, account: account)
            let head = try trail.lock()
            let found = try find(id)
            guard found.state == .open else { throw Fault.notOpen(id: id, state: found.state.rawValue) }
            let digest = Digest.sha256(Array(reason.utf8))
            try connection.execute(
                library.text("SQL/reconciling/add_reason.sql"), [.int(account), .bytes(digest), .text(reason)])
            try connection.script(library.text("SQL/reconciling/prepare_events.sql"))
            try connection.execute(
                library.text("SQL/reconciling/acknowledge.sql"),
                [.int(account), .text(id), .timestamp(now), .text(actor), .bytes(digest)])
            try trail.append(after: head)
            return try find(id)
        }
    }

    /// Recomputes every digest of the trail.
    package func verify() throws -> Verification {
        let trail = BreakTrail(connection: connection, library: library, account: account)
        return try connection.transaction(.repeatableRead, readOnly: true) { connection in
            if let seq = try trail.firstFault() { return .broken(at: seq) }
            let last = try connection.query(
                "select seq, digest from tieout.break_event where account_id = $1 order by seq desc limit 1",
                [.int(account)])
            let head = try trail.head()
            guard let row = last.first else {
                return head.map { $0.seq == 0 ? .whole(length: 0, head: $0.digest) : .broken(at: $0.seq) }
                    ?? .whole(length: 0, head: [])
            }
            let seq = try row.int("seq")
            // Cutting events off the end leaves a head that points at nothing.
            guard let head, head.seq == seq, head.digest == (try row.bytes("digest")) else { return .broken(at: seq) }
            return .whole(length: seq, head: head.digest)
        }
    }

    private func find(_ id: String) throws -> Break {
        let rows = try connection.query(
            "select * from tieout.break where account_id = $1 and break_id = $2", [.int(account), .text(id)])
        guard let row = rows.first else { throw Fault.unknown(id: id) }
        return try Break(row)
    }
}
