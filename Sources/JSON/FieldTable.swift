import CSimdJSON

/// Paths that a mapping asks of every element, compiled once: one walk over an element finds them all. Paths are member
/// names joined by dots, as `JSONValue[path:]` takes them, without positions in arrays.
package struct FieldTable: Sendable {
    package let paths: [String]
    private let machine: PathMachine

    package init(_ paths: [String]) {
        var tree = PathTree()
        for (field, path) in paths.enumerated() { tree.insert(path, field: field) }
        self.paths = paths
        machine = PathMachine(tree)
    }

    /// Where the fields stand in `element`; the first of several members of one name.
    package func read(_ element: JSONValue) -> Fields {
        var places = [Int32](repeating: -1, count: paths.count)
        if element.isObject {
            places.withUnsafeMutableBufferPointer { places in
                machine.walk(element) { Self.collect(element.index, machine.start, $0, places) }
            }
        }
        return Fields(tape: element.tape, places: places)
    }

    private static func collect(
        _ index: Int, _ state: Int, _ walk: PathWalk, _ places: UnsafeMutableBufferPointer<Int32>
    ) {
        let end = Int(walk.nodes[index].next)
        var child = index + 1
        while child < end {
            let next = walk.next(state, child)
            if next != PathMachine.dead {
                let field = walk.states[next].field
                if field >= 0, places[field] < 0 { places[field] = Int32(truncatingIfNeeded: child) }
                if walk.states[next].mask >= 0, walk.isObject(child) { collect(child, next, walk, places) }
            }
            child = Int(walk.nodes[child].next)
        }
    }

    /// One element's fields, by their number in the table.
    package struct Fields: Sendable {
        let tape: Tape
        let places: [Int32]

        /// Nil where the element has no such member; a member that is null is there.
        package subscript(field: Int) -> JSONValue? {
            let place = Int(places[field])
            return place < 0 ? nil : JSONValue(tape: tape, index: place)
        }
    }
}
