package import Payments
package import Postgres

/// What every loader of one run shares.
package struct LoadContext: Sendable {
    package let account: Int64
    package let run: Int64
    /// Ledger time, never machine time.
    package let clock: LedgerClock
    package let fence: Fence
    package let sql: SQLLibrary
    /// Set where the run is to end: loaders look at it between batches.
    package let stop: StopFlag
    package let log: @Sendable (LogLine) -> Void

    package init(
        account: Int64, run: Int64, clock: LedgerClock, fence: Fence, sql: SQLLibrary, stop: StopFlag = StopFlag(),
        log: @escaping @Sendable (LogLine) -> Void
    ) {
        self.account = account
        self.run = run
        self.clock = clock
        self.fence = fence
        self.sql = sql
        self.stop = stop
        self.log = log
    }
}
