import Crypto
import Testing

@Suite("Fields joined for a digest")
struct FieldBytesTests {
    @Test("joined fields give the digest of the fields one by one")
    func sameDigest() {
        let texts: [String?] = ["a", nil, "", "bc", "ü€", String(repeating: "x", count: 300)]
        var hasher = SHA256Hasher()
        var fields = FieldBytes(capacity: 4)
        for text in texts {
            hasher.update(field: text)
            fields.append(text)
        }
        hasher.update(field: "-12.5")
        fields.append("-12.5")
        hasher.update(field: "yz")
        fields.append(utf8: Array("xyz".utf8)[1...])
        let whole = hasher.finish()
        #expect(Digest.sha256(fields.bytes) == whole)
        #expect(fields.digest == Array(whole.prefix(16)))
    }

    @Test("where a field ends is part of the digest, and so is whether it is there")
    func bounds() {
        func digest(_ texts: [String?]) -> [UInt8] {
            var fields = FieldBytes()
            for text in texts { fields.append(text) }
            return Digest.sha256(fields.bytes)
        }
        #expect(digest(["a", "bc"]) != digest(["ab", "c"]))
        #expect(digest([nil]) != digest([""]))
        #expect(digest(["a", "bc"]) == digest(["a", "bc"]))
    }
}
