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
    private let digits: Digits

    /// Nearly every amount fits a machine word and needs no memory of its own; the others keep their digits. Which of the
    /// two holds a value follows from the value alone, so that equal values are equal.
    private enum Digits: Sendable, Hashable {
        /// `coefficient` × 10^−`scale`; without a zero at the end of the fraction.
        case small(coefficient: UInt64, scale: Int)
        case large(integer: [UInt8], fraction: [UInt8])
    }

    /// A coefficient below 10^18 with at most so many digits behind the point.
    package static let smallDigits = 18

    package static let zero = ExactDecimal(isNegative: false, coefficient: 0, scale: 0)

    /// The value as `coefficient` × 10^−`scale`, where it is small enough; nil for the few that are not.
    package var small: (coefficient: UInt64, scale: Int)? {
        if case .small(let coefficient, let scale) = digits { return (coefficient, scale) }
        return nil
    }

    /// Digits before the point without leading zeros; empty below one.
    package var integerDigits: [UInt8] {
        switch digits {
        case .large(let integer, _): return integer
        case .small(let coefficient, let scale):
            return Self.digits(of: coefficient / Self.powers[scale], atLeast: 0)
        }
    }

    /// Digits behind the point without trailing zeros; empty for whole numbers.
    package var fractionDigits: [UInt8] {
        switch digits {
        case .large(_, let fraction): return fraction
        case .small(let coefficient, let scale):
            return scale == 0 ? [] : Self.digits(of: coefficient % Self.powers[scale], atLeast: scale)
        }
    }

    /// 10^0 to 10^18.
    private static let powers: [UInt64] = (0..<smallDigits).reduce(into: [1]) { powers, place in
        powers.append(powers[place] * 10)
    }

    private static func digits(of number: UInt64, atLeast width: Int) -> [UInt8] {
        var digits: [UInt8] = []
        var rest = number
        while rest > 0 || digits.count < width {
            digits.append(UInt8(rest % 10))
            rest /= 10
        }
        return digits.reversed()
    }

    /// Takes zeros off the end of the fraction.
    private init(isNegative: Bool, coefficient: UInt64, scale: Int) {
        var (coefficient, scale) = (coefficient, scale)
        while scale > 0, coefficient % 10 == 0 {
            coefficient /= 10
            scale -= 1
        }
        digits = .small(coefficient: coefficient, scale: scale)
        // −0 is 0: two sides that both say nothing must not differ.
        self.isNegative = isNegative && coefficient > 0
    }

    private init(isNegative: Bool, integer: ArraySlice<UInt8>, fraction: ArraySlice<UInt8>) {
        let integer = integer.drop { $0 == 0 }
        var fraction = fraction
        while fraction.last == 0 { fraction.removeLast() }
        let leading = integer.isEmpty ? fraction.prefix { $0 == 0 }.count : 0
        if fraction.count <= Self.smallDigits, integer.count + fraction.count - leading <= Self.smallDigits {
            let coefficient = (Array(integer) + Array(fraction)).reduce(UInt64(0)) { $0 * 10 + UInt64($1) }
            self.init(isNegative: isNegative, coefficient: coefficient, scale: fraction.count)
        } else {
            self.init(isNegative: isNegative, digits: .large(integer: Array(integer), fraction: Array(fraction)))
        }
    }

    private init(isNegative: Bool, digits: Digits) {
        self.isNegative = isNegative
        self.digits = digits
    }

    /// Reads plain or scientific notation, as JSON writes numbers. `1.50`, `1.5` and `15e-1` give equal values.
    package init(_ text: some StringProtocol) throws(Fault) { try self.init(utf8: Array(text.utf8)[...]) }

    /// Reads the number's source bytes.
    package init(utf8 bytes: ArraySlice<UInt8>) throws(Fault) {
        if let plain = Self.plain(bytes) {
            self = plain
            return
        }
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

    /// `[-]digits[.digits]` of no more digits than a machine word holds; nil leaves the text to the general reader.
    private static func plain(_ bytes: ArraySlice<UInt8>) -> ExactDecimal? {
        bytes.withUnsafeBufferPointer { bytes in
            let isNegative = bytes.first == UInt8(ascii: "-")
            let start = isNegative ? 1 : 0
            guard bytes.count > start, bytes.count - start <= smallDigits else { return nil }
            var coefficient: UInt64 = 0
            var point: Int?
            for place in start..<bytes.count {
                let byte = bytes[place]
                if byte == UInt8(ascii: "."), point == nil, place > start {
                    point = place
                } else {
                    guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                    coefficient = coefficient * 10 + UInt64(byte - UInt8(ascii: "0"))
                }
            }
            guard point != bytes.count - 1 else { return nil }
            return ExactDecimal(
                isNegative: isNegative, coefficient: coefficient, scale: point.map { bytes.count - 1 - $0 } ?? 0)
        }
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
        let value = ExactDecimal(isNegative: isNegative, integer: padded[..<point], fraction: padded[point...])
        self = value
        if value.small != nil { return }
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

    package var isZero: Bool { digits == .small(coefficient: 0, scale: 0) }

    /// Plain notation without trailing zeros, the normal form that digests are taken over: `-12.5`, `0`, `0.00000001`.
    package var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends `description` as bytes.
    package func append(to text: inout [UInt8]) {
        if isNegative { text.append(UInt8(ascii: "-")) }
        guard case .small(let coefficient, let scale) = digits else {
            text += integerDigits.isEmpty ? [48] : integerDigits.map { $0 + 48 }
            let fraction = fractionDigits
            if !fraction.isEmpty { text += [UInt8(ascii: ".")] + fraction.map { $0 + 48 } }
            return
        }
        let start = text.count
        var rest = coefficient
        var place = 0
        // From the last digit, at least one before the point.
        while rest > 0 || place <= scale {
            if place == scale, scale > 0 { text.append(UInt8(ascii: ".")) }
            text.append(UInt8(rest % 10) + 48)
            rest /= 10
            place += 1
        }
        text[start...].reverse()
    }
}
