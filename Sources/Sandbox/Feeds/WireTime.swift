import Payments

/// Moments as providers write them.
enum WireTime {
    /// `2026-07-31 12:00:05`, UTC without saying so; fractions are cut.
    static func plain(_ moment: Timestamp) -> String {
        let text = Timestamp(seconds: seconds(moment)).description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }

    /// Whole seconds since 1970.
    static func seconds(_ moment: Timestamp) -> Int64 {
        let whole = moment.microseconds / 1_000_000
        return moment.microseconds < 0 && moment.microseconds % 1_000_000 != 0 ? whole - 1 : whole
    }

    /// `2026-07-31T12:00:05.123Z`; with another ending such as `+0000` where that is given.
    static func milliseconds(_ moment: Timestamp, ending: String = "Z") -> String {
        let text = Timestamp(seconds: seconds(moment)).description
        let fraction = String((moment.microseconds - seconds(moment) * 1_000_000) / 1_000 + 1_000).dropFirst()
        return "\(text.prefix(19)).\(fraction)\(ending)"
    }

    /// Midnight of a day written `2026-07-31`; nil for anything else.
    static func day(_ text: String) -> Timestamp? {
        text.utf8.count == 10 ? Timestamp(text + "T00:00:00Z") : nil
    }

    /// The moment cut to whole units of so many microseconds.
    static func cut(_ moment: Timestamp, to unit: Int64 = 1_000_000) -> Timestamp {
        Timestamp(microseconds: moment.microseconds / unit * unit)
    }
}
