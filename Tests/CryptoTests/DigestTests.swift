import Crypto
import Payments
import Testing

@Suite("Digests")
struct DigestTests {
    @Test(
        "SHA-256 of the published vectors",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, digest: String) {
        #expect(Hex.encode(Digest.sha256(Array(text.utf8))) == digest)
        #expect(Hex.encode(Digest.short(Array(text.utf8))) == digest.prefix(32))
    }

    @Test("SHA-1 and SHA-512 of abc")
    func others() {
        let abc = Array("abc".utf8)
        #expect(Hex.encode(Digest.sha1(abc)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            Hex.encode(Digest.sha512(abc))
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    }

    @Test("a million letters hash the same in one piece, in uneven pieces and from a slice")
    func pieces() {
        let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(Hex.encode(Digest.sha256(letters)) == expected)
        #expect(Hex.encode(Digest.sha256(([1, 2] + letters)[2...])) == expected)
        #expect(Hex.encode(Digest.sha256(AnyCollection(letters))) == expected)
        var hasher = SHA256Hasher()
        var start = 0
        while start < letters.count {
            let end = min(start + 9973, letters.count)
            hasher.update(letters[start..<end])
            start = end
        }
        #expect(Hex.encode(hasher.finish()) == expected)
    }

    @Test("a hasher starts anew after each finish")
    func reuse() {
        var hasher = SHA256Hasher()
        hasher.update(Array("something else".utf8))
        _ = hasher.finish()
        hasher.update(Array("abc".utf8))
        #expect(hasher.finish() == Digest.sha256(Array("abc".utf8)))
        #expect(hasher.finish() == Digest.sha256([]))
    }

    @Test("fields are told apart by their lengths, and nil from the empty text")
    func fields() {
        func digest(_ fields: [String?]) -> [UInt8] {
            var hasher = SHA256Hasher()
            for field in fields { hasher.update(field: field) }
            return hasher.finish()
        }
        #expect(digest(["a", "bc"]) == digest(["a", "bc"]))
        #expect(digest(["a", "bc"]) != digest(["ab", "c"]))
        #expect(digest([nil]) != digest([""]))
        #expect(digest(["", "x"]) != digest(["x", ""]))
    }

    @Test("a fingerprint names a key and is no plain digest of it")
    func fingerprint() {
        let secret = Secret("fake-webhook-secret-01")
        let expected = Hex.encode(Digest.sha256(Array("tieout-key:fake-webhook-secret-01".utf8))).prefix(12)
        #expect(secret.fingerprint == expected)
        #expect(secret.fingerprint.count == 12)
        let plain = Hex.encode(Digest.sha256(Array("fake-webhook-secret-01".utf8)))
        #expect(!plain.hasPrefix(secret.fingerprint))
    }
}
