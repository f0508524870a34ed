import Crypto
import JSON
import Payments

/// What a request must carry: a token signed with the account's key, not older than two minutes, for this method, host
/// and path, used for the first time. Only the key's public half is looked at.
struct CoinbaseTokens: Sendable {
    private let keyID: String
    private let publicKey: [UInt8]
    private let algorithm: SignatureAlgorithm
    private let claim: String

    init(_ source: SimulatedSource) {
        keyID = source.secret("api-key").reveal()
        claim = source.setting("uri")
        // Where there is no key nothing can be signed with it: every request is refused.
        (publicKey, algorithm) = (try? Self.half(source.secret("api_secret"))) ?? ([], .edDSA)
    }

    private static func half(_ secret: Secret) throws(KeyFault) -> ([UInt8], SignatureAlgorithm) {
        let key = try SigningKey(secret)
        return (try key.publicKey(), key.algorithm)
    }

    /// A PEM text of either kind of key: P-256 (SEC 1) or Ed25519 (PKCS #8).
    static func privateKey(_ random: inout Randomness) -> String {
        let words = (0..<4).map { _ in random.next() }
        var secret = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        guard secret[31] & 1 == 0 else {
            return pem(
                "PRIVATE KEY", [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20] + secret)
        }
        // Below the order of the curve, and not zero.
        secret[0] &= 0x7F
        secret[31] |= 2
        let curve: [UInt8] = [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
        return pem("EC PRIVATE KEY", [0x30, 0x31, 2, 1, 1, 4, 32] + secret + [0xA0, 10] + curve)
    }

    private static func pem(_ label: String, _ der: [UInt8]) -> String {
        "-----BEGIN \(label)-----\n\(Base64.encode(der))\n-----END \(label)-----"
    }

    func opens(_ request: APIRequest, at door: Door) -> Bool {
        guard let header = request.headers["authorization"], header.hasPrefix("Bearer "),
            let token = JSONWebToken(String(header.dropFirst(7))),
            let head = try? JSONDocument(token.header).root, let claims = try? JSONDocument(token.claims).root,
            let key = try? VerifyingKey(publicKey, algorithm), token.isSigned(by: key)
        else { return false }
        guard head["alg"]?.string == algorithm.rawValue, head["typ"]?.string == "JWT",
            head["kid"]?.string == keyID, claims["sub"]?.string == keyID, claims["iss"]?.string == "cdp",
            let nonce = head["nonce"]?.scalarText, !nonce.isEmpty
        else { return false }
        let now = WireTime.seconds(door.wall())
        guard let from = claims["nbf"]?.integer, let until = claims["exp"]?.integer, from <= now + 5, now < until,
            until - from <= 120, allows(claims, request)
        else { return false }
        return door.isFresh(nonce)
    }

    /// Method, host and path as they were sent, without the query.
    private func allows(_ claims: JSONValue, _ request: APIRequest) -> Bool {
        var uris = claims["uris"].map { $0.elements.compactMap(\.string) } ?? []
        if claim == "uri", let uri = claims["uri"]?.string { uris.append(uri) }
        let path = request.target.prefix { $0 != "?" }
        return uris.contains { uri in
            guard uri.hasPrefix("\(request.method) "), uri.hasSuffix(path) else { return false }
            let host = uri.dropFirst(request.method.count + 1).dropLast(path.count)
            guard !host.isEmpty, !host.contains("/") else { return false }
            return request.headers["host"].map { $0 == host } ?? true
        }
    }
}
