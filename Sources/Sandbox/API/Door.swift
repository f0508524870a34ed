import Payments
import Synchronization

/// What credentials are checked against beside the secrets: the time on the wire, and what was used already.
final class Door: Sendable {
    /// The server's clock: nonces and tokens live in machine time, never in simulated time.
    let wall: @Sendable () -> Timestamp
    private let used = Mutex<Set<String>>([])

    init(wall: @escaping @Sendable () -> Timestamp) { self.wall = wall }

    /// Notes a nonce; false where it was used before.
    func isFresh(_ nonce: String) -> Bool { used.withLock { $0.insert(nonce).inserted } }
}
