import Glibc
import Payments
import Synchronization

/// Sends requests over libcurl's multi interface, all on one thread of its own. Connections are kept and reused;
/// HTTP/2 is spoken where offered; redirects are not followed, since a secret header must not travel to another host.
package final class HTTPClient: Sendable {
    private let configuration: HTTPConfiguration
    private let engine: Engine
    private let pool: BufferPool
    private let lastID = Atomic(0)
    private let thread: Mutex<pthread_t?>

    /// Throws `.closed` where the machine gives no thread or libcurl does not start.
    package init(_ configuration: HTTPConfiguration) throws(HTTPError) {
        let pool = BufferPool(limit: configuration.pooledBytes)
        guard let engine = Engine(configuration, pool: pool) else { throw HTTPError(.closed) }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(engine)
        guard pthread_create(&thread, nil, runEngine, context.toOpaque()) == 0 else {
            context.release()
            throw HTTPError(.closed)
        }
        self.configuration = configuration
        self.engine = engine
        self.pool = pool
        self.thread = Mutex(thread)
    }

    deinit { close() }

    /// Sends `request` once. Any status is a response; what brought no complete one throws. A cancelled task gets
    /// `.cancelled` at once, and its connection is dropped.
    package func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        let endpoint = try check(request)
        if Task.isCancelled { throw HTTPError(.cancelled, request) }
        let id = lastID.add(1, ordering: .relaxed).newValue
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let transfer = Transfer(
                    id: id, request: request, authority: endpoint.authority, configuration: configuration,
                    continuation: continuation)
                guard engine.submit(.start(transfer)) else { return transfer.fail(.closed, pool: pool) }
                // A cancellation before this line came before there was anything to cancel.
                if Task.isCancelled { _ = engine.submit(.cancel(id: id)) }
            }
        } onCancel: {
            _ = engine.submit(.cancel(id: id))
        }
        return try answer.get()
    }

    /// Fails everything that still runs or waits with `.closed` and ends the thread. Later calls do nothing.
    package func close() {
        let last = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let last else { return }
        _ = engine.submit(.stop)
        pthread_join(last, nil)
    }

    private func check(_ request: HTTPRequest) throws(HTTPError) -> Endpoint {
        guard let endpoint = Endpoint(parsing: request.url) else { throw HTTPError(.invalid("URL"), request) }
        guard endpoint.scheme == "https" || (endpoint.scheme == "http" && configuration.allowPlainHTTP) else {
            throw HTTPError(.invalid("only https is allowed"), request)
        }
        guard Self.isToken(request.method) else { throw HTTPError(.invalid("method")) }
        // A line break in a value would smuggle in a header of its own.
        let names = request.headers.map(\.name) + request.secretHeaders.map(\.name)
        let values = request.headers.map(\.value) + request.secretHeaders.map { $0.value.reveal() }
        guard names.allSatisfy(Self.isToken), values.allSatisfy(Self.isFieldValue) else {
            throw HTTPError(.invalid("header"), request)
        }
        return endpoint
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }
}
