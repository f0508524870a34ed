import Synchronization

/// Set once, from a signal handler's thread or anywhere else: the run is to end. Loaders finish the page or record in
/// hand, commit, and report themselves as interrupted.
package final class StopFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    package init() {}

    package func request() { flag.store(true, ordering: .sequentiallyConsistent) }
    package var isRequested: Bool { flag.load(ordering: .sequentiallyConsistent) }
}
