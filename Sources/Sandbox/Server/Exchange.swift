import CMicroHTTPD
import Glibc

/// One request from its first header to its answer. The callbacks run on libmicrohttpd's threads; they stand here, in a
/// file without an actor, and touch nothing but their own exchange and the shared service.
enum Exchange {
    /// What was received so far.
    private final class Progress {
        /// Path and query exactly as sent.
        let target: String
        var body: [UInt8] = []
        var hasBegun = false

        init(target: String) { self.target = target }
    }

    /// More than any control request needs.
    private static let bodyCap = 65_536

    static let handle: MHD_AccessHandlerCallback = { context, connection, path, method, _, upload, uploadSize, state in
        guard let context, let connection, let path, let method, let uploadSize, let state else {
            return MHD_Result.NO
        }
        // The first call only says that a request begins: an answer now would cost a new handshake per request.
        guard let opaque = state.pointee else { return MHD_Result.NO }
        let progress = Unmanaged<Progress>.fromOpaque(opaque).takeUnretainedValue()
        guard progress.hasBegun else {
            progress.hasBegun = true
            return MHD_Result.YES
        }
        if uploadSize.pointee > 0 {
            if let upload, progress.body.count + uploadSize.pointee <= bodyCap {
                progress.body += UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
            }
            uploadSize.pointee = 0
            return MHD_Result.YES
        }
        let service = Unmanaged<HTTPServer.Service>.fromOpaque(context).takeUnretainedValue()
        let request = APIRequest(
            method: String(cString: method), path: String(cString: path), query: query(connection),
            headers: headers(connection), body: progress.body, target: progress.target)
        return answer(request, connection, service)
    }

    /// Called with the request line, before anything in it is decoded; what it returns is the request's state.
    private static let logged:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
            _, target, _ in
            Unmanaged.passRetained(Progress(target: target.map { String(cString: $0) } ?? "")).toOpaque()
        }

    static var targetOption: MHD_OptionItem {
        MHD_OptionItem(
            option: MHD_OPTION.URI_LOG_CALLBACK, value: unsafeBitCast(logged, to: Int.self), ptr_value: nil)
    }

    private static let completed: MHD_RequestCompletedCallback = { _, _, state, _ in
        guard let state, let opaque = state.pointee else { return }
        Unmanaged<Progress>.fromOpaque(opaque).release()
        state.pointee = nil
    }

    static var completedOption: MHD_OptionItem {
        MHD_OptionItem(
            option: MHD_OPTION.NOTIFY_COMPLETED, value: unsafeBitCast(completed, to: Int.self), ptr_value: nil)
    }

    // MARK: reading

    private final class Pairs {
        var pairs: [(name: String, value: String)] = []
    }

    private static func values(_ connection: OpaquePointer, _ kind: MHD_ValueKind) -> [(name: String, value: String)] {
        let pairs = Pairs()
        MHD_get_connection_values(
            connection, kind,
            { context, _, name, value in
                guard let context, let name else { return MHD_Result.YES }
                let pairs = Unmanaged<Pairs>.fromOpaque(context).takeUnretainedValue()
                pairs.pairs.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
                return MHD_Result.YES
            }, Unmanaged.passUnretained(pairs).toOpaque())
        return pairs.pairs
    }

    private static func query(_ connection: OpaquePointer) -> [(name: String, value: String)] {
        values(connection, MHD_ValueKind.GET_ARGUMENT_KIND)
    }

    private static func headers(_ connection: OpaquePointer) -> [String: String] {
        var headers: [String: String] = [:]
        for (name, value) in values(connection, MHD_ValueKind.HEADER_KIND) { headers[name.lowercased()] = value }
        return headers
    }

    // MARK: answering

    private static func answer(
        _ request: APIRequest, _ connection: OpaquePointer, _ service: HTTPServer.Service
    ) -> MHD_Result {
        var answer = service.api.answer(request)
        switch answer.delivery {
        case .whole:
            // The connection has a thread of its own: its pause holds up no other.
            if service.pace > 0 { usleep(UInt32(service.pace) * 1_000) }
            if service.compresses {
                Coding.compress(&answer, accepted: request.headers["accept-encoding"] ?? "")
            }
            return send(answer, on: connection)
        case .hangUp: return MHD_Result.NO
        case .cut, .stall, .drip, .padded: return Trickle.send(answer, on: connection, service)
        }
    }

    private static func send(_ answer: APIResponse, on connection: OpaquePointer) -> MHD_Result {
        let response = answer.body.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), MHD_ResponseMemoryMode.RESPMEM_MUST_COPY)
        }
        return queue(response, answer, on: connection)
    }

    /// Gives the response to libmicrohttpd, under the answer's status and headers.
    static func queue(_ response: OpaquePointer?, _ answer: APIResponse, on connection: OpaquePointer) -> MHD_Result {
        guard let response else { return MHD_Result.NO }
        defer { MHD_destroy_response(response) }
        for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, UInt32(answer.status), response)
    }
}
