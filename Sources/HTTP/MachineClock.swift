import Glibc
package import Payments

/// Machine time, which drives time-outs, pauses and budgets; never what is written into the ledger. Handed in, so that
/// tests run in virtual time.
package struct MachineClock: Sendable {
    /// Milliseconds since some fixed moment; never goes back.
    package let milliseconds: @Sendable () -> Int
    /// The calendar's time, to understand the dates that servers state.
    package let wall: @Sendable () -> Timestamp
    /// Sleeps for so many milliseconds; throws when its task is cancelled.
    package let sleep: @Sendable (Int) async throws -> Void

    package init(
        milliseconds: @escaping @Sendable () -> Int, wall: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Int) async throws -> Void
    ) {
        self.milliseconds = milliseconds
        self.wall = wall
        self.sleep = sleep
    }

    /// The machine's own clock. Only the outermost layer asks for it.
    package static func system() -> MachineClock {
        let start = ContinuousClock.now
        return MachineClock(
            milliseconds: { (ContinuousClock.now - start).wholeMilliseconds },
            wall: {
                var now = timespec()
                clock_gettime(CLOCK_REALTIME, &now)
                return Timestamp(microseconds: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)
            },
            sleep: { try await Task.sleep(for: .milliseconds($0), tolerance: .zero, clock: .continuous) })
    }
}

extension Duration {
    /// Cut to whole milliseconds.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}

/// A random whole number from the range, ends included.
package typealias RandomNumber = @Sendable (ClosedRange<Int>) -> Int
