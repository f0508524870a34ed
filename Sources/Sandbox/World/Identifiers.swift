/// Ids as the provider shapes them.
enum Identifiers {
    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
    private static let hexDigits = Array("0123456789abcdef".utf8)

    /// 22 characters of base58 that start with `W`, as the sheet's examples do.
    static func meld(_ random: inout Randomness) -> String { "W" + base58(21, &random) }

    static func base58(_ length: Int, _ random: inout Randomness) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(length)
        while text.count < length { append(random.next() >> 6, digits: min(10, length - text.count), to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    static func hex(_ length: Int, _ random: inout Randomness) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(length)
        while text.count < length {
            var bits = random.next()
            for _ in 0..<min(16, length - text.count) {
                text.append(hexDigits[Int(bits & 15)])
                bits >>= 4
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// 58^10 exceeds 2^58: ten characters hold 58 bits, so words are written without long division.
    private static func append(_ word: UInt64, digits: Int, to text: inout [UInt8]) {
        var rest = word
        for _ in 0..<digits {
            text.append(alphabet[Int(rest % 58)])
            rest /= 58
        }
    }

    /// The opaque key of a row: 120 characters, twelve words of which the first three carry the position (creation time,
    /// and the id folded to a number) under a mask and the rest is ballast and a check word. It depends on nothing else,
    /// so it stays the same whatever happens to the row or around it.
    static func cursorKey(createdAt: Int64, fold: UInt64, seed: UInt64) -> String {
        var mask = Randomness(seed: seed, 0xC0_45_0A)
        let time = UInt64(bitPattern: createdAt) & wordMask
        let low = fold & 0xFFFF_FFFF
        let high = fold >> 32
        var words = [time ^ (mask.next() & wordMask), low ^ (mask.next() & wordMask), high ^ (mask.next() & wordMask)]
        var ballast = Randomness(seed: fold ^ time, seed)
        for _ in 0..<8 { words.append(ballast.next() & wordMask) }
        words.append(check(words))
        var text: [UInt8] = []
        text.reserveCapacity(120)
        for word in words { append(word, digits: 10, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The position inside a key of ours; nil for anything else.
    static func position(ofKey key: String, seed: UInt64) -> (createdAt: Int64, fold: UInt64)? {
        let characters = Array(key.utf8)
        guard characters.count == 120 else { return nil }
        var words: [UInt64] = []
        for start in stride(from: 0, to: 120, by: 10) {
            var word: UInt64 = 0
            for character in characters[start..<start + 10].reversed() {
                guard let digit = alphabet.firstIndex(of: character) else { return nil }
                word = word &* 58 &+ UInt64(digit)
            }
            words.append(word)
        }
        guard words[11] == check(Array(words[..<11])) else { return nil }
        var mask = Randomness(seed: seed, 0xC0_45_0A)
        let time = words[0] ^ (mask.next() & wordMask)
        let low = words[1] ^ (mask.next() & wordMask)
        let high = words[2] ^ (mask.next() & wordMask)
        return (Int64(time), high << 32 | low)
    }

    private static let wordMask: UInt64 = (1 << 57) - 1

    private static func check(_ words: [UInt64]) -> UInt64 {
        words.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* 0x0000_0100_0000_01B3 } & wordMask
    }

    /// FNV-1a over an id: a number to order equal creation times by would not do (ids order as text), but it tells rows
    /// apart inside a key.
    static func fold(_ id: String) -> UInt64 {
        id.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
