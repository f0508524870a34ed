import Crypto
package import HTTP
package import Payments

/// Banxa's one signature, of requests (`legacy`, `native`) and of webhooks: lower-case hexadecimal HMAC-SHA-256, keyed
/// with the API secret, over `METHOD\nPATH\nNONCE`, with `\nBODY` behind where there is a body; sent as
/// `Authorization: Bearer KEY:SIGNATURE:NONCE`. PATH begins with a slash and includes the query exactly as sent.
enum BanxaSignature {
    static func message(method: String, path: some StringProtocol, nonce: some StringProtocol, body: [UInt8]?)
        -> [UInt8]
    {
        var message = Array(method.utf8)
        message.reserveCapacity(method.utf8.count + path.utf8.count + nonce.utf8.count + (body?.count ?? 0) + 3)
        message.append(10)
        message += path.utf8
        message.append(10)
        message += nonce.utf8
        if let body {
            message.append(10)
            message += body
        }
        return message
    }

    static func make(_ secret: Secret, _ message: [UInt8]) -> String {
        Hex.encode(HMACCode.sha256(key: secret, message: message))
    }

    /// `https://host/a?b=c` → `/a?b=c`; what begins with a slash stays what it is.
    static func target(of url: String) -> Substring {
        let rest: Substring
        if let scheme = url.firstRange(of: "://") {
            let behind = url[scheme.upperBound...]
            guard let start = behind.firstIndex(where: { $0 == "/" || $0 == "?" || $0 == "#" }) else { return "/" }
            rest = behind[start...]
        } else {
            rest = url[...]
        }
        let sent = rest.prefix { $0 != "#" }
        return sent.first == "/" ? sent : "/" + sent
    }
}

/// Signs requests: a nonce of Unix milliseconds that no other request of the source has, for each attempt anew.
package struct BanxaSigner: RequestSigner {
    let key: Secret
    let secret: Secret

    package init(key: Secret, secret: Secret) {
        self.key = key
        self.secret = secret
    }

    package func sign(_ request: HTTPRequest, at moment: SigningMoment) throws(SigningFault) -> HTTPRequest {
        let nonce = String(moment.uniqueMilliseconds)
        let message = BanxaSignature.message(
            method: request.method, path: BanxaSignature.target(of: request.url), nonce: nonce, body: request.body)
        var signed = request
        signed.secretHeaders.removeAll { $0.name == "Authorization" }
        let proof = "Bearer \(key.reveal()):\(BanxaSignature.make(secret, message)):\(nonce)"
        signed.secretHeaders.append(("Authorization", Secret(proof)))
        return signed
    }
}
