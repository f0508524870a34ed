package import HTTP
package import Payments
import Synchronization

/// Machine time that passes only while somebody sleeps or says so.
package final class VirtualTime: Sendable {
    package static let epoch = Timestamp(seconds: 1_786_329_000)
    private let passed = Mutex(0)

    package init() {}

    /// Milliseconds since the epoch.
    package var now: Int { passed.withLock { $0 } }
    package var wall: Timestamp { Self.epoch.adding(seconds: Int64(now / 1000)) }
    package func pass(_ milliseconds: Int) { passed.withLock { $0 += milliseconds } }

    package var clock: MachineClock {
        MachineClock(
            milliseconds: { self.now }, wall: { self.wall },
            sleep: { milliseconds in
                self.pass(milliseconds)
                await Task.yield()
            })
    }

    /// For what ticks: its sleeps take real time, or it would spin.
    package var runner: MachineClock {
        let system = MachineClock.system()
        return MachineClock(milliseconds: { self.now }, wall: { self.wall }, sleep: system.sleep)
    }
}
