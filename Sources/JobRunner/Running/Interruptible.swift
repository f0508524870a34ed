import Foundation
import Loading
import Postgres
import Synchronization

/// Work on a connection that a signal must not wait for: a statement that is still running some time after the signal is
/// cancelled, its transaction rolls back, and the work ends as interrupted.
enum Interruptible {
    /// Milliseconds that work may still take once the run is to end: most of it ends by itself.
    static let grace = 1500

    /// Runs `body`. Throws `CancellationError` where the run is to end, else what `body` throws.
    static func run<T>(
        on connection: Connection, stop: StopFlag, grace: Int = grace, _ body: () throws -> T
    ) throws -> T {
        if stop.isRequested { throw CancellationError() }
        let patience = Patience(with: connection, stop: stop, grace: grace)
        defer { patience.end() }
        do {
            return try body()
        } catch let error as PostgresError where error.kind == .cancelled && stop.isRequested {
            throw CancellationError()
        }
    }
}

/// How long a connection's statements may go on after a signal: `grace` milliseconds, until `end` is called.
final class Patience: Sendable {
    private let stop: StopFlag
    private let interrupter: Interrupter
    private let watch: Int

    init(with connection: Connection, stop: StopFlag, grace: Int) {
        let interrupter = Interrupter(connection.canceller, grace: grace, pause: 200)
        self.stop = stop
        self.interrupter = interrupter
        watch = stop.watch { interrupter.start() }
    }

    func end() {
        stop.unwatch(watch)
        interrupter.end()
    }
}

/// Cancels what a connection does, again and again until it is told that the work has ended: a request that arrives
/// between two statements has no effect.
private final class Interrupter: Sendable {
    private let canceller: Canceller
    private let grace: Int
    private let pause: Int
    private let ended = DispatchSemaphore(value: 0)
    /// True once the work has ended; held while a request is under way, so that none is sent afterwards.
    private let isOver = Mutex(false)

    init(_ canceller: Canceller, grace: Int, pause: Int) {
        self.canceller = canceller
        self.grace = grace
        self.pause = pause
    }

    func start() {
        let thread = Thread { [self] in
            var wait = grace
            while ended.wait(timeout: .now() + .milliseconds(wait)) == .timedOut {
                wait = pause
                isOver.withLock { if !$0 { canceller.cancel() } }
            }
        }
        thread.name = "tieout-interrupt"
        thread.start()
    }

    func end() {
        isOver.withLock { $0 = true }
        ended.signal()
    }
}
