/// What goes wrong on purpose, by the number of the request: the same run meets the same faults.
package struct Misbehaviour: Sendable, Hashable {
    /// What happens to one request.
    package enum Act: Sendable, Hashable {
        case answer
        /// 429 with a `Retry-After` of so many seconds.
        case tooManyRequests(retryAfter: Int)
        case serverError
        /// The right headers and half of the body, then the connection closes.
        case cutBody
    }

    private var refuseEvery = 0
    private var failEvery = 0
    private var cutRequest = 0

    /// No fault.
    package init() {}

    /// Reads `429:N` (every Nth request), `500:N` (every Nth), `cut:N` (the Nth request), joined by commas; nil where it
    /// says anything else.
    package init?(_ text: String) {
        for part in text.split(separator: ",") {
            let pair = part.split(separator: ":")
            guard pair.count == 2, let count = Int(pair[1]), count > 0 else { return nil }
            switch pair[0] {
            case "429": refuseEvery = count
            case "500": failEvery = count
            case "cut": cutRequest = count
            default: return nil
            }
        }
    }

    /// The act for request `number`, counted from 1. No fault hits two requests in a row unless N is one, so a client
    /// that tries again gets through.
    package func act(request number: Int) -> Act {
        if number == cutRequest { return .cutBody }
        if refuseEvery > 0, number % refuseEvery == 0 { return .tooManyRequests(retryAfter: 1) }
        if failEvery > 0, number % failEvery == 0 { return .serverError }
        return .answer
    }
}
