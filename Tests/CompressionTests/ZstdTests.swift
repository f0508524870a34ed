import Compression
import Testing

/// Text that compresses as API pages do.
func sampleBytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var number: UInt64 = 42
    while bytes.count < count {
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes += Array("{\"id\":\"\(number)\",\"amount\":\(number % 1000).10},".utf8)
    }
    return Array(bytes.prefix(count))
}

@Suite("Zstandard")
struct ZstdTests {
    @Test("what was packed unpacks to the same bytes", arguments: [0, 1, 100, 131_071, 131_072, 131_073, 1_048_576])
    func roundTrip(count: Int) throws {
        let bytes = sampleBytes(count)
        let packed = Zstd.compress(bytes)
        #expect(try Zstd.decompress(packed, limit: count) == bytes)
        #expect(packed == Zstd.compress(bytes))
        if count > 1000 { #expect(packed.count < count / 2) }
    }

    @Test("what would be longer than the limit is refused, told beforehand or not")
    func limit() throws {
        let bomb = Zstd.compress([UInt8](repeating: 0, count: 64 << 20))
        #expect(bomb.count < 100_000)
        let fault = #expect(throws: CompressionFault.self) { try Zstd.decompress(bomb, limit: 1 << 20) }
        #expect(fault?.kind == .beyondLimit)
        // Two frames of half the limit and a little: no single frame tells too much.
        let half = Zstd.compress(sampleBytes(600_000))
        let both = #expect(throws: CompressionFault.self) { try Zstd.decompress(half + half, limit: 1_000_000) }
        #expect(both?.kind == .beyondLimit)
        #expect(try Zstd.decompress(half + half, limit: 1_200_000) == sampleBytes(600_000) + sampleBytes(600_000))
    }

    @Test("a frame that is cut anywhere is a fault, not a shorter result")
    func truncated() throws {
        let packed = Zstd.compress(sampleBytes(1000))
        for end in 0..<packed.count {
            let fault = #expect(throws: CompressionFault.self) {
                try Zstd.decompress(Array(packed[..<end]), limit: 1000, name: "pack 7")
            }
            #expect(fault?.name == "pack 7")
        }
        let cut = #expect(throws: CompressionFault.self) { try Zstd.decompress(packed.dropLast(), limit: 1000) }
        #expect(cut?.kind == .truncated)
    }

    @Test("a changed byte is noticed")
    func corrupt() throws {
        var packed = Zstd.compress(sampleBytes(10_000))
        packed[packed.count / 2] ^= 1
        let fault = #expect(throws: CompressionFault.self) { try Zstd.decompress(packed, limit: 10_000) }
        #expect(fault?.kind == .corrupt)
        #expect(throws: CompressionFault.self) { try Zstd.decompress(Array("no zstd at all".utf8), limit: 100) }
    }
}
