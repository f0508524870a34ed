package import Payments
import Synchronization

/// The simulated moment that all sources of a world show. It is set from outside.
package final class SandboxClock: Sendable {
    private let state: Mutex<(now: Timestamp, settings: Int)>

    package init(_ now: Timestamp) { state = Mutex((now, 0)) }

    package var now: Timestamp { state.withLock { $0.now } }

    /// How often it was set, be it to the moment that it showed already.
    var settings: Int { state.withLock { $0.settings } }

    package func set(_ moment: Timestamp) {
        state.withLock {
            $0.now = moment
            $0.settings += 1
        }
    }
}
