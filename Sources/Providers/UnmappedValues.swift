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
        for path in compared {
            guard let text = element[path: path]?.scalarBytes else { continue }
            fields.append(path)
            fields.append(utf8: text)
        }
        mapped.unmappedPaths = element.unknownPaths(known: known)
        if !mapped.unmappedPaths.isEmpty {
            let unknown = Set(mapped.unmappedPaths)
            var leaves: [(path: String, text: String)] = []
            element.forEachLeaf { path, leaf in
                if unknown.contains(path) { leaves.append((path, leaf.scalarText ?? "")) }
            }
            let sorted = leaves.enumerated().sorted { ($0.element.path, $0.offset) < ($1.element.path, $1.offset) }
            for (_, leaf) in sorted {
                fields.append(leaf.path)
                fields.append(leaf.text)
            }
        }
        mapped.unmapped = fields.isEmpty ? nil : fields.digest
    }
}
