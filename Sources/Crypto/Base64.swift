/// Base64 of RFC 4648, strict: a text that is no canonical encoding is refused, so that one signature has one spelling.
package enum Base64 {
    package enum Alphabet: Sendable {
        /// `+` and `/`.
        case standard
        /// `-` and `_`.
        case url
    }

    /// What a decoder accepts at the end of a text.
    package enum Padding: Sendable {
        case required, forbidden, optional
    }

    package static func encode(
        _ bytes: some Collection<UInt8>, alphabet: Alphabet = .standard, padding: Bool = true
    ) -> String {
        let digits = alphabet == .url ? urlDigits : standardDigits
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var held = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 6 {
                held -= 6
                text.append(digits[Int(bits >> UInt32(held) & 63)])
            }
        }
        if held > 0 { text.append(digits[Int(bits << UInt32(6 - held) & 63)]) }
        while padding && text.count % 4 != 0 { text.append(equals) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes, or nil for a character outside the alphabet (blanks and line ends too), a length that cannot be, padding
    /// other than asked for, or bits behind the last byte that are not zero.
    package static func decode(
        _ text: some StringProtocol, alphabet: Alphabet = .standard, padding: Padding = .required
    ) -> [UInt8]? {
        var digits = Array(text.utf8)[...]
        let whole = digits.count
        while digits.last == equals, whole - digits.count < 2 { digits.removeLast() }
        let padded = whole - digits.count
        guard digits.count % 4 != 1 else { return nil }
        switch padding {
        case .required: guard whole % 4 == 0 else { return nil }
        case .forbidden: guard padded == 0 else { return nil }
        case .optional: guard padded == 0 || whole % 4 == 0 else { return nil }
        }
        let values = alphabet == .url ? urlValues : standardValues
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var bits: UInt32 = 0
        var held = 0
        for digit in digits {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        guard bits & ((1 << UInt32(held)) - 1) == 0 else { return nil }
        return bytes
    }

    private static let equals = UInt8(ascii: "=")
    private static let common = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let standardDigits = common + Array("+/".utf8)
    private static let urlDigits = common + Array("-_".utf8)
    private static let standardValues = values(of: standardDigits)
    private static let urlValues = values(of: urlDigits)

    private static func values(of digits: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }
}
