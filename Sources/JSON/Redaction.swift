/// Which members of an element may be kept. What may not is cut out of its bytes; everything else stays byte for byte,
/// and the result is valid JSON again.
///
/// Paths join member names with dots: `customer.email`; `*` is any one member, `**` any number of them, also none
/// (`**.token` cuts every `token`, however deep). Arrays are transparent: `items.url` and `items[].url` both cut `url` from the element
/// `items` and from each of its elements should it be an array, because a shape that changes must not start to leak.
/// `items[]` cuts the elements and leaves the empty array.
package struct Redaction: Sendable {
    private var tree = PathTree()
    private var machine: PathMachine
    private let keepsOnly: Bool

    /// - Parameters:
    ///   - paths: members that are cut, whatever they hold.
    ///   - keeping: for untyped objects, the only paths that are kept, e.g.
    ///     `["serviceProviderDetails": ["details.status"]]`. A path that is kept keeps scalars only, unless it ends in
    ///     `**`, which keeps whatever is there; null stays where a listed path leads to or through it.
    ///   - opaque: members that are kept only while they hold an opaque value (`isOpaque`): names that others choose,
    ///     who may put a person's e-mail address there.
    package init(paths: [String], keeping: [String: [String]] = [:], opaque: [String] = []) {
        self.init(cutting: paths, keeping: keeping, opaque: opaque, keepsOnly: false)
    }

    /// Cuts everything but `paths`.
    package init(keepingOnly paths: [String]) {
        self.init(cutting: [], keeping: ["": paths], opaque: [], keepsOnly: true)
    }

    private init(cutting paths: [String], keeping: [String: [String]], opaque: [String], keepsOnly: Bool) {
        for path in paths { tree.insert(path, from: PathTree.root, arrays: .transparent) }
        for path in opaque { tree.setOpaqueOnly(at: path) }
        for (path, allowed) in keeping.sorted(by: { $0.key < $1.key }) {
            let root = tree.addRoot()
            for path in allowed { tree.insert(path, from: root, arrays: .transparent) }
            tree.setKeep(root, at: path)
        }
        self.keepsOnly = keepsOnly
        machine = PathMachine(tree)
    }

    /// The same and `paths` cut as well.
    package func cutting(_ paths: [String]) -> Redaction {
        var copy = self
        for path in paths { copy.tree.insert(path, from: PathTree.root, arrays: .transparent) }
        copy.machine = PathMachine(copy.tree)
        return copy
    }

    /// The element's bytes without what must not be kept, and how many members and elements were cut.
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
            cuts.forEachKept(of: value.sourceRange) { bytes += UnsafeBufferPointer(rebasing: walk.bytes[$0]) }
            return cuts.count
        }
    }

    /// The kept bytes piece by piece, for a digest that needs no copy.
    package func forEachKeptSpan(of value: JSONValue, _ body: (UnsafeRawBufferPointer) -> Void) {
        if isForbidden(value) { return Self.null.withUnsafeBytes(body) }
        machine.walk(value) { walk in
            cuts(in: value, walk).forEachKept(of: value.sourceRange) {
                body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: walk.bytes[$0])))
            }
        }
    }

    /// Whether a text can be a number, a code or a key, and is no e-mail address and no words: nothing in it is white space
    /// or an at sign.
    package static func isOpaque(utf8 text: some Sequence<UInt8>) -> Bool {
        !text.contains { $0 <= 0x20 || $0 == UInt8(ascii: "@") }
    }

    private static let null = Array("null".utf8)

    /// Where only listed members are kept, a bare scalar is none of them, and there is nothing around it to cut it from.
    private func isForbidden(_ value: JSONValue) -> Bool {
        keepsOnly && !value.isObject && !value.isArray && !value.isNull
    }

    private func cuts(in value: JSONValue, _ walk: PathWalk) -> Cuts {
        Cuts(in: value.index, walk, start: machine.start, keep: keepsOnly ? machine.rootKeep : nil)
    }
}

/// The element's exact bytes without `volatile` members: equal means that nothing but them has changed.
package func bytesWithout(_ value: JSONValue, paths volatile: Redaction) -> [UInt8] { volatile.kept(value).bytes }

package func bytesWithout(_ value: JSONValue, paths volatile: [String]) -> [UInt8] {
    bytesWithout(value, paths: Redaction(paths: volatile))
}
