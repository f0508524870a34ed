import Synchronization

/// What fetching cost, counted over all requests of a source.
package final class FetchMetrics: Sendable {
    package struct Counts: Sendable, Equatable {
        /// Requests sent, retries included.
        package var requests = 0
        package var retries = 0
        /// Responses with status 429.
        package var tooMany = 0
        /// Milliseconds spent on the rate budget and on pauses before retries.
        package var waitedMilliseconds = 0
        /// Bytes of bodies, decompressed.
        package var bytes = 0
        /// Bytes of bodies on the wire.
        package var wireBytes = 0
    }

    private let counts = Mutex(Counts())

    package init() {}

    package var snapshot: Counts { counts.withLock { $0 } }

    func count(_ change: (inout sending Counts) -> Void) { counts.withLock { change(&$0) } }
}
