package import Payments

/// Decides what to do after an attempt. Pure: no clock, no I/O, randomness handed in.
package struct RetryPolicy: Sendable {
    /// All attempts of one request, the first included.
    package var maxAttempts = 6
    /// Milliseconds: the bound of the first pause; it doubles with each attempt.
    package var baseDelay = 500
    /// Milliseconds: no back-off pause is longer.
    package var maxDelay = 60_000
    /// Milliseconds: a server that asks for a longer pause ends the work with "try later".
    package var maxRetryAfter = 15 * 60_000
    /// Statuses that are worth another attempt with this server, besides those that are with any.
    package var alsoTransient: Set<Int> = []
    /// Lower-case name of the header by which the server itself says whether another attempt helps (`true`, `false`):
    /// it counts before the status. Nil: the server has none.
    package var verdictHeader: String?

    package init() {}

    /// How an attempt ended.
    package enum Outcome: Sendable {
        case failure(HTTPError.Kind)
        /// `retryAfter`, `date`, `reset` (`X-RateLimit-Reset`) and `verdict` (`verdictHeader`) are the header values, if the
        /// response had them.
        case status(
            Int, retryAfter: String? = nil, date: String? = nil, reset: String? = nil, verdict: String? = nil)
    }

    package enum Decision: Sendable, Equatable {
        /// Not worth another attempt, or none left.
        case giveUp
        /// This request pauses, others go on.
        case wait(milliseconds: Int)
        /// The server limits the whole account: nobody sends before so many milliseconds have passed. The budget adds
        /// its own jitter behind that moment, so that the workers do not return in step.
        case hold(milliseconds: Int)
        /// The server named a moment beyond `maxRetryAfter`.
        case tryLater(until: Timestamp)
    }

    /// What to do after attempt number `attempt` (the first is 1) ended with `outcome` at machine time `now`.
    package func next(
        after outcome: Outcome, attempt: Int, now: Timestamp, random: (ClosedRange<Int>) -> Int
    ) -> Decision {
        let backOff = random(0...bound(attempt))
        guard isTransient(outcome) else { return .giveUp }
        switch outcome {
        case .failure:
            return attempt < maxAttempts ? .wait(milliseconds: backOff) : .giveUp
        case .status(let status, let retryAfter, let date, let reset, _):
            var stated = retryAfter.flatMap { RetryAfter.milliseconds($0, date: date, now: now) }
            // Many send both headers of a limit with every answer: it counts where the limit was reached.
            if stated == nil, status == 429 {
                stated = reset.flatMap { RetryAfter.milliseconds(reset: $0, date: date, now: now) }
            }
            if let stated, stated > maxRetryAfter { return .tryLater(until: RetryAfter.moment(stated, after: now)) }
            guard attempt < maxAttempts else { return .giveUp }
            // "Now" is no pause: a server that says 0 for ever would burn all attempts in one second.
            if let stated, stated > 0 { return .hold(milliseconds: stated) }
            return status == 429 ? .hold(milliseconds: backOff) : .wait(milliseconds: backOff)
        }
    }

    /// Whether another attempt may end otherwise.
    package func isTransient(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .failure(let kind): return kind.isTransient
        case .status(let status, _, _, _, let verdict):
            switch verdict?.trimmed.lowercased() {
            case "true": return true
            case "false": return false
            default: return Self.isTransient(status: status) || alsoTransient.contains(status)
            }
        }
    }

    /// The longest pause after attempt number `attempt`: the base doubled each time, capped.
    package func bound(_ attempt: Int) -> Int {
        let doublings = min(max(attempt - 1, 0), 30)
        let (value, overflow) = baseDelay.multipliedReportingOverflow(by: 1 << doublings)
        return overflow ? maxDelay : min(maxDelay, value)
    }

    package static func isTransient(status: Int) -> Bool {
        status == 408 || status == 425 || status == 429 || (500...599).contains(status)
    }
}

/// Reads the `Retry-After` header.
enum RetryAfter {
    /// Nobody waits a century, and arithmetic must not overflow.
    private static let farAway = 100 * 366 * 86_400_000

    /// The pause it asks for, in milliseconds, rounded up; 0 for a moment that has passed; nil for garbage.
    /// A date is measured against the response's own `date` header, so that a wrong clock here does no harm; while
    /// both clocks agree within a minute the later moment counts, so that nothing goes out before the stated one.
    static func milliseconds(_ text: String, date: String?, now: Timestamp) -> Int? {
        let text = text.trimmed
        if let seconds = seconds(text) { return seconds }
        return HTTPDate.parse(text, now: now).map { milliseconds(until: $0, date: date, now: now) }
    }

    /// The same for `X-RateLimit-Reset`, which no standard defines: seconds from now, a moment in Unix seconds or
    /// milliseconds, a date of ISO 8601 or of HTTP; nil for garbage.
    static func milliseconds(reset text: String, date: String?, now: Timestamp) -> Int? {
        let text = text.trimmed
        if let moment = Timestamp(text) { return milliseconds(until: moment, date: date, now: now) }
        // Nobody waits thirty years, and no clock shows so little.
        guard let number = Int64(text), number >= 1_000_000_000, number < 100_000_000_000_000 else {
            return milliseconds(text, date: date, now: now)
        }
        let inSeconds = number < 1_000_000_000_000 ? number : (number + 999) / 1000
        return milliseconds(until: Timestamp(seconds: inSeconds), date: date, now: now)
    }

    private static func milliseconds(until moment: Timestamp, date: String?, now: Timestamp) -> Int {
        let here = span(from: now, to: moment)
        guard let server = date.flatMap({ HTTPDate.parse($0.trimmed, now: now) }) else { return max(0, here) }
        let there = span(from: server, to: moment)
        return max(0, abs(here - there) < 60_000 ? max(here, there) : there)
    }

    static func moment(_ milliseconds: Int, after now: Timestamp) -> Timestamp {
        Timestamp(microseconds: now.microseconds + Int64(min(milliseconds, farAway)) * 1000)
    }

    /// Digits, and (against the letter of the standard, but seen) a fraction, which is rounded up to a whole second.
    private static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy({ (48...57).contains($0) }) })
        else { return nil }
        guard let seconds = Int(whole), seconds < farAway / 1000 else { return farAway }
        return (seconds + (parts.count == 2 && parts[1].contains { $0 != "0" } ? 1 : 0)) * 1000
    }

    private static func span(from a: Timestamp, to b: Timestamp) -> Int {
        let (micros, overflow) = b.microseconds.subtractingReportingOverflow(a.microseconds)
        return overflow ? farAway : Int((micros + 999) / 1000)
    }
}

extension StringProtocol {
    /// Without the blanks, tabs and line ends around it.
    var trimmed: String {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        guard let first = firstIndex(where: { !blank($0) }), let last = lastIndex(where: { !blank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
