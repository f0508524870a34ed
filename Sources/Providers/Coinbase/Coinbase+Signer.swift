import Crypto
package import HTTP
import JSON
import Payments

/// Puts a token of its own onto each request: `Authorization: Bearer <JWT>`, signed with the key, good for two minutes and
/// for one method, host and path. The query is not in it: with it the second page is answered with 401.
package struct CoinbaseSigner: RequestSigner {
    /// Seconds that a token is good for.
    static let lifetime: Int64 = 120

    private let keyID: Secret
    private let key: CoinbaseKey

    package init(_ configuration: CoinbaseConfiguration) {
        keyID = configuration.keyID
        key = configuration.key
    }

    package func sign(_ request: HTTPRequest, at moment: SigningMoment) throws(SigningFault) -> HTTPRequest {
        guard let place = Self.hostAndPath(request.url) else { throw SigningFault("coinbase: no address to sign for") }
        let now = moment.now.microseconds / 1_000_000
        var header = JSONWriter()
        header.object {
            $0.member("alg", key.signing.algorithm.rawValue)
            $0.member("kid", keyID.reveal())
            $0.member("typ", "JWT")
            $0.member("nonce", Hex.encode(moment.random))
        }
        var claims = JSONWriter()
        claims.object {
            $0.member("sub", keyID.reveal())
            $0.member("iss", "cdp")
            $0.member("aud", nil as String?)
            $0.member("nbf", integer: now)
            $0.member("exp", integer: now + Self.lifetime)
            $0.member("uris", strings: ["\(request.method) \(place)"])
        }
        do throws(KeyFault) {
            let token = try JSONWebToken(header: header.bytes, claims: claims.bytes, key: key.signing)
            var signed = request
            signed.secretHeaders.removeAll { $0.name == "Authorization" }
            signed.secretHeaders.append(("Authorization", Secret("Bearer \(token.text)")))
            return signed
        } catch {
            throw SigningFault("coinbase: the request could not be signed: \(error)")
        }
    }

    /// `host/path` of a URL, as it is sent, without scheme and query.
    static func hostAndPath(_ url: String) -> String? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let place = url[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
        return place.isEmpty ? nil : String(place)
    }
}
