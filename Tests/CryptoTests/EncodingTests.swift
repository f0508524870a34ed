import Crypto
import Testing

@Suite("Base64 and hexadecimal")
struct EncodingTests {
    /// RFC 4648, section 10.
    static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test("the vectors of RFC 4648, both ways", arguments: vectors)
    func published(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
        let bare = String(encoded.prefix { $0 != "=" })
        #expect(Base64.encode(Array(text.utf8), padding: false) == bare)
        #expect(Base64.decode(bare, padding: .forbidden) == Array(text.utf8))
        #expect(Base64.decode(bare, padding: .optional) == Array(text.utf8))
        #expect(Base64.decode(encoded, padding: .optional) == Array(text.utf8))
    }

    @Test("the two alphabets differ in two digits and do not read each other")
    func alphabets() {
        let bytes: [UInt8] = [0xfb, 0xff, 0xbf]
        #expect(Base64.encode(bytes) == "+/+/")
        #expect(Base64.encode(bytes, alphabet: .url) == "-_-_")
        #expect(Base64.decode("-_-_", alphabet: .url) == bytes)
        #expect(Base64.decode("-_-_") == nil)
        #expect(Base64.decode("+/+/", alphabet: .url) == nil)
    }

    @Test("every byte survives in every length")
    func everyByte() {
        for length in 0...257 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ length) }
            for alphabet in [Base64.Alphabet.standard, .url] {
                #expect(Base64.decode(Base64.encode(bytes, alphabet: alphabet), alphabet: alphabet) == bytes)
            }
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        }
    }

    @Test(
        "what is no canonical Base64 is refused",
        arguments: [
            "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm9vZ", "=", "==", "====", "Zg==Zg==", "Z=g=", "Zm9v\n",
            " Zm9v",
            "Zm 9v", "Zm9v====", "Zm9\0", "Zm9é", "Zm9*", "Zm9v=",
        ])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("padding that was not asked for, or not whole, is refused")
    func padding() {
        #expect(Base64.decode("Zg==", padding: .forbidden) == nil)
        #expect(Base64.decode("Zg=", padding: .optional) == nil)
        #expect(Base64.decode("Zm8=", padding: .forbidden) == nil)
        #expect(Base64.decode("Zh", padding: .forbidden) == nil)
    }

    @Test("hexadecimal reads both cases and refuses the rest")
    func hexadecimal() {
        #expect(Hex.decode("00fFaB") == [0, 255, 171])
        #expect(Hex.encode([0, 255, 171]) == "00ffab")
        for text in ["0", "0g", "0x00", " 00", "0 0", "é"] { #expect(Hex.decode(text) == nil) }
    }
}
