import Payments
import Postgres

/// The audit trail of one account's breaks: append-only, each event's digest taken over the one before it.
struct BreakTrail {
    /// Where the trail ends.
    struct Head: Hashable {
        let seq: Int64
        let digest: [UInt8]
    }

    let connection: Connection
    let library: SQLLibrary
    let account: Int64

    /// Locks the trail's end until commit, so that writers come one after another. Starts an empty trail.
    func lock() throws -> Head {
        try connection.execute(text("start_chain"), [.int(account)])
        let row = try connection.query(text("lock_chain"), [.int(account)]).only()
        return Head(seq: try row.int("seq"), digest: try row.bytes("digest"))
    }

    /// Appends what stands in the temporary table `run_event` and brings `tieout.break` up to it.
    func append(after head: Head) throws {
        let added = try connection.execute(
            withBytes("append_events"), [.int(account), .int(head.seq), .bytes(head.digest)])
        if added == 0 { return }
        try connection.execute(text("move_chain"), [.int(account)])
        try connection.execute(text("stand_breaks"), [.int(account), .int(head.seq)])
    }

    /// The first event whose digest or number does not follow from what stands before it; nil where the trail is whole.
    func firstFault() throws -> Int64? {
        let start = Head(seq: 0, digest: try startDigest())
        let faults = try connection.query(
            withBytes("verify_chain"), [.int(account), .int(start.seq), .bytes(start.digest)])
        return try faults.first?.int("seq")
    }

    func head() throws -> Head? {
        let rows = try connection.query(
            "select seq, digest from tieout.break_chain where account_id = $1", [.int(account)])
        return try rows.first.map { Head(seq: try $0.int("seq"), digest: try $0.bytes("digest")) }
    }

    private func startDigest() throws -> [UInt8] {
        try connection.query(text("start_digest"), [.int(account)]).only().bytes("digest")
    }

    private func text(_ name: String) throws -> String { try library.text("SQL/reconciling/\(name).sql") }

    /// One text says what an event's digest is taken over, for appending and for verifying.
    private func withBytes(_ name: String) throws -> String {
        try text(name).replacing("{event_bytes}", with: text("event_bytes"))
    }
}
