import CSimdJSON

/// The byte ranges to take out of one element, in order, and how many members and elements they are.
struct Cuts {
    private let walk: PathWalk
    private let rule: OpaqueRule
    private var pieces: [Piece] = []
    private(set) var count = 0

    /// What goes, and what comes in its place.
    private struct Piece {
        let range: Range<Int>
        var mask: [UInt8] = []
    }

    /// In place of an allow-list's state: everything is allowed.
    private static let everything = -1

    init(in index: Int, _ walk: PathWalk, start: Int, keep: Int?, rule: OpaqueRule) {
        self.walk = walk
        self.rule = rule
        collect(index, cutting: start, keeping: keep ?? Self.everything)
    }

    /// Calls `body` with what remains of `whole` and with the masks, piece by piece.
    func forEachKept(of whole: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        var start = whole.lowerBound
        for piece in pieces {
            if piece.range.lowerBound > start {
                body(UnsafeBufferPointer(rebasing: walk.bytes[start..<piece.range.lowerBound]))
            }
            if !piece.mask.isEmpty { piece.mask.withUnsafeBufferPointer(body) }
            start = piece.range.upperBound
        }
        if start < whole.upperBound { body(UnsafeBufferPointer(rebasing: walk.bytes[start..<whole.upperBound])) }
    }

    /// Goes through the children of the value at `index`; `cutting` and `keeping` are the states that lead here.
    private mutating func collect(_ index: Int, cutting: Int, keeping: Int) {
        var keeping = keeping
        if keeping != Self.everything, walk.states[keeping].coversBelow { keeping = Self.everything }
        if walk.nodes[index].count == 0 { return }
        if keeping == Self.everything, cutting == PathMachine.dead { return }
        let isObject = walk.isObject(index)
        let end = Int(walk.nodes[index].next)
        var child = index + 1
        var run = Run()
        while child < end {
            let step = isObject ? member(child, cutting, keeping) : element(child, cutting, keeping)
            if step.isCut {
                count += 1
                run.extend(over: child, walk)
            } else {
                if let range = run.end(before: child, walk) { pieces.append(Piece(range: range)) }
                if step.isOpaqueOnly, let mask = mask(of: child) {
                    count += 1
                    pieces.append(Piece(range: walk.range(child), mask: mask))
                } else {
                    collect(child, cutting: step.cutting, keeping: step.keeping)
                }
            }
            child = Int(walk.nodes[child].next)
        }
        if let range = run.endAtLast() { pieces.append(Piece(range: range)) }
    }

    private struct Step {
        var isCut = false
        var cutting = PathMachine.dead
        var keeping = Cuts.everything
        /// What is no opaque value is masked.
        var isOpaqueOnly = false
    }

    private func member(_ index: Int, _ cutting: Int, _ keeping: Int) -> Step {
        if walk.states[cutting].coversBelow { return Step(isCut: true) }
        let below = walk.next(cutting, index)
        let state = walk.states[below]
        if state.ends || state.coversBelow { return Step(isCut: true) }
        if state.endsInElements, !walk.isArray(index) { return Step(isCut: true) }
        var step = Step(cutting: below)
        if keeping != Self.everything {
            step = allowed(index, below, walk.next(keeping, index))
        } else if state.keep >= 0 {
            step = allowed(index, below, state.keep)
        }
        step.isOpaqueOnly = state.opaqueOnly
        return step
    }

    /// What stands in the place of the value at `index`, which must be an opaque one; nil: it is.
    private func mask(of index: Int) -> [UInt8]? {
        let mask: [UInt8]
        switch Int(walk.nodes[index].kind) {
        case CSIMDJSON_OBJECT: mask = OpaqueRule.emptyObject
        case CSIMDJSON_ARRAY: mask = OpaqueRule.emptyArray
        case CSIMDJSON_STRING:
            let text = walk.text(index)
            if let text, rule.keeps(text) { return nil }
            mask = rule.mask(of: text)
        default: return nil
        }
        return walk.bytes[walk.range(index)].elementsEqual(mask) ? nil : mask
    }

    /// Arrays are transparent: an element stands where its array stands.
    private func element(_ index: Int, _ cutting: Int, _ keeping: Int) -> Step {
        if walk.states[cutting].endsInElements { return Step(isCut: true) }
        return keeping == Self.everything ? Step(cutting: cutting) : allowed(index, cutting, keeping)
    }

    /// What an allow-list says about the value at `index`, which stands at `keeping`.
    private func allowed(_ index: Int, _ cutting: Int, _ keeping: Int) -> Step {
        if keeping == PathMachine.dead { return Step(isCut: true) }
        let state = walk.states[keeping]
        if state.coversBelow { return Step(cutting: cutting) }
        let isScalar = !walk.isObject(index) && !walk.isArray(index) && !walk.isNull(index)
        if isScalar, !state.ends, !state.endsInElements { return Step(isCut: true) }
        return Step(cutting: cutting, keeping: keeping)
    }

    /// Neighbours that are cut together, with the commas that go with them.
    private struct Run {
        private var lastKeptEnd: Int?
        private var cutStart: Int?
        private var cutEnd = 0

        mutating func extend(over child: Int, _ walk: PathWalk) {
            if cutStart == nil { cutStart = lastKeptEnd ?? walk.startWithKey(child) }
            cutEnd = walk.end(child)
        }

        /// A kept child follows: behind a kept one the comma before the run goes, at the start the one behind it.
        mutating func end(before child: Int, _ walk: PathWalk) -> Range<Int>? {
            let range = cutStart.map { $0..<(lastKeptEnd == nil ? walk.startWithKey(child) : cutEnd) }
            lastKeptEnd = walk.end(child)
            cutStart = nil
            return range
        }

        func endAtLast() -> Range<Int>? { cutStart.map { $0..<cutEnd } }
    }
}
