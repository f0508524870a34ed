import CZlib

/// zlib's state for one gzip stream. Its address must not move, so it lives in memory of its own.
final class Inflater {
    enum Step {
        /// All output room is used, or all input is.
        case running
        /// A member ended; what follows in the input is the next one.
        case memberEnd
        case corrupt
    }

    private let stream: UnsafeMutablePointer<z_stream>

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 bits of window, and 16 more to say: gzip headers only.
        let done = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(done == Z_OK, "zlib could not start")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Takes from the front of `input` and fills the front of `output`; says how much of each.
    func step(
        _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer
    ) -> (step: Step, taken: Int, made: Int) {
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(clamping: output.count)
        let offered = (input: stream.pointee.avail_in, output: stream.pointee.avail_out)
        let code = inflate(stream, Z_NO_FLUSH)
        let taken = Int(offered.input - stream.pointee.avail_in)
        let made = Int(offered.output - stream.pointee.avail_out)
        switch code {
        case Z_STREAM_END:
            inflateReset(stream)
            return (.memberEnd, taken, made)
        // Z_BUF_ERROR only says that neither side could move.
        case Z_OK, Z_BUF_ERROR: return (.running, taken, made)
        default: return (.corrupt, taken, made)
        }
    }
}
