package import Payments

/// Why a request brought no usable response. Carries method, host and path; never a header, a query or a body.
package struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// The request itself is wrong (URL, scheme, header); nothing was sent.
        case invalid(String)
        /// No connection: name not found, refused, unreachable, or not established within the connect time-out.
        case connect
        /// The total time-out passed.
        case timeout
        /// Connected, but fewer bytes a second than the low-speed limit for the low-speed time.
        case stalled
        /// Certificate or handshake refused.
        case tls
        /// The response ended before it was complete, or its compressed form was damaged.
        case cut
        /// The answer was no HTTP.
        case garbled
        /// Body (decompressed) or headers beyond the cap.
        case tooLarge
        case cancelled
        /// The client was closed.
        case closed
        /// A status that the caller did not ask to see and that is not worth a retry.
        case status(Int)
        /// The server asks for a longer pause than a run waits; `until` is machine time.
        case tryLater(until: Timestamp)
        /// Still failing, for this reason, after the last permitted attempt.
        indirect case exhausted(Kind, attempts: Int)
    }

    package let kind: Kind
    /// `GET api.example.com/transactions`
    package let request: String

    /// What exactly failed, where it is about the connection or its certificate: "certificate has expired".
    package let detail: String?

    package init(_ kind: Kind, _ request: HTTPRequest, detail: String? = nil) {
        self.init(kind, request: request.description, detail: detail)
    }

    package init(_ kind: Kind, request: String = "", detail: String? = nil) {
        self.kind = kind
        self.request = request
        self.detail = detail
    }

    /// Whether the same request may succeed later with nothing changed on our side.
    package var isTransient: Bool { kind.isTransient }

    /// Whether the server's rate limit ended it: the job's "try later".
    package var isRateLimited: Bool {
        switch kind {
        case .tryLater, .status(429), .exhausted(.status(429), _): true
        default: false
        }
    }

    package var description: String {
        let text = detail.map { "\(kind.text): \($0)" } ?? kind.text
        return request.isEmpty ? text : "\(request): \(text)"
    }
}

extension HTTPError.Kind {
    package var isTransient: Bool {
        switch self {
        case .connect, .timeout, .stalled, .cut, .garbled, .tryLater, .exhausted: true
        case .status(let status): RetryPolicy.isTransient(status: status)
        case .invalid, .tls, .tooLarge, .cancelled, .closed: false
        }
    }

    package var text: String {
        switch self {
        case .invalid(let reason): "invalid request: \(reason)"
        case .connect: "cannot connect"
        case .timeout: "timed out"
        case .stalled: "stalled"
        case .tls: "TLS refused (certificate or handshake)"
        case .cut: "response cut short"
        case .garbled: "answer is not HTTP"
        case .tooLarge: "response larger than the cap"
        case .cancelled: "cancelled"
        case .closed: "client closed"
        case .status(let status): "status \(status)"
        case .tryLater(let until): "asked to try again after \(until)"
        case .exhausted(let last, let attempts): "gave up after \(attempts) attempts: \(last.text)"
        }
    }
}
