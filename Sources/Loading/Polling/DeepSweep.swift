import Payments

/// The deep sweep: the reversal window before the look-back, a seventh of it a day, so that the whole is read within a
/// week whatever day a week begins with.
enum DeepSweep {
    struct Slice: Hashable {
        let number: Int
        let from: Timestamp
        let to: Timestamp
    }

    static let parts: Int64 = 7

    /// What is due on the day of `now`, newest first; nothing where the window ends before `until`.
    static func slices(_ settings: PollSettings, now: Timestamp, until: Timestamp) -> [Slice] {
        let start = now.adding(seconds: -settings.reversalWindow)
        guard settings.sweep != .off, start < until else { return [] }
        let width = (until.microseconds - start.microseconds) / 1_000_000 / parts + 1
        let day = now.microseconds / 86_400_000_000
        return (0..<parts).reversed().compactMap { number in
            if settings.sweep == .slice, number != day % parts { return nil }
            let from = start.adding(seconds: number * width)
            return from < until
                ? Slice(number: Int(number), from: from, to: min(until, from.adding(seconds: width))) : nil
        }
    }
}
