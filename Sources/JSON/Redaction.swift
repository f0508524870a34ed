/// Which members of an element may be kept. What may not is cut out of its bytes, or masked where its place says something;
/// everything else stays byte for byte, and the result is valid JSON again.
///
/// Paths join member names with dots: `customer.email`; `*` is any one member, `**` any number of them, also none
/// (`**.token` cuts every `token`, however deep). Arrays are transparent: `items.url` and `items[].url` both cut `url` from the element
/// `items` and from each of its elements should it be an array, because a shape that changes must not start to leak.
/// `items[]` cuts the elements and leaves the empty array.
package struct Redaction: Sendable {
    private var tree = PathTree()
    private var machine: PathMachine
    private let keepsOnly: Bool
    private let rule: OpaqueRule

    /// - Parameters:
    ///   - paths: members that are cut, whatever they hold.
    ///   - keeping: for untyped objects, the only paths that are kept, e.g.
    ///     `["serviceProviderDetails": ["details.status"]]`. A path that is kept keeps scalars only, unless it ends in
    ///     `**`, which keeps whatever is there; null stays where a listed path leads to or through it.
    ///   - opaque: members that hold what others choose: a text in them that `rule` does not let pass is masked, an
    ///     object or array emptied.
    package init(
        paths: [String], keeping: [String: [String]] = [:], opaque: [String] = [], by rule: OpaqueRule = .plain
    ) {
        self.init(cutting: paths, keeping: keeping, opaque: opaque, rule, keepsOnly: false)
    }

    /// Cuts everything but `paths`, and masks of these what is named in `opaque` and holds no opaque value.
    package init(keepingOnly paths: [String], opaque: [String] = []) {
        self.init(cutting: [], keeping: ["": paths], opaque: opaque, .plain, keepsOnly: true)
    }

    private init(
        cutting paths: [String], keeping: [String: [String]], opaque: [String], _ rule: OpaqueRule, keepsOnly: Bool
    ) {
        for path in paths { tree.insert(path, from: PathTree.root, arrays: .transparent) }
        for path in opaque { tree.setOpaqueOnly(at: path) }
        for (path, allowed) in keeping.sorted(by: { $0.key < $1.key }) {
            let root = tree.addRoot()
            for path in allowed { tree.insert(path, from: root, arrays: .transparent) }
            tree.setKeep(root, at: path)
        }
        self.keepsOnly = keepsOnly
        self.rule = rule
        machine = PathMachine(tree)
    }

    /// The same and `paths` cut as well.
    package func cutting(_ paths: [String]) -> Redaction {
        var copy = self
        for path in paths { copy.tree.insert(path, from: PathTree.root, arrays: .transparent) }
        copy.machine = PathMachine(copy.tree)
        return copy
    }

    /// The element's bytes without what must not be kept, and how many members and elements were cut or masked.
    package func kept(_ value: JSONValue) -> (bytes: [UInt8], cut: Int) {
        var bytes: [UInt8] = []
        let cut = append(value, to: &bytes)
        return (bytes, cut)
    }

    /// The same, appended to `bytes`; returns how many members and elements were cut.
    @discardableResult
    package func append(_ value: JSONValue, to bytes: inout [UInt8]) -> Int {
        if isForbidden(value) {
            bytes += Self.null
            return 1
        }
        return machine.walk(value) { walk in
            let cuts = cuts(in: value, walk)
            cuts.forEachKept(of: value.sourceRange) { bytes += $0 }
            return cuts.count
        }
    }

    /// The kept bytes piece by piece, for a digest that needs no copy.
    package func forEachKeptSpan(of value: JSONValue, _ body: (UnsafeRawBufferPointer) -> Void) {
        if isForbidden(value) { return Self.null.withUnsafeBytes(body) }
        machine.walk(value) { walk in
            cuts(in: value, walk).forEachKept(of: value.sourceRange) { body(UnsafeRawBufferPointer($0)) }
        }
    }

    private static let null = Array("null".utf8)

    /// Where only listed members are kept, a bare scalar is none of them, and there is nothing around it to cut it from.
    private func isForbidden(_ value: JSONValue) -> Bool {
        keepsOnly && !value.isObject && !value.isArray && !value.isNull
    }

    private func cuts(in value: JSONValue, _ walk: PathWalk) -> Cuts {
        Cuts(in: value.index, walk, start: machine.start, keep: keepsOnly ? machine.rootKeep : nil, rule: rule)
    }
}

/// The element's exact bytes without `volatile` members: equal means that nothing but them has changed.
package func bytesWithout(_ value: JSONValue, paths volatile: Redaction) -> [UInt8] { volatile.kept(value).bytes }

package func bytesWithout(_ value: JSONValue, paths volatile: [String]) -> [UInt8] {
    bytesWithout(value, paths: Redaction(paths: volatile))
}
