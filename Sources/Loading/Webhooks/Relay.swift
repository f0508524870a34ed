import Dispatch
import Synchronization

/// Hands elements from a thread of its own to the thread that asks for them, a few ahead at most: reading and checking
/// go on while the server writes.
final class Relay<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var end: Result<Void, any Error>?
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let free: DispatchSemaphore
    private let filled = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)

    /// Starts `produce` on a thread. It hands each element to the function it is given, which waits for room and answers
    /// false once nobody takes them any more. `ahead`: elements that may wait.
    init(
        ahead: Int = 1, label name: String, _ produce: @escaping @Sendable ((consuming Element) -> Bool) throws -> Void
    ) {
        free = DispatchSemaphore(value: ahead)
        DispatchQueue(label: name).async { [self] in
            let end = Result { try produce { put($0) } }
            state.withLock { $0.end = end }
            filled.signal()
            done.signal()
        }
    }

    private func put(_ element: Element) -> Bool {
        free.wait()
        let isWanted = state.withLock { state in
            if state.isCancelled { return false }
            state.elements.append(element)
            return true
        }
        if isWanted { filled.signal() }
        return isWanted
    }

    /// The next element; nil behind the last. Throws what `produce` threw, once what came before it was taken.
    func next() throws -> Element? {
        filled.wait()
        let taken: Element? = state.withLock { $0.elements.isEmpty ? nil : $0.elements.removeFirst() }
        if let taken {
            free.signal()
            return taken
        }
        // The end stays the end, however often it is asked for.
        filled.signal()
        try state.withLock { $0.end }?.get()
        return nil
    }

    /// Whether nothing comes any more; waits until that is known, and takes nothing. Throws what `next` would throw.
    func isAtEnd() throws -> Bool {
        filled.wait()
        filled.signal()
        let (isEmpty, end) = state.withLock { ($0.elements.isEmpty, $0.end) }
        if isEmpty { try end?.get() }
        return isEmpty
    }

    /// Takes nothing any more and waits until the thread has ended.
    func cancel() {
        state.withLock {
            $0.isCancelled = true
            $0.elements.removeAll()
        }
        free.signal()
        done.wait()
        done.signal()
    }
}
