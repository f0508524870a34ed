import JSON
import Payments

/// Moments as Banxa writes them, all in UTC: ISO 8601 (`v2`, Native), `01-Jul-2022 07:51:18` (legacy),
/// `2026-01-16 04:04:21` and, as its own samples print it, `2026-01-1604:04:21` (webhooks).
enum BanxaTime {
    static func read(_ text: ArraySlice<UInt8>) -> Timestamp? {
        if let time = Timestamp(utf8: text, assumingUTC: true) { return time }
        let bytes = Array(text)
        if bytes.count >= 18, bytes[4] == UInt8(ascii: "-"), isDigit(bytes[10]) {
            let parted = bytes[..<10] + [UInt8(ascii: "T")] + bytes[10...]
            return Timestamp(utf8: parted[...], assumingUTC: true)
        }
        return named(bytes)
    }

    /// A moment, or nil for null and the empty text.
    static func time(_ value: JSONValue?, _ path: String) throws(RowFault) -> Timestamp? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.textBytes else { throw ElementReader.changed(path, "string", value) }
        if text.isEmpty { return nil }
        guard let time = read(text) else { throw RowFault("\(path): not a time") }
        return time
    }

    /// `dd-MMM-yyyy HH:mm:ss`, with English names of months.
    private static func named(_ bytes: [UInt8]) -> Timestamp? {
        let parts = bytes.split(separator: UInt8(ascii: "-"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, (1...2).contains(parts[0].count), parts[0].allSatisfy(isDigit),
            let month = months.firstIndex(of: String(decoding: parts[1], as: UTF8.self).lowercased()),
            parts[2].count >= 13, parts[2].prefix(4).allSatisfy(isDigit)
        else { return nil }
        let year = String(decoding: parts[2].prefix(4), as: UTF8.self)
        let day = String(decoding: parts[0], as: UTF8.self)
        let clock = String(decoding: parts[2].dropFirst(4), as: UTF8.self)
        let number = String(month + 1)
        let date = "\(year)-\(number.count == 1 ? "0" : "")\(number)-\(day.count == 1 ? "0" : "")\(day)"
        return Timestamp(date + clock, assumingUTC: true)
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}

/// Days as Banxa's lists are asked for.
enum BanxaDay {
    /// The first day of which anything can be there: the company dates from 2014.
    static let first = "2014-01-01"
    /// Instead of today, where nobody says when it is.
    static let last = "2037-12-31"

    static func text(_ time: Timestamp, plus days: Int64) -> String { time.adding(seconds: days * 86_400).utcDate }
}
