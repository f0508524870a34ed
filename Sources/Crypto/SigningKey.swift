import CCrypto
package import Payments

/// Which signature a key makes, as JSON Web Tokens name it (RFC 7518, RFC 8037).
package enum SignatureAlgorithm: String, Sendable, Hashable {
    /// ECDSA on P-256 over SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}

/// Why a text is no key that can be used. Never holds any of it.
package struct KeyFault: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A private key that signs. libcrypto keeps it; the text it came from is not held here.
package struct SigningKey: ~Copyable, @unchecked Sendable {
    // An EVP_PKEY is only read after it was made, which libcrypto allows from several threads.
    private let pointer: OpaquePointer
    package let algorithm: SignatureAlgorithm

    /// Reads a PEM text (`EC PRIVATE KEY` or `PRIVATE KEY`, P-256 or Ed25519), whose line ends may be written as `\n`, or
    /// Base64 of an Ed25519 key: 64 bytes, the private half before the public one, or the private 32 alone.
    package init(_ secret: Secret) throws(KeyFault) {
        let text = secret.reveal().replacing("\\n", with: "\n").replacing("\r", with: "")
        let key = try text.contains("-----BEGIN") ? Self.pem(text) : Self.ed25519(text)
        switch try Self.kind(of: key) {
        case let algorithm?:
            self.algorithm = algorithm
            pointer = key
        case nil:
            EVP_PKEY_free(key)
            throw KeyFault("neither a P-256 nor an Ed25519 key")
        }
    }

    deinit { EVP_PKEY_free(pointer) }

    private static func pem(_ text: String) throws(KeyFault) -> OpaquePointer {
        var text = text
        let key = text.withUTF8 { bytes -> OpaquePointer? in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(input) }
            // Nobody is there to be asked for a passphrase: an encrypted key is refused.
            return PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in -1 }, nil)
        }
        ERR_clear_error()
        guard let key else { throw KeyFault("a PEM text that holds no readable, unencrypted private key") }
        return key
    }

    private static func ed25519(_ text: String) throws(KeyFault) -> OpaquePointer {
        let trimmed = String(text.filter { !$0.isWhitespace })
        guard var bytes = Base64.decode(trimmed, padding: .optional) else {
            throw KeyFault("neither a PEM text nor Base64")
        }
        defer { wipe(&bytes) }
        guard bytes.count == 64 || bytes.count == 32 else {
            throw KeyFault("Base64 of \(bytes.count) bytes; an Ed25519 key has 64")
        }
        let key = bytes.withUnsafeBufferPointer {
            EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, $0.baseAddress, 32)
        }
        ERR_clear_error()
        guard let key else { throw KeyFault("libcrypto takes no Ed25519 key") }
        var publicHalf = [UInt8](repeating: 0, count: 32)
        var size = 32
        let isRead = EVP_PKEY_get_raw_public_key(key, &publicHalf, &size) == 1
        guard isRead, bytes.count == 32 || bytes[32...].elementsEqual(publicHalf) else {
            EVP_PKEY_free(key)
            throw KeyFault("the two halves of the Ed25519 key do not belong together")
        }
        return key
    }

    private static func kind(of key: OpaquePointer) throws(KeyFault) -> SignatureAlgorithm? {
        if EVP_PKEY_is_a(key, "ED25519") == 1 { return .edDSA }
        guard EVP_PKEY_is_a(key, "EC") == 1 else { return nil }
        var name = [CChar](repeating: 0, count: 80)
        var size = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &size) == 1, size < name.count else { return nil }
        let group = String(decoding: name.prefix(size).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return group == "prime256v1" || group == "P-256" ? .es256 : nil
    }

    /// The 64 bytes of the signature: r and s of ECDSA one after the other, or that of Ed25519.
    package func sign(_ message: [UInt8]) throws(KeyFault) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { fatalError("out of memory") }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        let digest = algorithm == .es256 ? Algorithm.sha256.pointer : nil
        var signature = [UInt8](repeating: 0, count: 128)
        var size = signature.count
        guard EVP_DigestSignInit(context, nil, digest, nil, pointer) == 1,
            EVP_DigestSign(context, &signature, &size, message, message.count) == 1
        else { throw KeyFault("libcrypto could not sign") }
        signature.removeLast(signature.count - size)
        guard algorithm == .es256 else { return signature }
        guard let raw = ECDSASignature.raw(signature) else { throw KeyFault("libcrypto could not sign") }
        return raw
    }

    /// The public half: DER of a SubjectPublicKeyInfo (RFC 5280).
    package func publicKey() throws(KeyFault) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let size = Int(i2d_PUBKEY(pointer, &start))
        guard size > 0, let start else { throw KeyFault("libcrypto could not write the public half") }
        defer { CRYPTO_free(start, nil, 0) }
        return Array(UnsafeBufferPointer(start: start, count: size))
    }
}

/// A public key that checks signatures.
package struct VerifyingKey: ~Copyable, @unchecked Sendable {
    // Only read after it was made.
    private let pointer: OpaquePointer
    package let algorithm: SignatureAlgorithm

    /// From DER of a SubjectPublicKeyInfo. `algorithm` says what the key is for.
    package init(_ der: [UInt8], _ algorithm: SignatureAlgorithm) throws(KeyFault) {
        let key = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var start = bytes.baseAddress
            return d2i_PUBKEY(nil, &start, bytes.count)
        }
        ERR_clear_error()
        guard let key else { throw KeyFault("no public key") }
        guard EVP_PKEY_is_a(key, algorithm == .es256 ? "EC" : "ED25519") == 1 else {
            EVP_PKEY_free(key)
            throw KeyFault("a public key of another kind than \(algorithm.rawValue)")
        }
        pointer = key
        self.algorithm = algorithm
    }

    deinit { EVP_PKEY_free(pointer) }

    /// Whether `signature`, of 64 bytes as `SigningKey` makes them, is that of `message`.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == 64, let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        let digest = algorithm == .es256 ? Algorithm.sha256.pointer : nil
        guard let bytes = algorithm == .es256 ? ECDSASignature.der(signature) : signature,
            EVP_DigestVerifyInit(context, nil, digest, nil, pointer) == 1
        else { return false }
        return EVP_DigestVerify(context, bytes, bytes.count, message, message.count) == 1
    }
}

/// The two ways to write a signature of ECDSA on P-256: DER, as libcrypto does, and 64 bytes, as tokens do (RFC 7518).
enum ECDSASignature {
    static func raw(_ der: [UInt8]) -> [UInt8]? {
        let signature = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var start = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        guard let signature else { return nil }
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 64)
        let isWritten = raw.withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return false }
            return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
        }
        return isWritten ? raw : nil
    }

    static func der(_ raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let r = BN_bin2bn(Array(raw[..<32]), 32, nil)
        let s = BN_bin2bn(Array(raw[32...]), 32, nil)
        guard ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var start: UnsafeMutablePointer<UInt8>?
        let size = Int(i2d_ECDSA_SIG(signature, &start))
        guard size > 0, let start else { return nil }
        defer { CRYPTO_free(start, nil, 0) }
        return Array(UnsafeBufferPointer(start: start, count: size))
    }
}

/// Overwrites what must not stay in memory.
private func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
}
