/// Fields joined for one digest, each prefixed with its length in eight bytes, big-endian: `("a", "bc")` and `("ab", "c")`
/// must not hash alike, and nil is told from the empty text. The same bytes as `SHA256Hasher.update(field:)` takes one by
/// one; joined they cost one call of libcrypto instead of a hundred.
package struct FieldBytes: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 1024) { bytes.reserveCapacity(capacity) }

    package mutating func append(_ text: String?) {
        guard var text else { return append(length: UInt64.max) }
        text.withUTF8 { utf8 in
            append(length: UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    package mutating func append(utf8 text: ArraySlice<UInt8>) {
        append(length: UInt64(text.count))
        bytes += text
    }

    /// What `write` appends, as one field.
    package mutating func append(_ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        append(length: 0)
        write(&bytes)
        let length = UInt64(bytes.count - start - 8)
        for place in 0..<8 { bytes[start + place] = UInt8(truncatingIfNeeded: length >> UInt64(56 - 8 * place)) }
    }

    private mutating func append(length: UInt64) {
        withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
