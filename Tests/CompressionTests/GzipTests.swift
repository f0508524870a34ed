import Compression
import Foundation
import Testing

/// A file that is gone when the test is.
final class TemporaryFile {
    let path: String

    init(_ bytes: [UInt8]) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "tieout-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite("Gzip")
struct GzipTests {
    private func readAll(_ path: String, chunk size: Int = 4096) throws -> [UInt8] {
        let reader = try GzipReader(path: path)
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { chunk.deallocate() }
        var result: [UInt8] = []
        while true {
            let count = try reader.read(into: chunk)
            if count == 0 { return result }
            result += chunk[..<count]
        }
    }

    @Test("what was packed unpacks to the same bytes", arguments: [0, 1, 1000, 65_536, 1_000_001])
    func roundTrip(count: Int) throws {
        let bytes = sampleBytes(count)
        let packed = Gzip.compress(bytes)
        let file = try TemporaryFile(packed)
        #expect(try readAll(file.path) == bytes)
        #expect(try readAll(file.path, chunk: 7) == bytes)
        #expect(try Gzip.decompress(packed, limit: count) == bytes)
    }

    @Test("the same input gives the same bytes: no time, no name")
    func deterministic() {
        let packed = Gzip.compress(sampleBytes(1000))
        #expect(packed == Gzip.compress(sampleBytes(1000)))
        // Magic, deflate, no flags, time 0.
        #expect(packed.prefix(8) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
    }

    @Test("members one behind the other are one stream, an empty one among them")
    func members() throws {
        let (a, b) = (sampleBytes(300_000), Array("second".utf8))
        let file = try TemporaryFile(Gzip.compress(a) + Gzip.compress([]) + Gzip.compress(b))
        #expect(try readAll(file.path) == a + b)
    }

    @Test("a file that is cut anywhere is a fault that names it")
    func truncated() throws {
        let packed = Gzip.compress(Array("one line\nanother line\n".utf8))
        for end in 0..<packed.count {
            let file = try TemporaryFile(Array(packed[..<end]))
            let fault = #expect(throws: CompressionFault.self) { try readAll(file.path) }
            #expect(fault?.kind == .truncated)
            #expect(fault?.description == "\(file.path): ends inside a gzip stream")
        }
        let second = try TemporaryFile(packed + packed.dropLast(3))
        #expect(throws: CompressionFault.self) { try readAll(second.path) }
    }

    @Test("a changed byte and a foreign tail are noticed")
    func corrupt() throws {
        var packed = Gzip.compress(sampleBytes(10_000))
        packed[packed.count - 6] ^= 1
        let changed = try TemporaryFile(packed)
        let fault = #expect(throws: CompressionFault.self) { try readAll(changed.path) }
        #expect(fault?.kind == .corrupt)
        let tail = try TemporaryFile(Gzip.compress([65]) + Array("tail".utf8))
        #expect(throws: CompressionFault.self) { try readAll(tail.path) }
    }

    @Test("a bomb streams through a small buffer, and whole-string unpacking stops at its limit")
    func bomb() throws {
        let packed = Gzip.compress([UInt8](repeating: 0, count: 64 << 20), level: 9)
        #expect(packed.count < 100_000)
        let fault = #expect(throws: CompressionFault.self) { try Gzip.decompress(packed, limit: 1 << 20) }
        #expect(fault?.kind == .beyondLimit)
        let file = try TemporaryFile(packed)
        let reader = try GzipReader(path: file.path)
        var total = 0
        try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { chunk in
            while case let count = try reader.read(into: chunk), count > 0 { total += count }
        }
        #expect(total == 64 << 20)
    }

    @Test("a file that is not there is a fault with its path and the system's reason")
    func missing() {
        let fault = #expect(throws: CompressionFault.self) { try GzipReader(path: "/nowhere/at-all.gz") }
        #expect(fault?.kind == .system(2))
        #expect(fault?.description == "/nowhere/at-all.gz: cannot be opened: No such file or directory")
    }
}
