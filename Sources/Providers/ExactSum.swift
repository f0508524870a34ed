import Payments

/// Whether parts make up a total, exactly. Sums of money are PostgreSQL's work; this one only decides whether a mapping
/// flags a provider's own arithmetic.
enum ExactSum {
    /// The exact sum; nil where a part has more digits than a machine word holds.
    static func of(_ parts: [ExactDecimal]) -> ExactDecimal? {
        guard parts.count < 100 else { return nil }
        var sum: Int128 = 0
        for part in parts {
            guard let units = units(part) else { return nil }
            sum += units
        }
        let digits = String(sum.magnitude)
        let padded = String(repeating: "0", count: max(0, ExactDecimal.smallDigits + 1 - digits.count)) + digits
        let point = padded.index(padded.endIndex, offsetBy: -ExactDecimal.smallDigits)
        return try? ExactDecimal("\(sum < 0 ? "-" : "")\(padded[..<point]).\(padded[point...])")
    }

    static func equals(_ total: ExactDecimal, _ parts: [ExactDecimal]) -> Bool {
        if let balance = smallBalance(total, parts) { return balance == 0 }
        let all = parts + [total]
        let scale = all.map(\.fractionDigits.count).max() ?? 0
        let width = (all.map(\.integerDigits.count).max() ?? 0) + scale + 4
        var balance = [Int](repeating: 0, count: width)
        for part in parts { add(part, sign: 1, scale, to: &balance) }
        add(total, sign: -1, scale, to: &balance)
        // Carry from the last digit up; equal sums leave zeros everywhere.
        var carry = 0
        for place in balance.indices.reversed() {
            let value = balance[place] + carry
            carry = value / 10
            if value % 10 != 0 { return false }
        }
        return carry == 0
    }

    /// The parts less the total in units of 10^−18, where each fits a machine word.
    private static func smallBalance(_ total: ExactDecimal, _ parts: [ExactDecimal]) -> Int128? {
        guard var balance = units(total).map({ -$0 }), parts.count < 100 else { return nil }
        for part in parts {
            guard let units = units(part) else { return nil }
            balance += units
        }
        return balance
    }

    private static func units(_ value: ExactDecimal) -> Int128? {
        guard let small = value.small else { return nil }
        var units = Int128(small.coefficient)
        for _ in small.scale..<ExactDecimal.smallDigits { units *= 10 }
        return value.isNegative ? -units : units
    }

    private static func add(_ value: ExactDecimal, sign: Int, _ scale: Int, to balance: inout [Int]) {
        let sign = value.isNegative ? -sign : sign
        var place = balance.count - scale - 1
        for digit in value.integerDigits.reversed() {
            balance[place] += sign * Int(digit)
            place -= 1
        }
        place = balance.count - scale
        for digit in value.fractionDigits {
            balance[place] += sign * Int(digit)
            place += 1
        }
    }
}
