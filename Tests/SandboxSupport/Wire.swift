import Foundation
package import HTTP
import Payments
package import Sandbox
import Synchronization

/// A simulated API behind our own fetcher, without a socket, in virtual time: pauses cost nothing, and when each request
/// went out is written down.
package final class Wire: Sendable {
    package let api: SimulatedAPI
    package let time: VirtualTime
    private let prepare: Fetcher.Preparer

    /// One request that went out.
    package struct Call: Sendable {
        /// Virtual milliseconds.
        package let at: Int
        package let path: String
        package let status: Int
    }
    private let log = Mutex<[Call]>([])
    private let onCall = Mutex<(@Sendable (Int) -> Void)?>(nil)

    /// `prepare` signs each attempt, as the job's fetcher does.
    package init(
        _ api: SimulatedAPI, _ time: VirtualTime,
        prepare: @escaping Fetcher.Preparer = { request throws(HTTPError) in request }
    ) {
        self.api = api
        self.time = time
        self.prepare = prepare
    }

    package var calls: [Call] { log.withLock { $0 } }

    /// Told the number of each request after it was answered.
    package func watch(_ told: @escaping @Sendable (Int) -> Void) { onCall.withLock { $0 = told } }

    /// A fetcher of one run: its own budget and metrics.
    package func fetcher() -> Fetcher {
        let clock = time.clock
        return Fetcher(
            budget: RateBudget([.paced(permits: 100_000, per: .seconds(60), burst: 1000)], clock: clock), clock: clock,
            prepare: prepare, send: { request async throws(HTTPError) in try self.send(request) })
    }

    private func send(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        guard let url = URLComponents(string: request.url) else { throw HTTPError(.invalid("URL"), request) }
        let target = url.percentEncodedPath + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
        let headers = request.headers + request.secretHeaders.map { ($0.name, $0.value.reveal()) }
        let host = [("Host", (url.host ?? "") + (url.port.map { ":\($0)" } ?? ""))]
        let answer = api.answer(
            APIRequest(method: request.method, target: target, headers: host + headers, body: request.body ?? []))
        let number = log.withLock {
            $0.append(Call(at: time.now, path: url.path, status: answer.status))
            return $0.count
        }
        onCall.withLock { $0 }?(number)
        switch answer.delivery {
        case .whole, .drip: break
        case .cut, .hangUp: throw HTTPError(.cut, request)
        case .stall:
            time.pass(30_000)
            throw HTTPError(.stalled, request)
        case .padded: throw HTTPError(.tooLarge, request)
        }
        return HTTPResponse(
            status: answer.status, headers: HTTPHeaders(answer.headers), body: HTTPBody(answer.body))
    }
}
