import CMicroHTTPD
import Glibc

/// An answer that does not arrive as it should: torn, stalled, dripping or far too long. The callbacks run on
/// libmicrohttpd's threads, one per connection, so that a pause in one holds up no other.
final class Trickle {
    private let body: [UInt8]
    private let delivery: APIResponse.Delivery
    private let service: HTTPServer.Service

    /// libmicrohttpd's word for "close the connection".
    private static let broken = -2
    /// Milliseconds between two looks at whether the server is to end.
    private static let glance = 50

    private init(_ answer: APIResponse, _ service: HTTPServer.Service) {
        body = answer.body
        delivery = answer.delivery
        self.service = service
    }

    /// Bytes that the headers announce.
    private var announced: Int {
        if case .padded(let bytes) = delivery { body.count + bytes } else { body.count }
    }

    static func send(
        _ answer: APIResponse, on connection: OpaquePointer, _ service: HTTPServer.Service
    ) -> MHD_Result {
        let trickle = Trickle(answer, service)
        let held = Unmanaged.passRetained(trickle)
        let response = MHD_create_response_from_callback(
            UInt64(trickle.announced), 16_384,
            { context, position, buffer, room in
                guard let context, let buffer else { return Trickle.broken }
                return Unmanaged<Trickle>.fromOpaque(context).takeUnretainedValue().fill(buffer, room, Int(position))
            }, held.toOpaque(),
            { context in
                if let context { Unmanaged<Trickle>.fromOpaque(context).release() }
            })
        if response == nil { held.release() }
        return Exchange.queue(response, answer, on: connection)
    }

    private func fill(_ buffer: UnsafeMutablePointer<CChar>, _ room: Int, _ position: Int) -> Int {
        switch delivery {
        case .drip(let bytes, let milliseconds):
            guard pause(milliseconds) else { return Self.broken }
            return copy(to: buffer, position..<min(position + min(room, bytes), body.count))
        case .stall(let milliseconds):
            if position < body.count / 2 {
                return copy(to: buffer, position..<min(position + room, body.count / 2))
            }
            guard position > body.count / 2 || pause(milliseconds) else { return Self.broken }
            return copy(to: buffer, position..<min(position + room, body.count))
        case .padded:
            if position < body.count { return copy(to: buffer, position..<min(position + room, body.count)) }
            memset(buffer, 32, room)
            return room
        case .cut, .whole, .hangUp:
            guard position < body.count / 2 else { return Self.broken }
            return copy(to: buffer, position..<min(position + room, body.count / 2))
        }
    }

    private func copy(to buffer: UnsafeMutablePointer<CChar>, _ range: Range<Int>) -> Int {
        body[range].withUnsafeBytes { part in
            if let base = part.baseAddress { memcpy(buffer, base, part.count) }
        }
        return range.count
    }

    /// False where the server ends meanwhile.
    private func pause(_ milliseconds: Int) -> Bool {
        var left = milliseconds
        while left > 0 {
            if service.isEnding { return false }
            let step = min(left, Self.glance)
            usleep(UInt32(step) * 1000)
            left -= step
        }
        return true
    }
}
