/// An exact amount in units of 10^−18, the finest digit any asset here has. Sums of a whole world stay exact.
package struct Amount: Sendable, Hashable, Comparable {
    package let units: Int128

    package static let zero = Amount(units: 0)
    private static let unitsPerOne: Int128 = 1_000_000_000_000_000_000

    package init(units: Int128) { self.units = units }

    /// `count` × 10^−`digits`: 12 010 with two digits is 120.10.
    package init(_ count: Int, digits: Int) { units = Int128(count) * Self.power(18 - digits) }

    package static func + (a: Amount, b: Amount) -> Amount { Amount(units: a.units + b.units) }
    package static func - (a: Amount, b: Amount) -> Amount { Amount(units: a.units - b.units) }
    package static func += (a: inout Amount, b: Amount) { a = a + b }
    package static func < (a: Amount, b: Amount) -> Bool { a.units < b.units }
    package static prefix func - (a: Amount) -> Amount { Amount(units: -a.units) }

    package var isZero: Bool { units == 0 }

    /// The amount × `numerator` ÷ `denominator`, cut (never rounded up) to `digits` digits.
    package func scaled(by numerator: Int, over denominator: Int, digits: Int) -> Amount {
        let step = Self.power(18 - digits)
        return Amount(units: units * Int128(numerator) / Int128(denominator) / step * step)
    }

    private static func power(_ exponent: Int) -> Int128 {
        var value: Int128 = 1
        for _ in 0..<max(exponent, 0) { value *= 10 }
        return value
    }

    /// With exactly `digits` digits behind the point, more only where the value has them.
    package func text(digits: Int) -> String {
        let magnitude = units < 0 ? -units : units
        let whole = magnitude / Self.unitsPerOne
        let rest = UInt64(magnitude % Self.unitsPerOne)
        var fraction = Array(String(rest).utf8)
        fraction = [UInt8](repeating: 48, count: 18 - fraction.count) + fraction
        while fraction.count > digits, fraction.last == 48 { fraction.removeLast() }
        let sign = units < 0 ? "-" : ""
        return sign + String(whole) + (fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self))
    }

    /// Plain, without trailing zeros.
    package var plain: String { text(digits: 0) }

    /// As a JSON library prints small numbers: `4.2E-7`. Plain where the value is one or more.
    package var scientific: String {
        guard units > 0, units < Self.unitsPerOne else { return plain }
        var digits = Array(String(UInt64(units)).utf8)
        let exponent = digits.count - 19
        while digits.count > 1, digits.last == 48 { digits.removeLast() }
        let mantissa = String(decoding: digits, as: UTF8.self)
        let point = mantissa.count > 1 ? mantissa.prefix(1) + "." + mantissa.dropFirst() : mantissa[...]
        return "\(point)E\(exponent)"
    }
}
