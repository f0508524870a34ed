/// Ledger time: what stamps `observed_at`, `as_of`, windows, ages and due times. Machine time drives time-outs, leases
/// and TLS and never comes from here.
package struct LedgerClock: Sendable {
    private let read: @Sendable () -> Timestamp
    /// True where the operator gave the time (`--now`, `TIEOUT_NOW`): then it stands still for the whole run.
    package let isFixed: Bool

    /// Ledger time stands at `moment`.
    package init(fixed moment: Timestamp) {
        read = { moment }
        isFixed = true
    }

    /// Ledger time follows a machine clock handed in from the rim.
    package init(machine: @escaping @Sendable () -> Timestamp) {
        read = machine
        isFixed = false
    }

    package func now() -> Timestamp { read() }
}
