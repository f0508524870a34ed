import CSimdJSON
import Glibc

/// A `PathTree` made deterministic: every set of nodes a walk can stand at is one state, and a step is one look-up by
/// the key's hash. Redaction and unknown paths look at every member of every row; this keeps them as fast as parsing.
struct PathMachine: Sendable {
    struct State: Sendable {
        /// Where the listed keys of this state stand in `slots`; a mask of −1 means that it lists none.
        var slots = 0
        var mask = -1
        /// The state behind any key that is not listed, and inside an element.
        var other = PathMachine.dead
        var element = PathMachine.dead
        var ends = false
        var endsInElements = false
        var coversBelow = false
        var opaqueOnly = false
        /// The start of the allow-list that governs what is below, or −1.
        var keep = -1
        /// The field of a table that stands here, or −1.
        var field = -1
    }

    struct Slot: Sendable {
        var hash: UInt32 = 0
        /// −1 for a slot that is free.
        var next = -1
        var key = 0..<0
    }

    /// No path leads here or further.
    static let dead = 0

    private(set) var states: ContiguousArray<State> = [State()]
    private(set) var slots: ContiguousArray<Slot> = []
    private(set) var keys: [UInt8] = []
    private(set) var start = PathMachine.dead
    /// The start of an allow-list over the whole document, or −1.
    private(set) var rootKeep = -1

    init(_ tree: PathTree) {
        var numbers: [Set<Int>: Int] = [[]: Self.dead]
        var pending: [Set<Int>] = []
        // Where a walk goes from a state depends on the nodes that lead on: with a hundred `**.name` as many states end there
        // and go on alike, from one table.
        var tables: [Set<Int>: State] = [:]
        func number(_ set: Set<Int>) -> Int {
            if let known = numbers[set] { return known }
            numbers[set] = numbers.count
            pending.append(set)
            return numbers.count - 1
        }
        start = number(tree.closure([PathTree.root]))
        if let keep = tree.nodes[PathTree.root].keep { rootKeep = number(tree.closure([keep])) }
        while let set = pending.popLast() {
            let live = set.filter { tree.nodes[$0].leadsOn }
            if tables[live] == nil {
                var table = State()
                table.element = number(tree.element(live))
                table.other = number(tree.other(live))
                let listed = Set(live.flatMap { tree.nodes[$0].children.keys })
                    .sorted { $0.lexicographicallyPrecedes($1) }
                insert(listed.map { ($0, number(tree.member($0, live))) }, into: &table)
                tables[live] = table
            }
            var state = tables[live] ?? State()
            let nodes = set.sorted().map { tree.nodes[$0] }
            state.ends = nodes.contains { $0.isEnd }
            state.endsInElements = nodes.contains { $0.endsInElements }
            state.coversBelow = nodes.contains { $0.coversBelow }
            state.opaqueOnly = nodes.contains { $0.opaqueOnly }
            state.field = nodes.lazy.compactMap(\.field).first ?? -1
            let keeps = Set(nodes.compactMap(\.keep))
            if !keeps.isEmpty { state.keep = number(tree.closure(keeps)) }
            let position = numbers[set] ?? Self.dead
            while states.count <= position { states.append(State()) }
            states[position] = state
        }
    }

    private mutating func insert(_ members: [(key: [UInt8], next: Int)], into state: inout State) {
        if members.isEmpty { return }
        var size = 2
        while size < members.count * 2 { size *= 2 }
        state.slots = slots.count
        state.mask = size - 1
        slots += repeatElement(Slot(), count: size)
        for (key, next) in members {
            let hash = csimdjson_hash(key, key.count)
            var position = Int(hash) & state.mask
            while slots[state.slots + position].next >= 0 { position = (position + 1) & state.mask }
            slots[state.slots + position] = Slot(hash: hash, next: next, key: keys.count..<keys.count + key.count)
            keys += key
        }
    }

    /// Calls `body` with plain pointers to the machine and to the document of `value`.
    func walk<Result>(_ value: JSONValue, _ body: (PathWalk) -> Result) -> Result {
        value.tape.nodes.withUnsafeBufferPointer { nodes in
            value.tape.bytes.withUnsafeBufferPointer { bytes in
                states.withUnsafeBufferPointer { states in
                    slots.withUnsafeBufferPointer { slots in
                        keys.withUnsafeBufferPointer { keys in
                            body(PathWalk(nodes: nodes, bytes: bytes, states: states, slots: slots, keys: keys))
                        }
                    }
                }
            }
        }
    }
}

/// One walk of a machine over one document; valid only inside `PathMachine.walk`.
struct PathWalk {
    let nodes: UnsafeBufferPointer<csimdjson_node>
    let bytes: UnsafeBufferPointer<UInt8>
    let states: UnsafeBufferPointer<PathMachine.State>
    let slots: UnsafeBufferPointer<PathMachine.Slot>
    let keys: UnsafeBufferPointer<UInt8>

    /// The state behind the step into the member at `index`.
    func next(_ state: Int, _ index: Int) -> Int {
        let mask = states[state].mask
        if mask < 0 { return states[state].other }
        let hash = nodes[index].key_hash
        var position = Int(hash) & mask
        while true {
            let slot = slots[states[state].slots + position]
            if slot.next < 0 { return states[state].other }
            if slot.hash == hash, isKey(slot.key, of: nodes[index]) { return slot.next }
            position = (position + 1) & mask
        }
    }

    private func isKey(_ key: Range<Int>, of node: csimdjson_node) -> Bool {
        let key = UnsafeBufferPointer(rebasing: keys[key])
        let inside = UnsafeBufferPointer(rebasing: bytes[Int(node.key_start)..<Int(node.key_end)])
        if Int(node.flags) & CSIMDJSON_KEY_ESCAPED != 0 { return unescaped(Array(inside)[...]).elementsEqual(key) }
        guard key.count == inside.count, let a = key.baseAddress, let b = inside.baseAddress else {
            return key.count == inside.count
        }
        return memcmp(a, b, key.count) == 0
    }

    func isObject(_ index: Int) -> Bool { Int(nodes[index].kind) == CSIMDJSON_OBJECT }
    func isArray(_ index: Int) -> Bool { Int(nodes[index].kind) == CSIMDJSON_ARRAY }
    func isNull(_ index: Int) -> Bool { Int(nodes[index].kind) == CSIMDJSON_NULL }

    /// A string, unescaped; nil where it is no usable text.
    func text(_ index: Int) -> String? {
        let node = nodes[index]
        guard Int(node.flags) & CSIMDJSON_UNREADABLE == 0 else { return nil }
        let inside = UnsafeBufferPointer(rebasing: bytes[Int(node.start) + 1..<Int(node.end) - 1])
        guard Int(node.flags) & CSIMDJSON_TEXT_ESCAPED != 0 else { return String(decoding: inside, as: UTF8.self) }
        return String(decoding: unescaped(Array(inside)[...]), as: UTF8.self)
    }

    /// Where a member's key, or an element, begins.
    func startWithKey(_ index: Int) -> Int {
        let node = nodes[index]
        return Int(Int(node.flags) & CSIMDJSON_HAS_KEY != 0 ? node.key_start - 1 : node.start)
    }

    func end(_ index: Int) -> Int { Int(nodes[index].end) }

    /// The value's bytes, without its key.
    func range(_ index: Int) -> Range<Int> { Int(nodes[index].start)..<Int(nodes[index].end) }
}
