/// Unpacks a gzip file of any size piece by piece, in constant memory, however much it unpacks to. Several members one
/// behind the other, as log rotation and parallel compressors write them, are one stream. Not `Sendable`.
package final class GzipReader {
    private let input: FileInput
    private let inflater = Inflater()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 16)
    private var unread: Range<Int>
    private var isInsideMember = false
    private var hasStarted = false

    package convenience init(path: String) throws(CompressionFault) {
        self.init(try FileInput(path: path))
    }

    /// `front` has been read from the input already.
    init(_ input: FileInput, front: [UInt8] = []) {
        self.input = input
        buffer.copyBytes(from: front)
        unread = 0..<front.count
    }

    deinit { buffer.deallocate() }

    /// Fills the front of `output`; returns how many bytes, 0 at the end. A file that ends inside a member is a fault
    /// that names it, not an end.
    package func read(into output: UnsafeMutableRawBufferPointer) throws(CompressionFault) -> Int {
        if output.isEmpty { return 0 }
        while true {
            if unread.isEmpty, try !refill() {
                if isInsideMember || !hasStarted {
                    throw CompressionFault(.truncated, input.name, "ends inside a gzip stream")
                }
                return 0
            }
            let (step, taken, made) = inflater.step(.init(rebasing: buffer[unread]), output)
            unread = unread.lowerBound + taken..<unread.upperBound
            hasStarted = true
            switch step {
            case .running: isInsideMember = true
            case .memberEnd: isInsideMember = false
            case .corrupt:
                throw CompressionFault(.corrupt, input.name, "is no valid gzip data, or its checksum disagrees")
            }
            if made > 0 { return made }
        }
    }

    private func refill() throws(CompressionFault) -> Bool {
        unread = 0..<(try input.read(into: buffer))
        return !unread.isEmpty
    }
}
