import Glibc
package import Payments

/// The time that a server writes into its headers, and the form it has there.
package enum WireClock {
    /// The machine's time, whole seconds.
    @Sendable package static func machine() -> Timestamp { Timestamp(seconds: Int64(time(nil))) }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    package static func header(_ moment: Timestamp) -> String {
        // "1994-11-06T08:49:37", UTC.
        let text = moment.description
        let month = Int(text.dropFirst(5).prefix(2)) ?? 1
        let sinceEpoch = moment.microseconds / 86_400_000_000
        let day = days[Int((sinceEpoch % 7 + 7) % 7)]
        let name = months[max(0, min(11, month - 1))]
        return "\(day), \(text.dropFirst(8).prefix(2)) \(name) \(text.prefix(4)) \(text.dropFirst(11).prefix(8)) GMT"
    }
}
