import Foundation

/// One name that a record gives to something it belongs to, e.g. `meld:order=WqDC4…` or `book:order=A-17`. Records that
/// share a reference belong to one payment. Stored as `text[]` in the `refs` column, sorted, without repeats.
package struct Reference: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Name space and kind, `meld:order`, `meld:transaction`, `meld:session`, `book:order`, `chain:tx`, …
    package let kind: String
    package let value: String

    /// `value` in Unicode's composed form (NFC). Nil for values that name nothing: empty, blank, `0`, `0x`, `null`, `undefined`, zero times.
    package init?(_ kind: String, _ value: String?) {
        guard let value else { return nil }
        let bare = value.drop { $0 == " " || $0 == "\t" }
        switch bare.lowercased() {
        case "", "0", "0x", "null", "nil", "none", "undefined", "0x0": return nil
        default: break
        }
        if bare.hasPrefix("0001-01-01") || bare.hasPrefix("1970-01-01T00:00:00") { return nil }
        // NUL cannot be stored in PostgreSQL text; such a value is no usable name.
        if value.utf8.contains(0) { return nil }
        self.kind = kind
        // Two systems may spell one name composed and decomposed; PostgreSQL compares bytes.
        self.value =
            value.utf8.allSatisfy { $0 < 0x80 } ? value : value.precomposedStringWithCanonicalMapping
    }

    package var description: String { "\(kind)=\(value)" }

    package static func < (a: Reference, b: Reference) -> Bool {
        (a.kind, a.value) < (b.kind, b.value)
    }
}
