import JSON
import Payments

/// A stretch of time whose events are gone: the list keeps them for some days only, and was not read for longer.
struct EventGap: Hashable, Sendable {
    /// Up to here events were read.
    let from: Timestamp
    /// From here on they can be read again.
    let until: Timestamp

    /// Nil where nothing lies between.
    init?(from: Timestamp, until: Timestamp) {
        guard from < until else { return nil }
        self.from = from
        self.until = until
    }

    /// Both, and what lies between: one sweep heals it all.
    func joined(with other: EventGap) -> EventGap {
        EventGap(from: min(from, other.from), until: max(until, other.until)) ?? self
    }

    /// `event gap 10 d`: days, rounded; hours below two days.
    var text: String {
        let seconds = (until.microseconds - from.microseconds) / 1_000_000
        if seconds >= 2 * 86_400 { return "event gap \((seconds + 43_200) / 86_400) d" }
        return "event gap \(max(1, (seconds + 1800) / 3600)) h"
    }

    init?(json: JSONValue?) {
        guard let from = json?["from"]?.string.flatMap({ Timestamp($0) }),
            let until = json?["until"]?.string.flatMap({ Timestamp($0) })
        else { return nil }
        self.init(from: from, until: until)
    }
}

extension PollSettings {
    /// How objects are read in a run that has found an event gap: everything from its start on by sweep, and what is
    /// open by id, however old. Whoever has switched the sweep off has decided otherwise.
    func healing(_ gap: EventGap, now: Timestamp) -> PollSettings {
        guard sweep != .off else { return self }
        var settings = self
        settings.sweep = .whole
        let age = (now.microseconds - gap.from.microseconds) / 1_000_000 + WalkPlan.overlap
        settings.reversalWindow = max(reversalWindow, age)
        settings.dormantAfter = max(dormantAfter, 100 * 366 * 86_400)
        return settings
    }
}
