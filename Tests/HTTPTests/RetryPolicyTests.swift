import Payments
import Testing

@testable import HTTP

@Suite("the retry policy decides without a clock")
struct RetryPolicyTests {
    let policy = RetryPolicy()
    let now = Timestamp(seconds: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT
    let most: (ClosedRange<Int>) -> Int = { $0.upperBound }

    private func next(
        _ status: Int, _ retryAfter: String?, date: String? = nil, attempt: Int = 1
    ) -> RetryPolicy.Decision {
        policy.next(
            after: .status(status, retryAfter: retryAfter, date: date), attempt: attempt, now: now, random: most)
    }

    @Test("transient failures and statuses wait; the others give up at once")
    func kinds() {
        for kind: HTTPError.Kind in [.connect, .timeout, .stalled, .cut, .garbled] {
            #expect(policy.next(after: .failure(kind), attempt: 1, now: now, random: most) == .wait(milliseconds: 500))
        }
        for kind: HTTPError.Kind in [.tls, .tooLarge, .cancelled, .closed, .invalid("URL")] {
            #expect(policy.next(after: .failure(kind), attempt: 1, now: now, random: most) == .giveUp)
        }
        for status in [408, 425, 500, 502, 503, 504, 599] { #expect(next(status, nil) == .wait(milliseconds: 500)) }
        for status in [301, 304, 400, 401, 403, 404, 410, 422, 451] { #expect(next(status, "7") == .giveUp) }
        #expect(next(429, nil) == .hold(milliseconds: 500))
    }

    @Test("a server's own word on another attempt counts before the status; statuses of its own wait too")
    func ownWord() {
        var own = RetryPolicy()
        own.verdictHeader = "x-should-retry"
        own.alsoTransient = [409]
        func next(_ status: Int, _ verdict: String?, _ policy: RetryPolicy) -> RetryPolicy.Decision {
            policy.next(after: .status(status, verdict: verdict), attempt: 1, now: now, random: most)
        }
        for (status, verdict) in [(409, nil), (409, "true"), (400, " True "), (500, nil), (503, "perhaps")] {
            #expect(next(status, verdict, own) == .wait(milliseconds: 500), "\(status)")
        }
        for (status, verdict) in [(409, "false"), (429, "false"), (500, "False"), (402, nil), (402, "perhaps")] {
            #expect(next(status, verdict, own) == .giveUp, "\(status)")
        }
        #expect(next(429, "true", own) == .hold(milliseconds: 500))
        #expect(next(409, nil, policy) == .giveUp)
        #expect(own.next(after: .status(409), attempt: own.maxAttempts, now: now, random: most) == .giveUp)
    }

    @Test("pauses double up to the cap, full jitter reaches from zero to the bound, attempts are bounded")
    func backOff() {
        var policy = RetryPolicy()
        policy.maxAttempts = 100
        let pauses = (1...99).map { policy.next(after: .failure(.cut), attempt: $0, now: now, random: most) }
        let wanted = [500, 1000, 2000, 4000, 8000, 16_000, 32_000] + Array(repeating: 60_000, count: 92)
        #expect(pauses == wanted.map { .wait(milliseconds: $0) })
        #expect(policy.next(after: .failure(.cut), attempt: 5, now: now) { $0.lowerBound } == .wait(milliseconds: 0))
        #expect(policy.next(after: .failure(.cut), attempt: 100, now: now, random: most) == .giveUp)
    }

    @Test("Retry-After counts as seconds or as any of the three date forms")
    func forms() {
        #expect(next(429, "7") == .hold(milliseconds: 7000))
        #expect(next(503, " 7 ") == .hold(milliseconds: 7000))
        #expect(next(429, "1.2") == .hold(milliseconds: 2000))
        #expect(next(429, "Sun, 06 Nov 1994 08:49:42 GMT") == .hold(milliseconds: 5000))
        #expect(next(429, "Sunday, 06-Nov-94 08:49:42 GMT") == .hold(milliseconds: 5000))
        #expect(next(429, "Sun Nov  6 08:49:42 1994") == .hold(milliseconds: 5000))
    }

    @Test("where a limit was reached and no Retry-After is given, X-RateLimit-Reset counts in each of its forms")
    func reset() {
        let now = Timestamp(seconds: 1_796_040_000)
        func next(_ reset: String, _ retryAfter: String? = nil, status: Int = 429) -> RetryPolicy.Decision {
            policy.next(
                after: .status(status, retryAfter: retryAfter, reset: reset), attempt: 1, now: now, random: most)
        }
        for text in ["60", "1796040060", "1796040059500", "2026-11-30T12:01:00Z", "Mon, 30 Nov 2026 12:01:00 GMT"] {
            #expect(next(text) == .hold(milliseconds: 60_000), "\(text)")
        }
        #expect(next("1796040060", "5") == .hold(milliseconds: 5000))
        #expect(next("1796043600") == .tryLater(until: Timestamp(seconds: 1_796_043_600)))
        for text in ["soon", "-5", "", "1796030000"] { #expect(next(text) == .hold(milliseconds: 500), "\(text)") }
        #expect(next("1796040060", status: 503) == .wait(milliseconds: 500))
    }

    @Test("garbage, zero and a moment that has passed fall back to the capped back-off")
    func garbage() {
        for text in [
            "garbage", "", "-5", "7s", "0x10", "1e3", "soon", "Sun, 31 Feb 1994 08:49:42 GMT", "06 Nov 1994",
            "Sun, 06 Nov 1994 25:49:42 GMT", "Sun, 06 Nov 1994 08:49:42 PST", "0", "Sun, 06 Nov 1994 08:00:00 GMT",
        ] {
            #expect(next(429, text, attempt: 3) == .hold(milliseconds: 2000), "\(text)")
        }
    }

    @Test("a pause beyond the bound ends with the moment to come back, even on the last attempt")
    func tryLater() {
        #expect(next(429, "900") == .hold(milliseconds: 900_000))
        #expect(next(429, "901", attempt: 6) == .tryLater(until: now.adding(seconds: 901)))
        #expect(next(429, "86400") == .tryLater(until: now.adding(seconds: 86_400)))
        #expect(next(503, "Mon, 07 Nov 1994 08:49:37 GMT") == .tryLater(until: now.adding(seconds: 86_400)))
        guard case .tryLater = next(429, String(repeating: "9", count: 40)) else {
            Issue.record("an endless pause is no garbage")
            return
        }
    }

    @Test("a date is read against the server's own clock where ours is wrong; close clocks take the later moment")
    func skew() {
        let stated = "Sun, 06 Nov 1994 12:00:05 GMT"  // three hours ahead of here
        #expect(next(429, stated, date: "Sun, 06 Nov 1994 12:00:00 GMT") == .hold(milliseconds: 5000))
        let near = "Sun, 06 Nov 1994 08:49:47 GMT"
        #expect(next(429, near, date: "Sun, 06 Nov 1994 08:49:40 GMT") == .hold(milliseconds: 10_000))
        #expect(next(429, near, date: "Sun, 06 Nov 1994 08:49:30 GMT") == .hold(milliseconds: 17_000))
        #expect(next(429, near, date: "garbage") == .hold(milliseconds: 10_000))
    }

    @Test("a two-digit year more than fifty ahead lies in the past")
    func century() {
        let today = Timestamp(seconds: 1_770_000_000)  // 2026
        #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: today)?.description == "1994-11-06T08:49:37Z")
        #expect(HTTPDate.parse("Sunday, 06-Nov-30 08:49:37 GMT", now: today)?.description == "2030-11-06T08:49:37Z")
    }
}
