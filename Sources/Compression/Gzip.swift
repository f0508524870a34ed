import CZlib

/// Gzip of whole byte strings. `GzipReader` reads files.
package enum Gzip {
    /// One member without name and time: the same bytes for the same input.
    package static func compress(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
        withUnsafeTemporaryAllocation(of: z_stream.self, capacity: 1) { memory in
            guard let stream = memory.baseAddress else { fatalError("out of memory") }
            stream.initialize(to: z_stream())
            let started = deflateInit2_(
                stream, Int32(level), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size))
            precondition(started == Z_OK, "zlib could not start")
            defer { deflateEnd(stream) }
            let bound = Int(deflateBound(stream, UInt(bytes.count)))
            return bytes.withUnsafeBufferPointer { input in
                [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                    while true {
                        // zlib counts in 32 bits.
                        let taken = Int(stream.pointee.total_in)
                        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + taken })
                        stream.pointee.avail_in = UInt32(clamping: input.count - taken)
                        stream.pointee.next_out = output.baseAddress.map { $0 + Int(stream.pointee.total_out) }
                        stream.pointee.avail_out = UInt32(clamping: bound - Int(stream.pointee.total_out))
                        let isLast = input.count - taken <= Int(UInt32.max)
                        let code = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                        precondition(code == Z_OK || code == Z_STREAM_END, "zlib could not compress")
                        if code == Z_STREAM_END { break }
                    }
                    count = Int(stream.pointee.total_out)
                }
            }
        }
    }

    /// Unpacks all members of `bytes`, at most `limit` bytes.
    package static func decompress(
        _ bytes: [UInt8], limit: Int, name: String = "gzip data"
    ) throws(CompressionFault) -> [UInt8] {
        let reader = GzipReader(FileInput(bytes: bytes, name: name))
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { chunk.deallocate() }
        var result: [UInt8] = []
        while true {
            let count = try reader.read(into: chunk)
            if count == 0 { return result }
            if result.count + count > limit {
                throw CompressionFault(.beyondLimit, name, "unpacks to more than \(limit) bytes")
            }
            result += UnsafeMutableRawBufferPointer(rebasing: chunk[..<count])
        }
    }
}
