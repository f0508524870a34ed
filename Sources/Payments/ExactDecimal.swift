/// An exact decimal number as a provider or a book wrote it: sign, digits and scale, never a binary fraction.
///
/// Amounts travel as text from the source's bytes into PostgreSQL's `numeric`; this type validates that text and
/// knows the few exact operations that must happen on the way (shifting by a currency's exponent, comparing).
/// Sums are PostgreSQL's work. The unit is never part of the value: the name of the variable says it.
package struct ExactDecimal: Sendable, Hashable, CustomStringConvertible {
    /// Why a text is no supported number.
    package enum Fault: Error, Hashable, Sendable {
        /// The text is empty, or is not `[-+]digits[.digits][e[-+]digits]`.
        case notANumber
        /// More digits than `maximumIntegerDigits` or `maximumFractionDigits`.
        case beyondPrecision
    }

    /// A 256-bit integer has 78 digits; nothing that people are paid in needs more.
    package static let maximumIntegerDigits = 78
    /// Twice the 18 digits of the finest asset.
    package static let maximumFractionDigits = 36

    package let isNegative: Bool
    /// Digits before the point without leading zeros; empty below one.
    package let integerDigits: [UInt8]
    /// Digits behind the point without trailing zeros; empty for whole numbers.
    package let fractionDigits: [UInt8]

    package static let zero = ExactDecimal(isNegative: false, integer: [], fraction: [])

    private init(isNegative: Bool, integer: ArraySlice<UInt8>, fraction: ArraySlice<UInt8>) {
        let integer = integer.drop { $0 == 0 }
        var fraction = fraction
        while fraction.last == 0 { fraction.removeLast() }
        integerDigits = Array(integer)
        fractionDigits = Array(fraction)
        // −0 is 0: two sides that both say nothing must not differ.
        self.isNegative = isNegative && !(integer.isEmpty && fraction.isEmpty)
    }

    /// Reads plain or scientific notation, as JSON writes numbers. `1.50`, `1.5` and `15e-1` give equal values.
    package init(_ text: some StringProtocol) throws(Fault) { try self.init(utf8: Array(text.utf8)[...]) }

    /// Reads the number's source bytes.
    package init(utf8 bytes: ArraySlice<UInt8>) throws(Fault) {
        var rest = bytes
        var negative = false
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            negative = sign == UInt8(ascii: "-")
            rest.removeFirst()
        }
        let whole = Self.takeDigits(&rest)
        var fraction: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = Self.takeDigits(&rest)
            if fraction.isEmpty { throw .notANumber }
        }
        if whole.isEmpty { throw .notANumber }
        var shift = 0
        if let mark = rest.first, mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") {
            rest.removeFirst()
            var down = false
            if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
                down = sign == UInt8(ascii: "-")
                rest.removeFirst()
            }
            let digits = Self.takeDigits(&rest)
            if digits.isEmpty { throw .notANumber }
            if digits.count > 4 { throw .beyondPrecision }
            let size = digits.reduce(0) { $0 * 10 + Int($1) }
            shift = down ? -size : size
        }
        if !rest.isEmpty { throw .notANumber }
        try self.init(isNegative: negative, digits: whole + fraction, scale: fraction.count - shift)
    }

    /// `digits` × 10^−`scale`.
    private init(isNegative: Bool, digits: [UInt8], scale: Int) throws(Fault) {
        let significant = digits.drop { $0 == 0 }
        if significant.isEmpty {
            self = .zero
            return
        }
        let limit = Self.maximumIntegerDigits + Self.maximumFractionDigits
        if significant.count - scale > Self.maximumIntegerDigits || scale > limit + digits.count || digits.count > 4096
        {
            throw .beyondPrecision
        }
        var padded = Array(significant)
        if scale < 0 { padded += [UInt8](repeating: 0, count: -scale) }
        if scale > padded.count { padded = [UInt8](repeating: 0, count: scale - padded.count) + padded }
        let point = padded.count - max(scale, 0)
        self.init(isNegative: isNegative, integer: padded[..<point], fraction: padded[point...])
        if integerDigits.count > Self.maximumIntegerDigits || fractionDigits.count > Self.maximumFractionDigits {
            throw .beyondPrecision
        }
    }

    private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        rest = rest[digits.endIndex...]
        return digits.map { $0 - UInt8(ascii: "0") }
    }

    /// The value × 10^−`exponent`: an amount in minor units becomes one in major units (`exponent` 2 for cents).
    package func shiftedDown(by exponent: Int) throws(Fault) -> ExactDecimal {
        try ExactDecimal(
            isNegative: isNegative, digits: integerDigits + fractionDigits, scale: fractionDigits.count + exponent)
    }

    package var isZero: Bool { integerDigits.isEmpty && fractionDigits.isEmpty }

    /// Plain notation without trailing zeros, the normal form that digests are taken over: `-12.5`, `0`, `0.00000001`.
    package var description: String {
        var text = isNegative ? "-" : ""
        text += integerDigits.isEmpty ? "0" : String(decoding: integerDigits.map { $0 + 48 }, as: UTF8.self)
        if !fractionDigits.isEmpty { text += "." + String(decoding: fractionDigits.map { $0 + 48 }, as: UTF8.self) }
        return text
    }
}
