/// A JSON Web Token in its compact form (RFC 7515): header, claims and signature, each in Base64url without padding.
package struct JSONWebToken: Sendable, Hashable {
    /// JSON texts.
    package let header: [UInt8]
    package let claims: [UInt8]
    package let signature: [UInt8]
    /// What the signature is over.
    package let signedBytes: [UInt8]

    /// Signs header and claims, both JSON texts, byte for byte. Whether the header names the key's algorithm is the
    /// caller's business.
    package init(header: [UInt8], claims: [UInt8], key: borrowing SigningKey) throws(KeyFault) {
        self.header = header
        self.claims = claims
        signedBytes = Array("\(Self.encode(header)).\(Self.encode(claims))".utf8)
        signature = try key.sign(signedBytes)
    }

    /// Reads a token; nil where the text is none. Nothing is verified.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.decode(parts[0]), let claims = Self.decode(parts[1]),
            let signature = Self.decode(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signedBytes = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// The token as it is sent. A credential: it belongs into a secret header.
    package var text: String { String(decoding: signedBytes, as: UTF8.self) + "." + Self.encode(signature) }

    package func isSigned(by key: borrowing VerifyingKey) -> Bool { key.verifies(signature, of: signedBytes) }

    private static func encode(_ bytes: [UInt8]) -> String { Base64.encode(bytes, alphabet: .url, padding: false) }

    private static func decode(_ text: Substring) -> [UInt8]? {
        Base64.decode(text, alphabet: .url, padding: .forbidden)
    }
}
