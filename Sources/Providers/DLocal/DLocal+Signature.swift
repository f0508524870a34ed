import Crypto
package import HTTP
import Payments

/// Signs each attempt: `Authorization: V2-HMAC-SHA256, Signature: <hex>` over X-Login, X-Date and the body's exact bytes,
/// one behind the other. Path and query are not signed.
package struct DLocalSigner: RequestSigner {
    let login: Secret
    let key: Secret

    package func sign(_ request: HTTPRequest, at moment: SigningMoment) throws(SigningFault) -> HTTPRequest {
        let date = Self.date(moment.now)
        let code = DLocalSignature.code(key: key, login: login, date: date, body: request.body ?? [])
        var signed = request
        signed.headers.append(("X-Date", date))
        signed.secretHeaders.append(("Authorization", Secret(DLocalSignature.prefix + Hex.encode(code))))
        return signed
    }

    /// `2018-07-12T13:46:28.629Z`: always with milliseconds.
    static func date(_ moment: Timestamp) -> String {
        let milliseconds = moment.microseconds / 1000
        let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
        let rest = String(milliseconds - seconds * 1000)
        return Timestamp(seconds: seconds).description.dropLast() + "."
            + String(repeating: "0", count: 3 - rest.utf8.count) + rest + "Z"
    }
}

/// The scheme that requests and notifications share.
enum DLocalSignature {
    /// Literally so, with comma and blank.
    static let prefix = "V2-HMAC-SHA256, Signature: "

    /// HMAC-SHA-256 over login, date and body.
    static func code(key: Secret, login: Secret, date: String, body: [UInt8]) -> [UInt8] {
        var message = Array(login.reveal().utf8)
        message.reserveCapacity(message.count + date.utf8.count + body.count)
        message += date.utf8
        message += body
        return HMACCode.sha256(key: key, message: message)
    }

    /// The code that an `Authorization` header carries; nil: it is of another scheme, or none.
    static func code(inAuthorization header: String) -> [UInt8]? {
        let parts = header.split(separator: ",", maxSplits: 1)
        guard parts.count == 2, trim(parts[0]) == "V2-HMAC-SHA256" else { return nil }
        let named = parts[1].split(separator: ":", maxSplits: 1)
        guard named.count == 2, trim(named[0]) == "Signature" else { return nil }
        return code(bare: named[1])
    }

    /// The code written as hexadecimal digits alone; nil: it is none.
    static func code(bare text: some StringProtocol) -> [UInt8]? {
        guard let bytes = Hex.decode(trim(text)), bytes.count == 32 else { return nil }
        return bytes
    }

    private static func trim(_ text: some StringProtocol) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
