import Crypto
import Payments
import Testing

/// Keys and signatures of RFC 7515 (appendix A.3) and RFC 8037 (appendix A).
@Suite("Signing keys and tokens")
struct SigningKeyTests {
    static func bytes(_ text: String) throws -> [UInt8] {
        try #require(Base64.decode(text, alphabet: .url, padding: .forbidden))
    }

    // RFC 8037, A.1 and A.2.
    static func edwards() throws -> (secret: [UInt8], open: [UInt8]) {
        (
            try bytes("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"),
            try bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
        )
    }

    // RFC 7515, A.3.1.
    static func curve() throws -> (secret: [UInt8], open: [UInt8]) {
        let x = try bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        let y = try bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        return (try bytes("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"), [4] + x + y)
    }

    static func pem(_ label: String, _ der: [UInt8]) -> String {
        "-----BEGIN \(label)-----\n\(Base64.encode(der))\n-----END \(label)-----\n"
    }

    /// SEC 1: version, private scalar, the curve's name, and the public point where it is given.
    static func sec1(_ scalar: [UInt8], curve: [UInt8] = p256) -> [UInt8] {
        let body = [2, 1, 1, 4, UInt8(scalar.count)] + scalar + [0xA0, UInt8(curve.count)] + curve
        return [0x30, UInt8(body.count)] + body
    }

    static let p256: [UInt8] = [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
    static let curvePrefix: [UInt8] =
        [0x30, 0x59, 0x30, 0x13, 6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1] + p256 + [3, 0x42, 0]
    static let edwardsPrefix: [UInt8] = [0x30, 0x2A, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 3, 0x21, 0]

    @Test("Ed25519: the token of RFC 8037 comes out byte for byte, from both lengths of key, and verifies")
    func edwardsVector() throws {
        let (secret, open) = try Self.edwards()
        let wanted =
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        let public_ = try VerifyingKey(Self.edwardsPrefix + open, .edDSA)
        for bytes in [secret + open, secret] {
            let key = try SigningKey(Secret(Base64.encode(bytes)))
            let keyAlgorithm = key.algorithm
            #expect(keyAlgorithm == .edDSA)
            let half = try key.publicKey()
            #expect(half == Self.edwardsPrefix + open)
            let token = try JSONWebToken(
                header: Array(#"{"alg":"EdDSA"}"#.utf8), claims: Array("Example of Ed25519 signing".utf8), key: key)
            #expect(token.text == wanted)
            let isSigned = token.isSigned(by: public_)
            #expect(isSigned)
        }
    }

    @Test("ES256: the token of RFC 7515 verifies; one byte changed does not; what is signed here verifies too")
    func curveVector() throws {
        let (secret, open) = try Self.curve()
        let text =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let public_ = try VerifyingKey(Self.curvePrefix + open, .es256)
        let given = try #require(JSONWebToken(text))
        let isGiven = given.isSigned(by: public_)
        #expect(isGiven && given.text == text)
        #expect(String(decoding: given.claims, as: UTF8.self).contains("joe"))
        let changed = try #require(JSONWebToken(text.replacing("eyJpc3Mi", with: "eyJpc3Nj")))
        let isChanged = changed.isSigned(by: public_)
        #expect(!isChanged)

        let key = try SigningKey(Secret(Self.pem("EC PRIVATE KEY", Self.sec1(secret))))
        let keyAlgorithm = key.algorithm
        #expect(keyAlgorithm == .es256)
        let half = try key.publicKey()
        #expect(half == Self.curvePrefix + open)
        // Signatures of ECDSA are never the same twice, and short r or s are padded.
        for number in 0..<200 {
            let token = try JSONWebToken(header: given.header, claims: Array("\(number)".utf8), key: key)
            #expect(token.signature.count == 64)
            let isSigned = token.isSigned(by: public_)
            #expect(isSigned)
            #expect(try #require(JSONWebToken(token.text)) == token)
        }
    }

    @Test("a PEM text may have its line ends written as \\n, and may hold PKCS #8")
    func spellings() throws {
        let (secret, open) = try Self.curve()
        let text = Self.pem("EC PRIVATE KEY", Self.sec1(secret))
        let escaped = try SigningKey(Secret(text.replacing("\n", with: "\\n")))
        let half = try escaped.publicKey()
        #expect(half == Self.curvePrefix + open)
        let windows = try SigningKey(Secret(text.replacing("\n", with: "\r\n")))
        let windowsAlgorithm = windows.algorithm
        #expect(windowsAlgorithm == .es256)
        let edwards = try Self.edwards()
        let pkcs8: [UInt8] = [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20] + edwards.secret
        let wrapped = try SigningKey(Secret(Self.pem("PRIVATE KEY", pkcs8))).algorithm
        #expect(wrapped == .edDSA)
        let broken = try SigningKey(Secret(" " + Base64.encode(edwards.secret + edwards.open) + "\n"))
        let brokenAlgorithm = broken.algorithm
        #expect(brokenAlgorithm == .edDSA)
    }

    @Test(
        "what is no such key is refused with a reason that shows none of it",
        arguments: [
            ("not a key!", "neither a PEM text nor Base64"), ("", "Base64 of 0 bytes; an Ed25519 key has 64"),
            ("c2VjcmV0", "Base64 of 6 bytes; an Ed25519 key has 64"),
            (
                pem("EC PRIV" + "ATE KEY", [1, 2, 3]),
                "a PEM text that holds no readable, unencrypted private key"
            ),
        ])
    func refused(text: String, reason: String) throws {
        #expect(throws: KeyFault(reason)) { _ = try SigningKey(Secret(text)).algorithm }
        #expect(!reason.contains("c2VjcmV0") && !reason.contains("not a key"))
    }

    @Test("halves that do not belong together, another curve and another kind of key are refused")
    func foreign() throws {
        let (secret, open) = try Self.edwards()
        let mixed = Base64.encode(secret + open.reversed())
        #expect(throws: KeyFault("the two halves of the Ed25519 key do not belong together")) {
            _ = try SigningKey(Secret(mixed)).algorithm
        }
        // secp256k1.
        let other = Self.sec1(try Self.curve().secret, curve: [6, 5, 0x2B, 0x81, 4, 0, 0x0A])
        #expect(throws: KeyFault("neither a P-256 nor an Ed25519 key")) {
            _ = try SigningKey(Secret(Self.pem("EC PRIVATE KEY", other))).algorithm
        }
        #expect(throws: KeyFault("a public key of another kind than ES256")) {
            _ = try VerifyingKey(Self.edwardsPrefix + open, .es256).algorithm
        }
        #expect(throws: KeyFault("no public key")) { _ = try VerifyingKey([1, 2], .edDSA).algorithm }
        let key = try VerifyingKey(Self.edwardsPrefix + open, .edDSA)
        let isShort = key.verifies([1, 2, 3], of: [])
        #expect(!isShort)
        #expect(JSONWebToken("a.b") == nil && JSONWebToken("!.!.!") == nil)
    }
}
