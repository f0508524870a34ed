import CCrypto

/// Digests of whole byte strings. `SHA256Hasher` takes a stream.
package enum Digest {
    /// The 32 bytes of SHA-256 over `bytes`.
    package static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] { Algorithm.sha256.digest(bytes) }

    /// The 20 bytes of SHA-1: for signatures that a provider still makes with it, never for identity.
    package static func sha1(_ bytes: some Collection<UInt8>) -> [UInt8] { Algorithm.sha1.digest(bytes) }

    /// The 64 bytes of SHA-512 over `bytes`.
    package static func sha512(_ bytes: some Collection<UInt8>) -> [UInt8] { Algorithm.sha512.digest(bytes) }

    /// The first 16 bytes of SHA-256: what stored digests (`raw_hash`, `content_hash`) are made of.
    package static func short(_ bytes: some Collection<UInt8>) -> [UInt8] { Array(sha256(bytes).prefix(16)) }
}

/// One digest of libcrypto, looked up once: the implicit look-up of every `EVP_Digest` call costs more than hashing a
/// short text.
struct Algorithm: @unchecked Sendable {
    // An EVP_MD is immutable and shared between threads by libcrypto's own rules; this pointer is never freed.
    let pointer: OpaquePointer
    let size: Int

    static let sha1 = Algorithm("SHA1")
    static let sha256 = Algorithm("SHA256")
    static let sha512 = Algorithm("SHA512")

    private init(_ name: String) {
        guard let found = EVP_MD_fetch(nil, name, nil) else {
            // Without SHA-256 there is neither identity nor signature: nothing sensible can go on.
            fatalError("libcrypto offers no \(name)")
        }
        pointer = found
        size = Int(EVP_MD_get_size(found))
    }

    func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
        withContiguousBytes(bytes) { input in
            [UInt8](unsafeUninitializedCapacity: size) { output, count in
                let done = EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, pointer, nil)
                precondition(done == 1, "libcrypto could not hash")
                count = size
            }
        }
    }
}

/// Calls `body` with the bytes in one piece; copies only collections that are not contiguous.
func withContiguousBytes<Result>(
    _ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
    if let result = bytes.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
    return Array(bytes).withUnsafeBytes(body)
}
