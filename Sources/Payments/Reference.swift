import Foundation

/// One name that a record gives to something it belongs to, e.g. `meld:order=WqDC4…` or `book:order=A-17`. Records that
/// share a reference belong to one payment. Stored as `text[]` in the `refs` column, sorted, without repeats.
package struct Reference: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Name space and kind, `meld:order`, `meld:transaction`, `meld:session`, `book:order`, `chain:tx`, …
    package let kind: String
    package let value: String

    /// `value` in Unicode's composed form (NFC). Nil for values that name nothing: empty, blank, `0`, `0x`, `null`, `undefined`, zero times.
    package init?(_ kind: String, _ value: String?) {
        guard let value, !Self.namesNothing(value) else { return nil }
        self.kind = kind
        // Two systems may spell one name composed and decomposed; PostgreSQL compares bytes.
        self.value =
            value.utf8.allSatisfy { $0 < 0x80 } ? value : value.precomposedStringWithCanonicalMapping
    }

    private static func namesNothing(_ value: String) -> Bool {
        // NUL cannot be stored in PostgreSQL text; such a value is no usable name.
        if value.utf8.contains(0) { return true }
        let bare = value.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        // Words for nothing are short, and times begin with a digit: most names are neither.
        if bare.count <= 9 {
            switch value[bare.startIndex...].lowercased() {
            case "", "0", "0x", "null", "nil", "none", "undefined", "0x0": return true
            default: return false
            }
        }
        return bare.starts(with: "0001-01-01".utf8) || bare.starts(with: "1970-01-01T00:00:00".utf8)
    }

    package var description: String { "\(kind)=\(value)" }

    package static func < (a: Reference, b: Reference) -> Bool {
        (a.kind, a.value) < (b.kind, b.value)
    }
}

extension Reference {
    /// A reference as columns hold it, `kind=value`; nil where it is none.
    package init?(column text: String) {
        guard let split = text.firstIndex(of: "=") else { return nil }
        self.init(String(text[..<split]), String(text[text.index(after: split)...]))
    }
}
