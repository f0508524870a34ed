import CZstd

/// Zstandard, for packs of evidence.
package enum Zstd {
    /// One frame that holds its own length and a checksum. Level 1 is what evidence packs use.
    package static func compress(_ bytes: [UInt8], level: Int = 1) -> [UInt8] {
        guard let context = ZSTD_createCCtx() else { fatalError("out of memory") }
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(clamping: level))
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        let bound = ZSTD_compressBound(bytes.count)
        return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            let written = ZSTD_compress2(context, output.baseAddress, bound, bytes, bytes.count)
            precondition(ZSTD_isError(written) == 0, "zstd could not compress")
            count = written
        }
    }

    /// Unpacks all frames of `bytes`, at most `limit` bytes. What would be longer is a fault before it costs memory.
    package static func decompress(
        _ bytes: [UInt8], limit: Int, name: String = "zstd data"
    ) throws(CompressionFault) -> [UInt8] {
        let unpacked = bytes.withUnsafeBytes { unpack($0, limit, name) }
        return try unpacked.get()
    }

    private static func unpack(
        _ bytes: UnsafeRawBufferPointer, _ limit: Int, _ name: String
    ) -> Result<[UInt8], CompressionFault> {
        guard let context = ZSTD_createDCtx() else { fatalError("out of memory") }
        defer { ZSTD_freeDCtx(context) }
        let tooLong = CompressionFault(.beyondLimit, name, "unpacks to more than \(limit) bytes")
        let declared = ZSTD_getFrameContentSize(bytes.baseAddress, bytes.count)
        // The two values above any length mean "not told" and "no frame"; the stream itself says which.
        let isTold = declared < UInt64.max - 1
        if isTold, declared > UInt64(max(limit, 0)) { return .failure(tooLong) }

        var result: [UInt8] = []
        result.reserveCapacity(isTold ? Int(declared) : 0)
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        let chunkSize = ZSTD_DStreamOutSize()
        return withUnsafeTemporaryAllocation(byteCount: chunkSize, alignment: 16) { chunk in
            var open = true
            while true {
                var output = ZSTD_outBuffer(dst: chunk.baseAddress, size: chunkSize, pos: 0)
                let before = input.pos
                let hint = ZSTD_decompressStream(context, &output, &input)
                if ZSTD_isError(hint) != 0 {
                    return .failure(CompressionFault(.corrupt, name, "is no valid zstd data"))
                }
                if result.count + output.pos > limit { return .failure(tooLong) }
                result += UnsafeMutableRawBufferPointer(rebasing: chunk[..<output.pos])
                open = hint != 0
                let isDone = input.pos == input.size && (hint == 0 || output.pos < chunkSize)
                if isDone || (output.pos == 0 && input.pos == before) { break }
            }
            if open { return .failure(CompressionFault(.truncated, name, "ends inside a zstd frame")) }
            return .success(result)
        }
    }
}
