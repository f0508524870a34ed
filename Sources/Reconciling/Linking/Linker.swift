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

    package init(library: SQLLibrary, knowledge: Knowledge = .live) {
        self.library = library
        self.knowledge = knowledge
    }

    /// Links all records of `account` as known at `asOf` into the temporary table `link_member`; under `.live` then
    /// writes the differences into `tieout.payment_member`.
    package func link(_ connection: Connection, account: Int64, asOf: Timestamp) throws -> Changes {
        var changes = Changes()
        try connection.script(library.text("SQL/links/prepare.sql"))
        try run("nodes_\(knowledge.rawValue)", on: connection, values(account, asOf))
        try connection.script("analyze link_node (node, member, source_id, record_id)")
        try run("claims", on: connection, [.int(account)])
        try connection.script("analyze link_claim")
        try run("edges", on: connection, [])
        try run("labels", on: connection, [])
        try connection.script(library.text("SQL/links/index_labels.sql"))
        changes.rounds = try joinUp(connection)
        try run("members_\(knowledge.rawValue)", on: connection, values(account, asOf))
        try connection.script(library.text("SQL/links/index_members.sql"))
        guard knowledge == .live else { return changes }
        try run("known", on: connection, [.int(account)])
        try connection.script("analyze link_known")
        changes.removed = try run("remove_gone", on: connection, [.int(account)])
        changes.moved = try run("change_moved", on: connection, [.int(account)])
        changes.added = try run("add_new", on: connection, [.int(account)])
        return changes
    }

    /// The statements take `$2` only where they ask for a past moment.
    private func values(_ account: Int64, _ asOf: Timestamp) -> [SQLValue] {
        knowledge == .live ? [.int(account)] : [.int(account), .timestamp(asOf)]
    }

    /// Each round hangs every node on the smallest it is joined with, shortens the chains, and goes on with what is left
    /// between their smallest nodes: little, after the first.
    private func joinUp(_ connection: Connection) throws -> Int {
        for round in 1...Self.maximumRounds {
            try run("hook", on: connection, [.int(Int64(round))])
            while try run("shorten", on: connection, []) > 0 {}
            if try run("contract", on: connection, [.int(Int64(round))]) == 0 { return round }
        }
        throw NoRest(rounds: Self.maximumRounds)
    }

    @discardableResult
    private func run(_ name: String, on connection: Connection, _ values: [SQLValue]) throws -> Int {
        let query = ScopeQuery(library: library, knowledge: knowledge)
        return try connection.execute(query.compose(library.text("SQL/links/\(name).sql")), values)
    }
}
