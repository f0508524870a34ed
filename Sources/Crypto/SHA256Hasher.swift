import CCrypto

/// SHA-256 of a stream. After `finish` it starts anew, so one hasher serves any number of rows without allocating.
package struct SHA256Hasher: ~Copyable {
    private let context: OpaquePointer

    package init() {
        guard let made = EVP_MD_CTX_new() else { fatalError("out of memory") }
        context = made
        start()
    }

    deinit { EVP_MD_CTX_free(context) }

    private func start() {
        precondition(EVP_DigestInit_ex(context, Algorithm.sha256.pointer, nil) == 1, "libcrypto could not start")
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1, "libcrypto could not hash")
    }

    package mutating func update(_ bytes: some Collection<UInt8>) {
        let context = context
        withContiguousBytes(bytes) { input in
            let done = EVP_DigestUpdate(context, input.baseAddress, input.count)
            precondition(done == 1, "libcrypto could not hash")
        }
    }

    /// Takes the UTF-8 of `text`, prefixed with its length in eight bytes, big-endian: `("a", "bc")` and `("ab", "c")`
    /// must not hash alike. Nil is told from the empty text.
    package mutating func update(field text: String?) {
        guard var text else {
            update(length: UInt64.max)
            return
        }
        text.withUTF8 { bytes in
            update(length: UInt64(bytes.count))
            update(UnsafeRawBufferPointer(bytes))
        }
    }

    private mutating func update(length: UInt64) {
        withUnsafeBytes(of: length.bigEndian) { update($0) }
    }

    /// The 32 bytes of the digest over everything since the start or the last `finish`.
    package mutating func finish() -> [UInt8] {
        let digest = [UInt8](unsafeUninitializedCapacity: Algorithm.sha256.size) { output, count in
            precondition(EVP_DigestFinal_ex(context, output.baseAddress, nil) == 1, "libcrypto could not finish")
            count = Algorithm.sha256.size
        }
        start()
        return digest
    }
}
