import HTTP
import Payments
import Synchronization

/// A machine clock that moves only when told to. Sleepers register here and wake when time reaches them.
final class VirtualClock: Sendable {
    private struct Sleeper {
        let id: Int
        let due: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now = 0
        var nextID = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())
    /// The calendar's time at virtual moment 0.
    let epoch: Timestamp

    init(epoch: Timestamp = Timestamp(seconds: 1_770_000_000)) { self.epoch = epoch }

    var now: Int { state.withLock { $0.now } }
    var sleeping: Int { state.withLock { $0.sleepers.count } }
    func wall(_ milliseconds: Int) -> Timestamp {
        Timestamp(microseconds: epoch.microseconds + Int64(milliseconds) * 1000)
    }

    var clock: MachineClock {
        MachineClock(
            milliseconds: { self.now }, wall: { self.wall(self.now) },
            sleep: { milliseconds in try await self.sleep(milliseconds) })
    }

    private func sleep(_ milliseconds: Int) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let completed = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let runs = state.withLock { state -> Bool? in
                    if state.cancelled.remove(id) != nil { return false }
                    if milliseconds <= 0 { return true }
                    state.sleepers.append(Sleeper(id: id, due: state.now + milliseconds, continuation: continuation))
                    return nil
                }
                if let runs { continuation.resume(returning: runs) }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(returning: false)
        }
        if !completed { throw CancellationError() }
    }

    /// Moves to the first sleeper's moment and wakes all that are due then.
    func step() {
        let due = state.withLock { state -> [Sleeper] in
            guard let first = state.sleepers.map(\.due).min() else { return [] }
            state.now = max(state.now, first)
            let due = state.sleepers.filter { $0.due <= first }
            state.sleepers.removeAll { $0.due <= first }
            return due
        }
        for sleeper in due { sleeper.continuation.resume(returning: true) }
    }

    func advance(by milliseconds: Int) { state.withLock { $0.now += milliseconds } }

    /// Runs `workers` tasks to their end in virtual time: steps whenever every task waits, on the budget or on this
    /// clock. A waiting budget keeps one sleeper of its own.
    func drive<T: Sendable>(
        _ budget: RateBudget, workers: Int, _ body: @escaping @Sendable (Int) async -> T
    ) async -> [T] {
        let done = Record<Int>()
        return await withTaskGroup(of: (Int, T).self) { group in
            for worker in 0..<workers {
                group.addTask {
                    let value = await body(worker)
                    done.append(worker)
                    return (worker, value)
                }
            }
            var calm = 0
            while done.all.count < workers {
                await Task.yield()
                let waiting = await budget.waiting
                let parked = waiting + sleeping - (waiting > 0 ? 1 : 0)
                let idle = parked + done.all.count >= workers && sleeping > 0
                calm = idle ? calm + 1 : 0
                if calm >= 20 {
                    calm = 0
                    step()
                }
            }
            var all: [(Int, T)] = []
            for await value in group { all.append(value) }
            return all.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

/// Repeatable randomness (SplitMix64).
final class Seeded: Sendable {
    private let state: Mutex<UInt64>

    init(_ seed: UInt64) { state = Mutex(seed) }

    var number: RandomNumber {
        { range in
            let bits = self.state.withLock { state -> UInt64 in
                state &+= 0x9E37_79B9_7F4A_7C15
                var z = state
                z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
                z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
                return z ^ (z >> 31)
            }
            return range.lowerBound + Int(bits % UInt64(range.count))
        }
    }
}

/// What happened, in order, from any task.
final class Record<Element: Sendable>: Sendable {
    private let items = Mutex<[Element]>([])
    func append(_ item: Element) { items.withLock { $0.append(item) } }
    var all: [Element] { items.withLock { $0 } }
}
