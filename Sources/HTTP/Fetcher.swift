/// Fetches through one source's budget, again where that helps and is safe. A value: copies share client, budget and
/// metrics.
package struct Fetcher: Sendable {
    /// Sends one request once.
    package typealias Sender = @Sendable (HTTPRequest) async throws(HTTPError) -> HTTPResponse
    /// Makes a request ready to be sent now (signed, say); called for every attempt.
    package typealias Preparer = @Sendable (HTTPRequest) throws(HTTPError) -> HTTPRequest

    /// Said before every pause, for the log. Nothing in it is secret.
    package struct Retry: Sendable {
        /// `GET host/path`
        package let request: String
        /// The attempt that failed; the first is 1.
        package let attempt: Int
        package let reason: HTTPError.Kind
        package let pauseMilliseconds: Int
    }

    private let prepare: Preparer
    private let send: Sender
    private let policy: RetryPolicy
    private let budget: RateBudget
    private let clock: MachineClock
    private let random: RandomNumber
    private let onRetry: @Sendable (Retry) -> Void
    package let metrics: FetchMetrics

    package init(
        client: HTTPClient, policy: RetryPolicy = RetryPolicy(), budget: RateBudget, clock: MachineClock,
        metrics: FetchMetrics = FetchMetrics(),
        prepare: @escaping Preparer = { request throws(HTTPError) in request },
        onRetry: @escaping @Sendable (Retry) -> Void = { _ in }
    ) {
        self.init(
            policy: policy, budget: budget, clock: clock, metrics: metrics, prepare: prepare, onRetry: onRetry,
            send: { request async throws(HTTPError) in try await client.send(request) })
    }

    /// With any way of sending: tests need no server.
    package init(
        policy: RetryPolicy = RetryPolicy(), budget: RateBudget, clock: MachineClock,
        metrics: FetchMetrics = FetchMetrics(), random: @escaping RandomNumber = { Int.random(in: $0) },
        prepare: @escaping Preparer = { request throws(HTTPError) in request },
        onRetry: @escaping @Sendable (Retry) -> Void = { _ in }, send: @escaping Sender
    ) {
        self.prepare = prepare
        self.send = send
        self.policy = policy
        self.budget = budget
        self.clock = clock
        self.random = random
        self.metrics = metrics
        self.onRetry = onRetry
    }

    /// Returns 2xx responses and those whose status the caller expects (by default 404: the object is not there).
    /// Every other status, redirects included, throws `.status`; 401 and 403 at once. What is transient is tried
    /// again up to the policy's bound, then throws `.exhausted`; a pause too long for a run throws `.tryLater`.
    package func fetch(
        _ request: HTTPRequest, accepting expected: Set<Int> = [404]
    ) async throws(HTTPError) -> HTTPResponse {
        var attempt = 0
        while true {
            attempt += 1
            let outcome: RetryPolicy.Outcome
            let reason: HTTPError
            switch try await once(request) {
            case .success(let response):
                let status = response.status
                if (200...299).contains(status) || expected.contains(status) { return response }
                outcome = .status(
                    status, retryAfter: response.headers["retry-after"], date: response.headers["date"],
                    reset: response.headers["x-ratelimit-reset"],
                    verdict: policy.verdictHeader.flatMap { response.headers[$0] })
                reason = HTTPError(.status(status), request)
            case .failure(let error):
                outcome = .failure(error.kind)
                reason = error
            }
            try await pause(request, outcome, reason, attempt: attempt)
            metrics.count { $0.retries += 1 }
        }
    }

    /// One attempt within the budget. Throws only what no attempt can mend.
    private func once(_ request: HTTPRequest) async throws(HTTPError) -> Result<HTTPResponse, HTTPError> {
        do {
            let waited = try await budget.acquire()
            metrics.count { $0.waitedMilliseconds += waited }
        } catch {
            throw HTTPError(error.kind, request)
        }
        metrics.count { $0.requests += 1 }
        let ready = try prepare(request)
        do {
            let response = try await send(ready)
            metrics.count {
                $0.bytes += response.body.count
                $0.wireBytes += response.wireBytes
                if response.status == 429 { $0.tooMany += 1 }
            }
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    private func pause(
        _ request: HTTPRequest, _ outcome: RetryPolicy.Outcome, _ failure: HTTPError, attempt: Int
    ) async throws(HTTPError) {
        let reason = failure.kind
        let decision = policy.next(after: outcome, attempt: attempt, now: clock.wall(), random: random)
        if case .tryLater(let until) = decision {
            await budget.stop(until: until)
            throw HTTPError(.tryLater(until: until), request)
        }
        guard decision != .giveUp, request.isRepeatable || Self.hadNoEffect(reason) else {
            // A single attempt that was not worth repeating is not "exhausted".
            let spent = attempt > 1 && policy.isTransient(outcome)
            throw HTTPError(spent ? .exhausted(reason, attempts: attempt) : reason, request, detail: failure.detail)
        }
        switch decision {
        case .hold(let milliseconds):
            onRetry(
                Retry(request: request.description, attempt: attempt, reason: reason, pauseMilliseconds: milliseconds))
            await budget.hold(until: clock.milliseconds() + milliseconds)
        case .wait(let milliseconds):
            onRetry(
                Retry(request: request.description, attempt: attempt, reason: reason, pauseMilliseconds: milliseconds))
            let start = clock.milliseconds()
            do { try await clock.sleep(milliseconds) } catch { throw HTTPError(.cancelled, request) }
            let waited = clock.milliseconds() - start
            metrics.count { $0.waitedMilliseconds += waited }
        case .giveUp, .tryLater:
            break
        }
    }

    /// Refused before it was taken in: safe to send again even if it writes.
    private static func hadNoEffect(_ reason: HTTPError.Kind) -> Bool {
        switch reason {
        case .connect, .status(425), .status(429): true
        default: false
        }
    }
}
