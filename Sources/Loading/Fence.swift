import Payments
package import Postgres

/// The right to write for one account, as number of the lock that the job holds. Every writing transaction checks it
/// first: whoever lost the lock meanwhile (a stalled machine, a paused container) must not write beside its successor.
package struct Fence: Sendable, Hashable {
    package let account: Int64
    /// Nil: no lock is held, in tests and in tools that write nothing shared.
    package let number: Int64?

    package init(account: Int64, number: Int64?) {
        self.account = account
        self.number = number
    }

    /// The lock was taken over by another run; nothing may be written any more.
    package struct Lost: Error, CustomStringConvertible {
        package var description: String { "the account's lock was taken over by another run" }
    }

    /// Holds the lock's row for the rest of the transaction; throws `Lost` where it is ours no more.
    package func check(on connection: Connection) throws {
        guard let number else { return }
        let sql = "select 1 from tieout.job_lock where account_id = $1 and fence = $2 for key share"
        if try connection.query(sql, [.int(account), .int(number)]).count == 0 { throw Lost() }
    }
}
