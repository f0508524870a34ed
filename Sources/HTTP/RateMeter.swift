/// The arithmetic of one limit, in machine milliseconds; no clock of its own.
struct RateMeter {
    private let limit: RateLimit
    /// Paced: when the next permit would be due if all were spread evenly, in microseconds ("theoretical arrival").
    private var due = Int.min
    /// Window: the moments of the last permits, oldest first, as a ring.
    private var moments: [Int] = []
    private var oldest = 0

    init(_ limit: RateLimit) { self.limit = limit }

    /// The earliest moment at which the next permit keeps the limit.
    func readyAt() -> Int {
        switch limit {
        case .paced(let permits, let interval, let burst):
            guard due != Int.min else { return Int.min }
            let micros = due - Self.gap(permits, interval) * (max(burst, 1) - 1)
            return micros > 0 ? (micros + 999) / 1000 : micros / 1000
        case .window(let permits, let interval):
            // Strictly after the interval: a half-open span of that length never holds one too many.
            return moments.count < max(permits, 1) ? Int.min : moments[oldest] + interval.wholeMilliseconds
        }
    }

    /// A permit goes out at `now`.
    mutating func take(_ now: Int) {
        switch limit {
        case .paced(let permits, let interval, _):
            due = max(due, now * 1000) + Self.gap(permits, interval)
        case .window(let permits, _):
            if moments.count < max(permits, 1) {
                moments.append(now)
            } else {
                moments[oldest] = now
                oldest = (oldest + 1) % moments.count
            }
        }
    }

    /// Microseconds between two permits, rounded up: never faster than stated.
    private static func gap(_ permits: Int, _ interval: Duration) -> Int {
        let permits = max(permits, 1)
        return (interval.wholeMilliseconds * 1000 + permits - 1) / permits
    }
}
