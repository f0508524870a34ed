import Synchronization

/// Set once, from a signal handler's thread or anywhere else: the run is to end. Loaders finish the page or record in
/// hand, commit, and report themselves as interrupted.
package final class StopFlag: Sendable {
    private struct Watchers {
        var isRequested = false
        var next = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let flag = Atomic<Bool>(false)
    private let watchers = Mutex(Watchers())

    package init() {}

    /// Sets the flag and tells whoever watches, once. Not to be called from within a signal handler itself.
    package func request() {
        flag.store(true, ordering: .sequentiallyConsistent)
        let actions = watchers.withLock { watchers in
            watchers.isRequested = true
            defer { watchers.actions = [:] }
            return watchers.actions.sorted { $0.key < $1.key }.map(\.value)
        }
        for action in actions { action() }
    }

    package var isRequested: Bool { flag.load(ordering: .sequentiallyConsistent) }

    /// Throws `CancellationError` where the run is to end.
    package func check() throws {
        if isRequested { throw CancellationError() }
    }

    /// Calls `action` when the flag is set, at once where it is. Returns what `unwatch` takes.
    package func watch(_ action: @escaping @Sendable () -> Void) -> Int {
        let place: Int? = watchers.withLock { watchers in
            if watchers.isRequested { return nil }
            watchers.next += 1
            watchers.actions[watchers.next] = action
            return watchers.next
        }
        if place == nil { action() }
        return place ?? 0
    }

    /// Takes the action back; one that is being called may still run.
    package func unwatch(_ place: Int) { _ = watchers.withLock { $0.actions.removeValue(forKey: place) } }
}
