import Foundation
import Payments
import Postgres
import Synchronization

/// Prolongs a lease every few seconds, on a thread and a connection of its own, so that a long statement of the holder
/// does not let it run out. Where it cannot, it goes on trying: the fence, not the lease, protects the data.
final class Heartbeat: Sendable {
    private let stopped = Mutex(false)
    private let wake = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)

    init(account: Int64, fence: Int64, conninfo: Secret) {
        let thread = Thread { [self] in
            beat(account: account, fence: fence, conninfo: conninfo)
            done.signal()
        }
        thread.name = "tieout-lease"
        thread.start()
    }

    private func beat(account: Int64, fence: Int64, conninfo: Secret) {
        var connection: Connection?
        while !stopped.withLock({ $0 }) {
            if wake.wait(timeout: .now() + .seconds(JobLock.heartbeatSeconds)) == .success { return }
            do {
                let open = try connection ?? Connection(conninfo.reveal(), applicationName: "tieout lease")
                connection = open
                try open.execute(
                    "update tieout.job_lock set expires_at = now() + make_interval(secs => $3::bigint) where account_id = $1 and fence = $2",
                    [.int(account), .int(fence), .int(JobLock.leaseSeconds)])
            } catch {
                connection = nil
            }
        }
    }

    /// Ends the thread. It may hang on a server that does not answer: then nobody waits for it long, and what it still
    /// prolongs is fenced off.
    func stop() {
        let first = stopped.withLock { flag in
            defer { flag = true }
            return !flag
        }
        guard first else { return }
        wake.signal()
        _ = done.wait(timeout: .now() + .seconds(2))
    }
}
