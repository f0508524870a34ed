/// Fields joined for one digest, each prefixed with its length in eight bytes, big-endian: `("a", "bc")` and `("ab", "c")`
/// must not hash alike, and nil is told from the empty text. The same bytes as `SHA256Hasher.update(field:)` takes one by
/// one; joined they cost one call of libcrypto instead of a hundred.
package struct FieldBytes: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    package private(set) var count = 0

    package init(capacity: Int = 1024) {
        self.capacity = max(capacity, 64)
        memory = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    package var isEmpty: Bool { count == 0 }
    package var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: memory, count: count)) }

    /// The first 16 bytes of SHA-256 over all fields.
    package var digest: [UInt8] {
        Digest.short(UnsafeRawBufferPointer(start: memory, count: count))
    }

    package mutating func append(_ text: String?) {
        guard var text else { return append(length: UInt64.max) }
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    package mutating func append(utf8 text: ArraySlice<UInt8>) {
        text.withUnsafeBytes { append($0) }
    }

    private mutating func append(_ field: UnsafeRawBufferPointer) {
        append(length: UInt64(field.count))
        guard let start = field.baseAddress, !field.isEmpty else { return }
        reserve(field.count)
        memory.advanced(by: count).copyMemory(from: start, byteCount: field.count)
        count += field.count
    }

    private mutating func append(length: UInt64) {
        reserve(8)
        memory.storeBytes(of: length.bigEndian, toByteOffset: count, as: UInt64.self)
        count += 8
    }

    private mutating func reserve(_ more: Int) {
        guard count + more > capacity else { return }
        let larger = max(capacity * 2, count + more)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        fresh.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        memory = fresh
        capacity = larger
    }
}
