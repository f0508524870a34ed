import Compression
import Foundation
import Testing

@Suite("Lines")
struct LineReaderTests {
    private func lines(_ reader: LineReader) throws -> [Line] {
        var result: [Line] = []
        while let line = try reader.next() { result.append(line) }
        return result
    }

    private func texts(_ text: String, cap: Int = 1000) throws -> [String] {
        try lines(LineReader(ByteReader(bytes: Array(text.utf8), name: "text"), cap: cap)).map { line in
            switch line {
            case .text(let number, let bytes): "\(number):\(String(decoding: bytes, as: UTF8.self))"
            case .tooLong(let number, let length, _): "\(number):too long (\(length))"
            }
        }
    }

    @Test(
        "LF, CRLF, empty lines, and a last line without an end",
        arguments: [
            ("", []), ("a", ["1:a"]), ("a\n", ["1:a"]), ("a\nb", ["1:a", "2:b"]), ("a\r\nb\r\n", ["1:a", "2:b"]),
            ("\n", ["1:"]), ("\n\n", ["1:", "2:"]), ("a\n\nb\n", ["1:a", "2:", "3:b"]), ("\r\n", ["1:"]),
            ("a\rb\n", ["1:a\rb"]), ("a\r\r\n", ["1:a\r"]), ("a\r", ["1:a"]), ("\u{FEFF}a\nb", ["1:a", "2:b"]),
            ("a\n\u{FEFF}b", ["1:a", "2:\u{FEFF}b"]), (" a \n", ["1: a "]),
        ] as [(String, [String])])
    func ends(text: String, expected: [String]) throws { #expect(try texts(text) == expected) }

    @Test("a line over the cap is reported with its number, and the next one is read")
    func cap() throws {
        #expect(try texts("12345\n123456\n1\n", cap: 5) == ["1:12345", "2:too long (6)", "3:1"])
        #expect(try texts("12345\r\n123456\r\n", cap: 5).first == "1:12345")
        #expect(try texts("123456", cap: 5) == ["1:too long (6)"])
        #expect(try texts("\n123456\n", cap: 0) == ["1:", "2:too long (6)"])
        let long = String(repeating: "x", count: 3_000_000)
        #expect(try texts("a\n\(long)\nb\n") == ["1:a", "2:too long (3000000)", "3:b"])
        let reader = try LineReader(ByteReader(bytes: Array("\(long)\n".utf8), name: "text"), cap: 10)
        #expect(try reader.next() == .tooLong(number: 1, length: 3_000_000, head: Array("xxxxxxxxxx".utf8)))
    }

    @Test("lines are whole wherever the reader's buffer ends")
    func buffers() throws {
        let expected = (0..<20_000).map { String(repeating: "é", count: $0 % 97) }
        let text = expected.joined(separator: "\n") + "\n"
        let numbered = expected.enumerated().map { "\($0 + 1):\($1)" }
        #expect(try texts(text) == numbered)
    }

    @Test("plain and gzip files are told apart by their first bytes, not by their names")
    func files() throws {
        let bytes = Array("first\nsecond\r\nthird".utf8)
        let expected = ["first", "second", "third"].enumerated().map {
            Line.text(number: $0 + 1, bytes: Array($1.utf8))
        }
        let plain = try TemporaryFile(bytes)
        let packed = try TemporaryFile(Gzip.compress(Array(bytes.prefix(9))) + Gzip.compress(Array(bytes.dropFirst(9))))
        #expect(try lines(LineReader(path: plain.path)) == expected)
        #expect(try lines(LineReader(path: packed.path)) == expected)
        #expect(try LineReader(path: packed.path).name == packed.path)
    }

    @Test("a gzip file that is cut gives its whole lines and then a fault, never a silent end")
    func truncated() throws {
        let packed = Gzip.compress(sampleBytes(200_000).map { $0 == UInt8(ascii: ",") ? 10 : $0 })
        let file = try TemporaryFile(packed.dropLast(1000))
        let reader = try LineReader(path: file.path)
        var count = 0
        let fault = #expect(throws: CompressionFault.self) { while try reader.next() != nil { count += 1 } }
        #expect(fault?.kind == .truncated)
        #expect(count > 100)
    }

    @Test("a pipe that hands out single bytes is read like a file, plain or packed")
    func pipes() throws {
        let text = Array("first\nsecond\n".utf8)
        for bytes in [text, Gzip.compress(text)] {
            let pipe = Pipe()
            let writer = Thread {
                for byte in bytes { pipe.fileHandleForWriting.write(Data([byte])) }
                try? pipe.fileHandleForWriting.close()
            }
            writer.start()
            let descriptor = pipe.fileHandleForReading.fileDescriptor
            let reader = try LineReader(ByteReader(descriptor: descriptor, name: "standard input"))
            #expect(
                try lines(reader) == [
                    .text(number: 1, bytes: Array("first".utf8)), .text(number: 2, bytes: Array("second".utf8)),
                ])
        }
    }

    @Test("a folder is no file: the fault names it")
    func folder() {
        let fault = #expect(throws: CompressionFault.self) { try LineReader(path: "/tmp") }
        #expect(fault?.description == "/tmp: cannot be read: Is a directory")
    }
}
