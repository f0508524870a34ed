/// A moment in microseconds since 1970-01-01T00:00:00Z: PostgreSQL's own precision, so that what is compared is what
/// is stored. Finer digits of a source are cut (declared precision), never rounded up into the next second.
package struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }
    /// Of numbers that are known to be moments: those from outside go through `unixSeconds`.
    package init(seconds: Int64) { microseconds = seconds * 1_000_000 }

    /// The moment that an outside source tells in whole seconds since 1970; nil beyond what a calendar of four-digit years
    /// shows, which no clock tells and which would leave the range of moments.
    package init?(unixSeconds: Int64) {
        guard Self.plausibleUnixSeconds.contains(unixSeconds) else { return nil }
        self.init(seconds: unixSeconds)
    }

    /// 1970-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    private static let plausibleUnixSeconds: ClosedRange<Int64> = 0...253_402_300_799

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.microseconds < b.microseconds }

    package func adding(seconds: Int64) -> Timestamp { Timestamp(microseconds: microseconds + seconds * 1_000_000) }

    /// Reads RFC 3339: `2026-08-10T12:00:03Z`, 0 to 9 fraction digits, `Z` or `±hh:mm`, `T` or a blank between date and
    /// time. Where `assumingUTC` is set, a missing offset means UTC. Anything else, and impossible dates, give nil.
    package init?(_ text: some StringProtocol, assumingUTC: Bool = false) {
        let read = text.utf8.withContiguousStorageIfAvailable { Timestamp(utf8: $0, assumingUTC: assumingUTC) }
        guard
            let time = read
                ?? Array(text.utf8).withUnsafeBufferPointer({ Timestamp(utf8: $0, assumingUTC: assumingUTC) })
        else { return nil }
        self = time
    }

    /// The same from a slice of a document.
    package init?(utf8 text: ArraySlice<UInt8>, assumingUTC: Bool = false) {
        guard let time = text.withUnsafeBufferPointer({ Timestamp(utf8: $0, assumingUTC: assumingUTC) }) else {
            return nil
        }
        self = time
    }

    private init?(utf8 text: UnsafeBufferPointer<UInt8>, assumingUTC: Bool) {
        var reader = Reader(bytes: text)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let day = reader.number(digits: 2),
            reader.take("T") || reader.take("t") || reader.take(" "),
            let hour = reader.number(digits: 2), reader.take(":"), let minute = reader.number(digits: 2),
            reader.take(":"), let second = reader.number(digits: 2),
            (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0
        if reader.take(".") {
            guard let digits = reader.fraction() else { return nil }
            fraction = digits
        }
        var offset = 0
        if reader.take("Z") || reader.take("z") {
            offset = 0
        } else if let sign = reader.sign() {
            guard let hours = reader.number(digits: 2), hours < 24 else { return nil }
            _ = reader.take(":")
            let minutes = reader.number(digits: 2) ?? 0
            guard minutes < 60 else { return nil }
            offset = sign * (hours * 60 + minutes)
        } else if !assumingUTC {
            return nil
        }
        guard reader.isAtEnd else { return nil }
        let days = Self.daysSinceEpoch(year: year, month: month, day: day)
        let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
        microseconds = Int64(seconds) * 1_000_000 + Int64(fraction)
    }

    /// `2026-08-10T12:00:03Z`, or with six fraction digits where the moment is not a whole second.
    package var description: String {
        let (seconds, micros) = Self.floorDivide(microseconds, 1_000_000)
        let (days, inDay) = Self.floorDivide(seconds, 86_400)
        let date = Self.date(daysSinceEpoch: Int(days))
        let second = Int(inDay)
        var text = "\(Self.pad(date.year, 4))-\(Self.pad(date.month, 2))-\(Self.pad(date.day, 2))T"
        text += "\(Self.pad(second / 3600, 2)):\(Self.pad(second / 60 % 60, 2)):\(Self.pad(second % 60, 2))"
        if micros != 0 { text += "." + Self.pad(Int(micros), 6) }
        return text + "Z"
    }

    /// The UTC calendar date, `2026-08-10`.
    package var utcDate: String { String(description.prefix(10)) }

    // Civil calendar arithmetic on the proleptic Gregorian calendar, in whole days since 1970-01-01 (the well-known
    // era method: a 400-year era has 146 097 days, a year is counted from March so that the leap day comes last).
    package static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    package static func date(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
        let z = daysSinceEpoch + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let m = (5 * dayOfYear + 2) / 153
        let month = m < 10 ? m + 3 : m - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * m + 2) / 5 + 1)
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
        var (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        if remainder < 0 {
            quotient -= 1
            remainder += divisor
        }
        return (quotient, remainder)
    }

    private static func pad(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// Takes characters off the front of a fixed-layout text.
    private struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func sign() -> Int? {
            if take("+") { return 1 }
            return take("-") ? -1 : nil
        }

        mutating func number(digits: Int) -> Int? {
            guard position + digits <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[position..<position + digits] {
                guard byte >= 48, byte <= 57 else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            position += digits
            return value
        }

        /// One to nine digits behind the point, as microseconds; what is finer is cut.
        mutating func fraction() -> Int? {
            var value = 0
            var count = 0
            while position < bytes.count, bytes[position] >= 48, bytes[position] <= 57, count < 9 {
                if count < 6 { value = value * 10 + Int(bytes[position] - 48) }
                count += 1
                position += 1
            }
            guard count > 0 else { return nil }
            for _ in min(count, 6)..<6 { value *= 10 }
            return value
        }
    }
}
