import CSimdJSON

extension JSONValue {
    /// Calls `body` for every leaf below this value, in the order they were written. A leaf is a scalar, null, or an
    /// empty object or array. Its path joins member names with dots; elements of an array share the path `name[]`.
    package func forEachLeaf(_ body: (_ path: String, _ leaf: JSONValue) -> Void) {
        leaves(under: "", body)
    }

    private func leaves(under path: String, _ body: (String, JSONValue) -> Void) {
        guard count > 0 else {
            body(path, self)
            return
        }
        var children = Children(of: self, when: true)
        let isObject = isObject
        while let child = children.nextChild() {
            child.leaves(under: isObject ? path.isEmpty ? child.key : "\(path).\(child.key)" : "\(path)[]", body)
        }
    }

    /// The member's key, unescaped; empty for what is no member.
    package var key: String { String(decoding: keyBytes ?? [], as: UTF8.self) }

    /// The paths of leaves that `known` does not name, sorted, each once. A null or an empty object or array is known
    /// where a known path leads through it. What is known costs no text.
    package func unknownPaths(known: KnownPaths) -> [String] {
        var found: [Int] = []
        known.machine.walk(self) { Self.collectUnknown(index, known.machine.start, $0, &found) }
        if found.isEmpty { return [] }
        return Set(found.map { path(to: JSONValue(tape: tape, index: $0)) }).sorted()
    }

    package func unknownPaths(known: Set<String>) -> [String] { unknownPaths(known: KnownPaths(known)) }

    private static func collectUnknown(_ index: Int, _ state: Int, _ walk: PathWalk, _ found: inout [Int]) {
        let (isObject, isArray) = (walk.isObject(index), walk.isArray(index))
        if walk.states[state].coversBelow { return }
        guard walk.nodes[index].count > 0 else {
            let isKnown =
                isObject || isArray || walk.isNull(index) ? state != PathMachine.dead : walk.states[state].ends
            if !isKnown { found.append(index) }
            return
        }
        let end = Int(walk.nodes[index].next)
        var child = index + 1
        while child < end {
            collectUnknown(child, isObject ? walk.next(state, child) : walk.states[state].element, walk, &found)
            child = Int(walk.nodes[child].next)
        }
    }

    /// The path from this value to one inside it, made only for what is to be shown.
    private func path(to target: JSONValue) -> String {
        var path = ""
        var at = self
        while at.index != target.index {
            var children = Children(of: at, when: true)
            let isObject = at.isObject
            while let child = children.nextChild(), child.index <= target.index { at = child }
            path += isObject ? (path.isEmpty ? "" : ".") + at.key : "[]"
        }
        return path
    }
}

/// The paths a decoder reads, compiled once: `id`, `cryptoDetails.networkFee`, `items[].id`, `details.**` for all below.
package struct KnownPaths: Sendable {
    let machine: PathMachine

    package init(_ paths: some Sequence<String>) {
        var tree = PathTree()
        for path in paths { tree.insert(path, from: PathTree.root, arrays: .explicit) }
        machine = PathMachine(tree)
    }
}
