package import Payments
package import Postgres

/// Finds which records belong together and gives each payment its id. Set-based and independent of the order in which
/// records came: the same versions give the same payments.
///
/// Works inside the caller's transaction and leaves its temporary tables (`link_node`, `link_claim`, `link_member`)
/// there for the rules.
package struct Linker {
    /// What linking changed in `tieout.payment_member`, in records.
    package struct Changes: Sendable, Hashable {
        package var added = 0
        package var moved = 0
        package var removed = 0
        /// Rounds until no label changed.
        package var rounds = 0
    }

    /// Linking did not come to rest, which no data can cause.
    package struct NoRest: Error, CustomStringConvertible {
        package let rounds: Int
        package var description: String { "linking did not come to rest in \(rounds) rounds" }
    }

    /// A round leaves of each cluster only its smallest nodes, so even a chain of millions of records needs few.
    static let maximumRounds = 200

    package let library: SQLLibrary
    package let knowledge: Knowledge
    /// What rules compare across payments; kept beside the references, so that a limited run finds who shares it.
    let shares: [Rule.Share]

    package init(library: SQLLibrary, knowledge: Knowledge = .live) {
        self.init(library: library, knowledge: knowledge, shares: [])
    }

    init(library: SQLLibrary, knowledge: Knowledge, shares: [Rule.Share]) {
        self.library = library
        self.knowledge = knowledge
        self.shares = shares
    }

    /// Links all records of `account` as known at `asOf` into the temporary table `link_member`; under `.live` then
    /// writes the differences into `tieout.payment_member` and `tieout.payment_key`.
    ///
    /// `isNear` true: links only the records that stand in the tables `near_…` of `NearFacts`; the payments that may
    /// change stand in `run_scope`.
    package func link(
        _ connection: Connection, account: Int64, asOf: Timestamp, isNear: Bool = false
    ) throws -> Changes {
        var changes = Changes()
        let job = Job(linker: self, connection: connection, isNear: isNear)
        try connection.script(library.text("SQL/links/prepare.sql"))
        try job.run("nodes", values(account, asOf))
        try connection.script("analyze link_node (node, member, source_id, record_id)")
        try job.run("claims", [.int(account)])
        try connection.script("analyze link_claim")
        if isNear { try job.run("blocked", [.int(account)]) }
        try job.run("edges", [])
        try job.run("labels", [])
        try connection.script(library.text("SQL/links/index_labels.sql"))
        changes.rounds = try joinUp(job)
        try job.run("members", values(account, asOf))
        try connection.script(library.text("SQL/links/index_members.sql"))
        try keys(job, account)
        guard knowledge == .live else { return changes }
        try job.run("known", [.int(account)])
        try connection.script("analyze link_known")
        changes.removed = try job.run("remove_gone", [.int(account)])
        changes.moved = try job.run("change_moved", [.int(account)])
        changes.added = try job.run("add_new", [.int(account)])
        try job.run("remove_keys", [.int(account)])
        try job.run("add_keys", [.int(account)])
        return changes
    }

    /// The statements take `$2` only where they ask for a past moment.
    private func values(_ account: Int64, _ asOf: Timestamp) -> [SQLValue] {
        knowledge == .live ? [.int(account)] : [.int(account), .timestamp(asOf)]
    }

    /// What the linked payments can share with others.
    private func keys(_ job: Job, _ account: Int64) throws {
        try job.run("keys_of_references", [])
        for share in shares {
            try job.run("keys_of_\(share.relation.files)", [.int(account)], share: share)
        }
        try job.connection.script("analyze link_key")
    }

    /// Each round hangs every node on the smallest it is joined with, shortens the chains, and goes on with what is left
    /// between their smallest nodes: little, after the first.
    private func joinUp(_ job: Job) throws -> Int {
        for round in 1...Self.maximumRounds {
            try job.run("hook", [.int(Int64(round))])
            while try job.run("shorten", []) > 0 {}
            if try job.run("contract", [.int(Int64(round))]) == 0 { return round }
        }
        throw NoRest(rounds: Self.maximumRounds)
    }
}

/// Runs the statements of `SQL/links`, over all records or over those that are near.
private struct Job {
    let linker: Linker
    let connection: Connection
    let isNear: Bool

    @discardableResult
    func run(_ name: String, _ values: [SQLValue], share: Rule.Share? = nil) throws -> Int {
        let alias = name == "known" ? "m" : "k"
        var fragments = [
            "limit": isNear ? "and \(alias).payment_id in (select r.payment_id from run_scope as r)" : ""
        ]
        if let share {
            fragments["name"] = "'\(share.name)'"
            fragments["values"] = share.columns.map { "tieout.keyed(x.\($0))" }.joined(separator: " || ")
            fragments["present"] = share.columns.map { "x.\($0) is not null" }.joined(separator: " and ")
        }
        let text = SQLScan.filled(try linker.library.text("SQL/links/\(name).sql"), fragments)
        let query = ScopeQuery(
            library: linker.library, knowledge: linker.knowledge, standIns: isNear ? NearFacts.facts : [:])
        return try connection.execute(query.compose(text), values)
    }
}
