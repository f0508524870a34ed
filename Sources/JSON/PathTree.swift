/// Paths as they are written, merged into a tree: what `PathMachine` is made from.
///
/// `name` a member, `*` any one member, `**` any number of members, also none, `name[]` the elements of an array.
struct PathTree: Sendable {
    enum Arrays {
        /// `a.b` also leads through the elements of an array `a`; `[]` says nothing more.
        case transparent
        /// `[]` is a step of its own.
        case explicit
    }

    struct Node: Sendable {
        var children: [[UInt8]: Int] = [:]
        var any: Int?
        var deep: Int?
        var element: Int?
        /// A `**` stays where it is while the walk goes down.
        var loops = false
        var isEnd = false
        /// A path that ends in `**`: it means this and everything below.
        var coversBelow = false
        /// A path that ends in `[]`, arrays being transparent: it means the elements, not the array.
        var endsInElements = false
        /// The value may stay as long as it is an opaque one.
        var opaqueOnly = false
        /// The root of an allow-list that governs what is below.
        var keep: Int?
        /// Which of a table's fields stands here.
        var field: Int?

        /// Whether a walk can go on from here.
        var leadsOn: Bool { loops || any != nil || element != nil || !children.isEmpty }
    }

    static let root = 0
    private(set) var nodes = [Node()]

    /// A new root for an allow-list in the same tree.
    mutating func addRoot() -> Int { append(Node()) }

    private mutating func append(_ node: Node) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }

    mutating func setKeep(_ keep: Int, at path: String) {
        nodes[step(path, from: Self.root, arrays: .transparent).node].keep = keep
    }

    /// Members that are kept as long as what they hold is opaque.
    mutating func setOpaqueOnly(at path: String) {
        nodes[step(path, from: Self.root, arrays: .transparent).node].opaqueOnly = true
    }

    /// A field of a table: member names only.
    mutating func insert(_ path: String, field: Int) {
        nodes[step(path, from: Self.root, arrays: .explicit).node].field = field
    }

    mutating func insert(_ path: String, from start: Int, arrays: Arrays) {
        let (end, inElements) = step(path, from: start, arrays: arrays)
        if inElements { nodes[end].endsInElements = true } else { nodes[end].isEnd = true }
    }

    private mutating func step(_ path: String, from start: Int, arrays: Arrays) -> (node: Int, inElements: Bool) {
        var at = start
        var inElements = false
        let segments = path.split(separator: ".")
        for (position, segment) in segments.enumerated() {
            var name = segment
            var depth = 0
            while name.hasSuffix("[]") {
                name = name.dropLast(2)
                depth += 1
            }
            inElements = arrays == .transparent && depth > 0
            if name == "**" {
                if position == segments.count - 1 {
                    nodes[at].coversBelow = true
                } else {
                    at = step(at, \.deep, Node(loops: true))
                }
            } else if name == "*" {
                at = step(at, \.any, Node())
            } else if !name.isEmpty {
                at = step(at, \.children[Array(name.utf8)], Node())
            }
            if arrays == .explicit { for _ in 0..<depth { at = step(at, \.element, Node()) } }
        }
        return (at, inElements)
    }

    private mutating func step(_ at: Int, _ way: WritableKeyPath<Node, Int?>, _ new: Node) -> Int {
        if let there = nodes[at][keyPath: way] { return there }
        let made = append(new)
        nodes[at][keyPath: way] = made
        return made
    }

    /// With every `**` that stands right behind: it may mean no member at all.
    func closure(_ set: Set<Int>) -> Set<Int> {
        var result = set
        var pending = Array(set)
        while let node = pending.popLast() {
            if let deep = nodes[node].deep, result.insert(deep).inserted { pending.append(deep) }
        }
        return result
    }

    /// Behind a step into the member `key`, into one that no path names, and into an element.
    func member(_ key: [UInt8], _ set: Set<Int>) -> Set<Int> {
        other(set).union(closure(Set(set.compactMap { nodes[$0].children[key] })))
    }

    func other(_ set: Set<Int>) -> Set<Int> {
        closure(Set(set.compactMap { nodes[$0].any } + set.filter { nodes[$0].loops }))
    }

    func element(_ set: Set<Int>) -> Set<Int> {
        closure(Set(set.compactMap { nodes[$0].element } + set.filter { nodes[$0].loops }))
    }
}
