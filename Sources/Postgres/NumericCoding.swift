import Payments

/// PostgreSQL's binary `numeric`: groups of four decimal digits, so every value is exact in both directions.
/// Layout, all 16 bits in network order: count of groups, weight of the first group (powers of 10 000), sign, digits
/// behind the point to show, groups.
enum NumericCoding {
    private static let negative: UInt16 = 0x4000
    private static let nan: UInt16 = 0xC000

    /// Appends the value without its length word; at most 8 + 2 × 29 bytes, within the limits of `ExactDecimal`.
    static func encode(_ value: ExactDecimal, into bytes: inout [UInt8]) {
        if let small = value.small {
            encode(small.coefficient, scale: small.scale, isNegative: value.isNegative, into: &bytes)
            return
        }
        let integer = value.integerDigits
        let fraction = value.fractionDigits
        let lead = (4 - integer.count % 4) % 4
        let integerGroups = (integer.count + 3) / 4
        let fractionGroups = (fraction.count + 3) / 4
        var first = 0
        var last = integerGroups + fractionGroups
        func group(_ index: Int) -> Int16 {
            var sum: Int16 = 0
            for digit in 0..<4 {
                let position = index * 4 + digit - lead
                let behind = position - integer.count
                let figure: UInt8
                if position < 0 {
                    figure = 0
                } else if behind < 0 {
                    figure = integer[position]
                } else {
                    figure = behind < fraction.count ? fraction[behind] : 0
                }
                sum = sum * 10 + Int16(figure)
            }
            return sum
        }
        // The server stores neither leading nor trailing zero groups; zero has no group at all.
        while first < last, group(first) == 0 { first += 1 }
        while last > first, group(last - 1) == 0 { last -= 1 }
        bytes.appendBigEndian(Int16(last - first))
        bytes.appendBigEndian(last > first ? Int16(integerGroups - 1 - first) : 0)
        bytes.appendBigEndian(value.isNegative ? negative : 0)
        bytes.appendBigEndian(Int16(fraction.count))
        for index in first..<last { bytes.appendBigEndian(group(index)) }
    }

    /// A value that fits a machine word, without its digits one by one.
    private static func encode(_ coefficient: UInt64, scale: Int, isNegative: Bool, into bytes: inout [UInt8]) {
        // Ten groups hold 18 digits whatever the place of the point.
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: 12) { groups in
            var rest = coefficient
            var start = groups.count
            // The last group of the fraction may be short.
            let short = scale % 4
            if short > 0 {
                let power = [1, 10, 100, 1000][short]
                start -= 1
                groups[start] = Int16(rest % UInt64(power)) * Int16([0, 1000, 100, 10][short])
                rest /= UInt64(power)
            }
            let behind = (scale + 3) / 4
            while rest > 0 || groups.count - start < behind {
                start -= 1
                groups[start] = Int16(rest % 10_000)
                rest /= 10_000
            }
            let before = groups.count - start - behind
            var first = start
            var last = groups.count
            while first < last, groups[first] == 0 { first += 1 }
            while last > first, groups[last - 1] == 0 { last -= 1 }
            bytes.appendBigEndian(Int16(last - first))
            bytes.appendBigEndian(last > first ? Int16(before - 1 - (first - start)) : 0)
            bytes.appendBigEndian(isNegative ? negative : 0)
            bytes.appendBigEndian(Int16(scale))
            for index in first..<last { bytes.appendBigEndian(groups[index]) }
        }
    }

    /// The digits with as many behind the point as the server shows, `120.10`; nil for NaN, infinities and broken bytes.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard bytes.count >= 8 else { return nil }
        let count = Int(bytes.bigEndian(Int16.self))
        let weight = Int(bytes.bigEndian(Int16.self, at: 2))
        let sign = bytes.bigEndian(UInt16.self, at: 4)
        let scale = Int(bytes.bigEndian(Int16.self, at: 6))
        guard sign == 0 || sign == negative, count >= 0, scale >= 0, bytes.count == 8 + 2 * count else { return nil }
        func group(_ index: Int) -> Int {
            index >= 0 && index < count ? Int(bytes.bigEndian(Int16.self, at: 8 + 2 * index)) : 0
        }
        var text: [UInt8] = []
        text.reserveCapacity((max(weight, 0) + 1) * 4 + scale + 2)
        if sign == negative { text.append(UInt8(ascii: "-")) }
        let start = text.count
        if weight >= 0 {
            for index in 0...weight { append(group(index), to: &text, skippingZeros: text.count == start) }
        }
        if text.count == start { text.append(UInt8(ascii: "0")) }
        if scale > 0 {
            text.append(UInt8(ascii: "."))
            let end = text.count + scale
            var index = weight + 1
            // Groups between the point and the first stored one are zeros: negative weights.
            if weight < -1 { index = 0 }
            var gap = weight < -1 ? -1 - weight : 0
            while text.count < end {
                append(gap > 0 ? 0 : group(index), to: &text, skippingZeros: false)
                if gap > 0 { gap -= 1 } else { index += 1 }
            }
            text.removeLast(text.count - end)
        }
        return text
    }

    private static func append(_ group: Int, to text: inout [UInt8], skippingZeros: Bool) {
        var skipping = skippingZeros
        for unit in [1000, 100, 10, 1] {
            let digit = UInt8(group / unit % 10)
            if skipping, digit == 0 { continue }
            skipping = false
            text.append(48 + digit)
        }
    }
}
