import CPostgres

/// A bounded buffer in front of `PQputCopyData`.
struct CopySink: ~Copyable {
    private static let capacity = 256 * 1024

    private let connection: Connection
    private let buffer: UnsafeMutableRawBufferPointer
    private var used = 0

    init(_ connection: Connection) {
        self.connection = connection
        buffer = .allocate(byteCount: Self.capacity, alignment: 16)
    }

    deinit { buffer.deallocate() }

    mutating func write(integer: some FixedWidthInteger) throws(PostgresError) {
        let size = integer.bitWidth / 8
        if used + size > Self.capacity { try flush() }
        buffer.storeBytes(of: integer.bigEndian, toByteOffset: used, as: type(of: integer))
        used += size
    }

    mutating func write(length: Int) throws(PostgresError) {
        guard let word = Int32(exactly: length) else { throw .usage("a value of \(length) bytes cannot be stored") }
        try write(integer: word)
    }

    /// What does not fit beside the rest goes out directly, without a copy here.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        if used + bytes.count > Self.capacity { try flush() }
        if bytes.count > Self.capacity { return try send(bytes) }
        buffer.baseAddress?.advanced(by: used).copyMemory(from: base, byteCount: bytes.count)
        used += bytes.count
    }

    mutating func write(_ bytes: ArraySlice<UInt8>) throws(PostgresError) {
        var fault: PostgresError?
        bytes.withUnsafeBytes { raw in
            do throws(PostgresError) { try write(raw) } catch { fault = error }
        }
        if let fault { throw fault }
    }

    mutating func flush() throws(PostgresError) {
        try send(UnsafeRawBufferPointer(rebasing: buffer[..<used]))
        used = 0
    }

    /// libpq counts in 32 bits.
    private func send(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
        var start = 0
        while start < bytes.count {
            let length = min(bytes.count - start, 1 << 30)
            let pointer = bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
            guard PQputCopyData(connection.handle.pointer, pointer, Int32(length)) == 1 else { throw connection.lost() }
            start += length
        }
    }
}

/// Bytes for a `COPY … FROM STDIN` in a text format, as they lie in a file.
package struct CopyBytes: ~Copyable {
    private var sink: CopySink

    init(_ connection: Connection) { sink = CopySink(connection) }

    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) { try sink.write(bytes) }
    package mutating func write(_ bytes: ArraySlice<UInt8>) throws(PostgresError) { try sink.write(bytes) }
    package mutating func write(_ bytes: [UInt8]) throws(PostgresError) { try sink.write(bytes[...]) }

    mutating func finish() throws(PostgresError) { try sink.flush() }
}
