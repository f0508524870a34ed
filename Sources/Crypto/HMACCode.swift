import CCrypto
package import Payments

/// Message authentication codes as webhooks carry them. `HMACKey` is the faster form for many messages under one key.
package enum HMACCode {
    /// HMAC-SHA-256, 32 bytes. The key is the secret's UTF-8 text, as it is.
    package static func sha256(key: Secret, message: some Collection<UInt8>) -> [UInt8] {
        code(.sha256, Array(key.reveal().utf8), message)
    }

    package static func sha256(key: some Collection<UInt8>, message: some Collection<UInt8>) -> [UInt8] {
        code(.sha256, key, message)
    }

    /// HMAC-SHA-512, 64 bytes.
    package static func sha512(key: Secret, message: some Collection<UInt8>) -> [UInt8] {
        code(.sha512, Array(key.reveal().utf8), message)
    }

    package static func sha512(key: some Collection<UInt8>, message: some Collection<UInt8>) -> [UInt8] {
        code(.sha512, key, message)
    }

    private static func code(
        _ algorithm: Algorithm, _ key: some Collection<UInt8>, _ message: some Collection<UInt8>
    ) -> [UInt8] {
        withContiguousBytes(key) { key in
            withContiguousBytes(message) { message in
                [UInt8](unsafeUninitializedCapacity: algorithm.size) { output, count in
                    let made = HMAC(
                        algorithm.pointer, key.baseAddress, Int32(key.count),
                        message.bindMemory(to: UInt8.self).baseAddress, message.count, output.baseAddress, nil)
                    precondition(made != nil, "libcrypto could not sign")
                    count = algorithm.size
                }
            }
        }
    }
}

/// True when both are equal, in a time that tells nothing about where they differ (their lengths are no secret).
package func constantTimeEqual(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
    withContiguousBytes(a) { a in
        withContiguousBytes(b) { b in
            a.count == b.count && CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
        }
    }
}
