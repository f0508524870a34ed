import Payments

/// Whether parts make up a total, exactly. Sums of money are PostgreSQL's work; this one only decides whether a mapping
/// flags a provider's own arithmetic.
enum ExactSum {
    static func equals(_ total: ExactDecimal, _ parts: [ExactDecimal]) -> Bool {
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
