package import Payments

/// The three date forms of RFC 9110, section 5.6.7. Strict: a server's typing error is no date, where a lenient
/// reader such as `curl_getdate` would make one up.
enum HTTPDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// `now` decides the century of a two-digit year: one more than 50 years ahead lies in the past.
    static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        let words = text.lowercased().split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).map(String.init)
        if words.count == 6, words[5] == "gmt" || words[5] == "utc" {  // Sun, 06 Nov 1994 08:49:37 GMT, and RFC 850's
            return moment(day: words[1], month: words[2], year: words[3], time: words[4], now: now)
        }
        if words.count == 5 {  // Sun Nov  6 08:49:37 1994
            return moment(day: words[2], month: words[1], year: words[4], time: words[3], now: now)
        }
        return nil
    }

    private static func moment(day: String, month: String, year: String, time: String, now: Timestamp) -> Timestamp? {
        guard let day = number(day, digits: 1...2), let month = months.firstIndex(of: month),
            var fullYear = number(year, digits: year.count == 2 ? 2...2 : 4...4)
        else { return nil }
        if year.count == 2 {
            let thisYear = number(String(now.utcDate.prefix(4)), digits: 4...4) ?? 2000
            fullYear += thisYear / 100 * 100
            if fullYear > thisYear + 50 { fullYear -= 100 }
        }
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard clock.count == 3, clock.allSatisfy({ number($0, digits: 2...2) != nil }) else { return nil }
        // Timestamp checks day, hour, minute and second.
        return Timestamp("\(padded(fullYear, 4))-\(padded(month + 1, 2))-\(padded(day, 2))T\(time)Z")
    }

    private static func number(_ text: String, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

extension HTTPResponse {
    /// The server's own time by its `Date`, in whole seconds; nil where it gives none. `now` is the machine's time.
    package func date(near now: Timestamp) -> Timestamp? { headers["date"].flatMap { HTTPDate.parse($0, now: now) } }
}
