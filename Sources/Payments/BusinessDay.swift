import Foundation

/// Business days of an account: each begins when the clock on the wall of `zone` shows the cut-off, and lasts until it
/// does so again: 24 hours, or 23 or 25 where the clocks change. Days are told by their date, `2026-08-21`. A cut-off
/// after noon ends the day of its own date (with 17:00 the 21st lasts from the 20th, 17:00, to the 21st, 17:00), one at or
/// before noon that of the date before (with 02:00 the 21st lasts to the 22nd, 02:00).
///
/// `tieout.business_day(t, zone, cut_off)` in SQL says the same, except in the one hour a year that the clock shows
/// twice, where the cut-off lies inside it: there the day begins with the first showing.
package struct BusinessCalendar: Sendable {
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// IANA name.
    package let zone: String
    /// Seconds on the wall clock between midnight and the start of the day; negative: it starts on the evening before.
    private let startSeconds: Int
    private let rules: TimeZone

    /// `cutOffSeconds`: the cut-off's time of day. Fails for a zone nobody knows, and a cut-off outside a day.
    package init(zone: String, cutOffSeconds: Int = 0) throws(Fault) {
        guard let rules = TimeZone(identifier: zone) else {
            throw Fault(description: "'\(zone)' is no known time zone")
        }
        guard (0..<86_400).contains(cutOffSeconds) else {
            throw Fault(description: "a cut-off of \(cutOffSeconds) seconds is not within one day")
        }
        self.zone = zone
        startSeconds = cutOffSeconds > 43_200 ? cutOffSeconds - 86_400 : cutOffSeconds
        self.rules = rules
    }

    /// The date of the business day that `moment` falls on.
    package func day(of moment: Timestamp) -> String {
        let second = Self.floorSeconds(moment)
        var day = Self.floorDivide(second + offset(at: second) - startSeconds, 86_400)
        if offset(at: second - 2 * 86_400) == offset(at: second + 2 * 86_400) { return Self.text(day) }
        // In the hour that the clock shows twice the wall alone cannot tell.
        if second < start(ofDay: day) { day -= 1 } else if second >= start(ofDay: day + 1) { day += 1 }
        return Self.text(day)
    }

    /// The first moment of the business day. Fails for a text that is no date.
    package func start(of day: String) throws(Fault) -> Timestamp {
        Timestamp(seconds: Int64(start(ofDay: try Self.number(of: day))))
    }

    /// The first moment behind it, which is the start of the next.
    package func end(of day: String) throws(Fault) -> Timestamp {
        Timestamp(seconds: Int64(start(ofDay: try Self.number(of: day) + 1)))
    }

    package func window(of day: String) throws(Fault) -> Window {
        Window(start: try start(of: day), end: try end(of: day))
    }

    /// The date `count` days later, or earlier where it is negative. A text that is no date comes back as it is.
    package func day(_ day: String, adding count: Int) -> String {
        guard let number = try? Self.number(of: day) else { return day }
        return Self.text(number + count)
    }

    /// The dates of all business days that share a moment with `window`, in order.
    package func days(in window: Window) -> [String] {
        if window.isEmpty { return [] }
        var days = [day(of: window.start)]
        let last = day(of: Timestamp(microseconds: window.end.microseconds - 1))
        while let day = days.last, day != last { days.append(self.day(day, adding: 1)) }
        return days
    }

    /// The first second at which the wall clock shows the day's cut-off or, where it jumps over it, something later.
    private func start(ofDay day: Int) -> Int {
        let wall = day * 86_400 + startSeconds
        let before = offset(at: wall - 2 * 86_400)
        let after = offset(at: wall + 2 * 86_400)
        if offset(at: wall - before) == before { return wall - before }
        if offset(at: wall - after) == after { return wall - after }
        // The clock jumps over it: the day begins with the jump.
        var (low, high) = (min(wall - before, wall - after), max(wall - before, wall - after))
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: middle) == before { low = middle } else { high = middle }
        }
        return high
    }

    /// Seconds that the zone's clock is ahead of UTC.
    private func offset(at second: Int) -> Int {
        rules.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(second)))
    }

    private static func floorSeconds(_ moment: Timestamp) -> Int { floorDivide(Int(moment.microseconds), 1_000_000) }

    private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func text(_ day: Int) -> String { Timestamp(seconds: Int64(day) * 86_400).utcDate }

    private static func number(of day: String) throws(Fault) -> Int {
        guard day.utf8.count == 10, let midnight = Timestamp("\(day)T00:00:00Z") else {
            throw Fault(description: "'\(day)' is no date; write it as 2026-08-21")
        }
        return floorDivide(floorSeconds(midnight), 86_400)
    }
}
