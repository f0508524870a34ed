import Synchronization

/// A misbehaviour at work: counts requests, decides which faults strike, and remembers what they have done.
final class Disturbance: Sendable {
    /// What a request is, as far as faults are concerned.
    struct Occasion {
        var isList: Bool
        /// It is answered with one record by its id.
        var isRecord = false
        var hasCursor = false
        var hasWindow = false
    }

    /// One fault and how often it had an occasion and struck.
    struct Tally: Sendable {
        let fault: Fault
        let seen: Int
        let hits: Int
    }

    private struct Course {
        var seen = 0
        var hits = 0
        /// Rows that a fault of the world hides, by list, chosen once.
        var chosen: [String: Set<Int>] = [:]
        /// How often the clock had been set when it began; nil: it has not begun.
        var since: Int?
    }

    private struct State {
        var misbehaviour: Misbehaviour
        var courses: [Course]
        /// Where the page behind a key begins, while keys are row numbers.
        var offsets: [String: Int] = [:]
    }

    private let seed: UInt64
    private let state: Mutex<State>

    init(_ misbehaviour: Misbehaviour, seed: UInt64) {
        self.seed = seed
        state = Mutex(State(misbehaviour: misbehaviour, courses: misbehaviour.faults.map { _ in Course() }))
    }

    /// Begins anew with other faults.
    func replace(by misbehaviour: Misbehaviour) {
        state.withLock { $0 = State(misbehaviour: misbehaviour, courses: misbehaviour.faults.map { _ in Course() }) }
    }

    var tallies: [Tally] {
        state.withLock { state in
            zip(state.misbehaviour.faults, state.courses).map { Tally(fault: $0, seen: $1.seen, hits: $1.hits) }
        }
    }

    // MARK: requests

    /// Counts a request and returns the faults that strike it, in the order of the specification.
    func meet(_ occasion: Occasion) -> [Fault] {
        state.withLock { state in
            var open: [Int] = []
            for (index, fault) in state.misbehaviour.faults.enumerated() where fault.concerns(occasion) {
                state.courses[index].seen += 1
                if fault.kind.effect != .world, strikes(fault, index, state.courses[index], occasion) {
                    open.append(index)
                }
            }
            let faults = state.misbehaviour.faults
            var struck = open
            if let first = open.first(where: { faults[$0].kind.effect == .status }) {
                struck = [first]
                // A server's clock is wrong whatever it answers.
                struck += open.filter { faults[$0].kind == .skew }
            } else if let first = open.first(where: { faults[$0].kind.effect == .delivery }) {
                struck = open.filter { faults[$0].kind.effect != .delivery || $0 == first }
            }
            for index in struck { state.courses[index].hits += 1 }
            return struck.map { faults[$0] }
        }
    }

    private func strikes(_ fault: Fault, _ index: Int, _ course: Course, _ occasion: Occasion) -> Bool {
        let number = course.seen - fault.after
        guard number > 0, number % fault.every == 0, fault.times == 0 || course.hits < fault.times else { return false }
        if fault.kind.needsCursor, !occasion.hasCursor { return false }
        if fault.kind == .outside, !occasion.hasWindow { return false }
        var random = Randomness(seed: seed, 9, UInt64(index), UInt64(course.seen))
        return random.chance(perMille: fault.chance * 10)
    }

    // MARK: rows that are hidden

    /// The rows of a list that nobody sees now.
    /// - Parameters:
    ///   - settings: how often the simulated clock was set.
    ///   - visible: what the world shows on that list, newest first.
    func hidden(on shelf: String, settings: Int, visible: () -> [Int]) -> Set<Int> {
        state.withLock { state in
            var hidden: Set<Int> = []
            for (index, fault) in state.misbehaviour.faults.enumerated() where fault.kind.effect == .world {
                if state.courses[index].chosen[shelf] == nil {
                    state.courses[index].chosen[shelf] = choose(fault, index, visible())
                    if state.courses[index].since == nil { state.courses[index].since = settings }
                }
                let course = state.courses[index]
                guard fault.hides(afterSeeing: course.seen, clockWasSet: course.since != settings) else { continue }
                state.courses[index].hits += 1
                hidden.formUnion(course.chosen[shelf] ?? [])
            }
            return hidden
        }
    }

    private func choose(_ fault: Fault, _ index: Int, _ visible: [Int]) -> Set<Int> {
        if fault.kind == .insert { return Set(visible.prefix(fault.number("rows"))) }
        // What is deleted was on the first page, whatever its limit: it was seen before it went.
        var among = fault.kind == .delete ? Array(visible.prefix(10)) : visible
        var random = Randomness(seed: seed, 10, UInt64(index))
        var chosen: Set<Int> = []
        for _ in 0..<min(fault.number("rows"), among.count) {
            chosen.insert(among.remove(at: random.below(among.count)))
        }
        return chosen
    }

    // MARK: row numbers instead of keys

    /// Where the page behind `key` begins: as many rows down as when the key was given out.
    func offset(of key: String) -> Int? { state.withLock { $0.offsets[key] } }

    func note(keys: [String], from start: Int) {
        state.withLock { state in
            for (place, key) in keys.enumerated() { state.offsets[key] = start + place + 1 }
        }
    }

    /// Numbers for one request's content.
    func randomness(_ fault: Fault) -> Randomness {
        let (index, hits) = state.withLock { state in
            let index = state.misbehaviour.faults.firstIndex(of: fault) ?? 0
            return (index, index < state.courses.count ? state.courses[index].hits : 0)
        }
        return Randomness(seed: seed, 11, UInt64(index), UInt64(hits))
    }
}

extension Fault {
    fileprivate func concerns(_ occasion: Disturbance.Occasion) -> Bool {
        // What else an API answers has no row to spoil.
        if kind.spoilsRows, !occasion.isList, !occasion.isRecord { return false }
        return switch scope {
        case .all: true
        case .list: occasion.isList
        case .one: !occasion.isList
        }
    }

    /// `seen` counts the request in hand.
    fileprivate func hides(afterSeeing seen: Int, clockWasSet: Bool) -> Bool {
        switch kind {
        case .insert: seen <= after
        case .delete: seen > after && (times == 0 || seen <= after + times)
        case .late: !clockWasSet
        default: false
        }
    }
}
