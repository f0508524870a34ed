import Crypto
import JSON

/// What no column of a mapped row holds, for the digest that tells whether something changed.
enum UnmappedValues {
    /// Takes in the scalars at `compared` (documented, no column) by value, and whatever `known` does not name by path
    /// and value. Members may come in any order; elements of an array keep theirs.
    static func note(
        _ element: JSONValue, compared: [String], known: KnownPaths, into mapped: inout MappedTransaction
    ) {
        var fields = FieldBytes(capacity: 256)
        for path in compared { fields.append(path, element[path: path]) }
        note(element, fields, known, into: &mapped)
    }

    /// The same where the element was walked already; `others` adds what has no path of its own.
    static func note(
        _ reader: FieldReader, compared: [Field], known: KnownPaths, into mapped: inout MappedTransaction,
        others: (inout FieldBytes) -> Void = { _ in }
    ) {
        var fields = FieldBytes(capacity: 256)
        for field in compared { fields.append(field.path, reader.value(field)) }
        others(&fields)
        note(reader.element, fields, known, into: &mapped)
    }

    private static func note(
        _ element: JSONValue, _ fields: consuming FieldBytes, _ known: KnownPaths, into mapped: inout MappedTransaction
    ) {
        mapped.unmappedPaths = element.unknownPaths(known: known)
        if !mapped.unmappedPaths.isEmpty {
            let unknown = Set(mapped.unmappedPaths)
            fields.append(leavesOf: element) { path, leaf in
                unknown.contains(path) ? (path, leaf.scalarText ?? "") : nil
            }
        }
        mapped.unmapped = fields.isEmpty ? nil : fields.digest
    }
}

extension FieldBytes {
    /// A scalar under its path; nothing where there is none.
    fileprivate mutating func append(_ path: String, _ value: JSONValue?) {
        guard let text = value?.scalarBytes else { return }
        append(path)
        append(utf8: text)
    }

    /// The leaves that `named` gives a path and a text, in the order of their paths; those of one path, which are of one
    /// array, in their own.
    mutating func append(
        leavesOf element: JSONValue, named: (_ path: String, _ leaf: JSONValue) -> (path: String, text: String)?
    ) {
        var leaves: [(path: String, text: String)] = []
        element.forEachLeaf { path, leaf in if let leaf = named(path, leaf) { leaves.append(leaf) } }
        let sorted = leaves.enumerated().sorted { ($0.element.path, $0.offset) < ($1.element.path, $1.offset) }
        for (_, leaf) in sorted {
            append(leaf.path)
            append(leaf.text)
        }
    }
}

extension KnownPaths {
    /// The `paths` that a mapping knows, and what is cut before storage: the members at `cut`, whatever they hold, all of
    /// the objects of which only some is kept (`keeping`), and what lies below a text that is kept only where it is plain
    /// (`opaque`). That they are there is no news.
    init(_ paths: [String], cut: [String], keeping: [String: [String]] = [:], opaque: [String] = []) {
        let gone = cut + keeping.keys
        self.init(paths + gone + (gone + opaque).flatMap { ["\($0).**", "\($0)[].**"] })
    }
}
