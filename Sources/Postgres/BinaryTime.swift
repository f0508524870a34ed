import Payments

/// Moments and dates as PostgreSQL's binary formats carry them: microseconds and days since 2000-01-01.
enum BinaryTime {
    static func encode(_ moment: Timestamp) throws(PostgresError) -> Int64 {
        let (value, overflow) = moment.microseconds.subtractingReportingOverflow(PostgresType.epochMicroseconds)
        if overflow { throw .usage("a moment lies outside what the database can hold") }
        return value
    }

    /// Nil for the infinities and for moments beyond 64 bits of microseconds since 1970.
    static func decode(_ value: Int64) -> Timestamp? {
        if value == .max || value == .min { return nil }
        let (microseconds, overflow) = value.addingReportingOverflow(PostgresType.epochMicroseconds)
        return overflow ? nil : Timestamp(microseconds: microseconds)
    }

    /// `yyyy-MM-dd`, a real day between the years 1 and 9999.
    static func encode(date text: String) throws(PostgresError) -> Int32 {
        guard text.utf8.count == 10, let midnight = Timestamp(text + "T00:00:00Z"), !text.hasPrefix("0000") else {
            throw .usage("a date is not yyyy-MM-dd")
        }
        return Int32(midnight.microseconds / 86_400_000_000) - PostgresType.epochDays
    }

    /// Nil for the infinities and for years that four digits cannot show.
    static func decode(date days: Int32) -> String? {
        if days == .max || days == .min { return nil }
        let since1970 = Int(days) + Int(PostgresType.epochDays)
        guard (1...9999).contains(Timestamp.date(daysSinceEpoch: since1970).year) else { return nil }
        return Timestamp(seconds: Int64(since1970) * 86_400).utcDate
    }
}
