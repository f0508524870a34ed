import CZlib

/// Undoes gzip as it arrives, straight into the body's memory. libcurl could do it too, but it takes a compressed
/// stream that ends early for a whole one as long as the length is as announced (7.88): half a page as a page.
final class GzipInflater {
    enum Progress { case more, damaged, beyondCap }

    // zlib remembers the address of its state.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    /// Whether the last member is complete, its checksum and length included.
    private(set) var isComplete = false

    init?() {
        stream.initialize(to: z_stream())
        // 15 window bits; 16 more for a gzip header and trailer.
        let result = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Appends what `data` unpacks to; `cap` bounds the whole body.
    func inflate(_ data: UnsafeRawBufferPointer, into body: BodyBuffer, cap: Int) -> Progress {
        guard let start = data.baseAddress else { return .more }
        // zlib only reads there; its interface is older than const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(data.count)
        while true {
            if isComplete {  // another member may follow
                guard stream.pointee.avail_in > 0 else { return .more }
                guard inflateReset(stream) == Z_OK else { return .damaged }
                isComplete = false
            }
            // One byte over the cap tells "exactly the cap" from "more".
            let room = min(64 << 10, cap + 1 - body.count)
            guard room > 0 else { return .beyondCap }
            var result = Z_OK
            let written = body.append(upTo: room) { memory in
                stream.pointee.next_out = memory.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_out = UInt32(room)
                result = CZlib.inflate(stream, Z_NO_FLUSH)
                return room - Int(stream.pointee.avail_out)
            }
            guard body.count <= cap else { return .beyondCap }
            switch result {
            case Z_STREAM_END: isComplete = true
            case Z_OK where written == room || stream.pointee.avail_in > 0: continue
            case Z_OK, Z_BUF_ERROR: return .more
            default: return .damaged
            }
        }
    }
}
