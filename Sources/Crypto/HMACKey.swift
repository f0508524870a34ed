import CCrypto
package import Payments

/// One HMAC-SHA-256 key, scheduled once: signs many messages, each given in parts, without joining them. Not `Sendable`:
/// each thread has its own.
package final class HMACKey {
    private let context: OpaquePointer

    package init(sha256 key: Secret) {
        guard let mac = EVP_MAC_fetch(nil, "HMAC", nil), let made = EVP_MAC_CTX_new(mac) else {
            fatalError("libcrypto offers no HMAC")
        }
        EVP_MAC_free(mac)
        context = made
        var name = Array("SHA256".utf8CString)
        // An empty key still is one: the array keeps the pointer from being null, which would mean "the former key".
        let bytes = Array(key.reveal().utf8) + [0]
        let done = name.withUnsafeMutableBufferPointer { name in
            let parameters = [
                OSSL_PARAM_construct_utf8_string("digest", name.baseAddress, 0), OSSL_PARAM_construct_end(),
            ]
            return EVP_MAC_init(made, bytes, bytes.count - 1, parameters)
        }
        precondition(done == 1, "libcrypto could not take the key")
    }

    deinit { EVP_MAC_CTX_free(context) }

    /// The 32 bytes of the code over the parts, one after the other.
    package func code(_ parts: UnsafeRawBufferPointer...) -> [UInt8] {
        precondition(EVP_MAC_init(context, nil, 0, nil) == 1, "libcrypto could not start")
        for part in parts {
            let bytes = part.bindMemory(to: UInt8.self)
            precondition(EVP_MAC_update(context, bytes.baseAddress, bytes.count) == 1, "libcrypto could not sign")
        }
        return [UInt8](unsafeUninitializedCapacity: 32) { output, count in
            precondition(EVP_MAC_final(context, output.baseAddress, &count, 32) == 1, "libcrypto could not finish")
        }
    }

    /// The same for parts held as arrays or slices.
    package func code(_ parts: [ArraySlice<UInt8>]) -> [UInt8] {
        precondition(EVP_MAC_init(context, nil, 0, nil) == 1, "libcrypto could not start")
        for part in parts {
            part.withUnsafeBufferPointer { bytes in
                precondition(EVP_MAC_update(context, bytes.baseAddress, bytes.count) == 1, "libcrypto could not sign")
            }
        }
        return [UInt8](unsafeUninitializedCapacity: 32) { output, count in
            precondition(EVP_MAC_final(context, output.baseAddress, &count, 32) == 1, "libcrypto could not finish")
        }
    }
}
