import JSON
import Testing

/// A text that is no document, and the byte where it goes wrong.
struct BrokenText: Sendable, CustomTestStringConvertible {
    let text: String
    let offset: Int
    var testDescription: String { String(text.debugDescription.prefix(60)) }

    init(_ text: String, _ offset: Int) {
        self.text = text
        self.offset = offset
    }
}

@Suite("Hostile input")
struct HostileInputTests {
    static let broken: [BrokenText] = [
        BrokenText("", 0), BrokenText("   ", 0), BrokenText("\n\t\r ", 0), BrokenText("{", 1), BrokenText("[", 1),
        BrokenText("[1", 2), BrokenText("[1,", 3),
        BrokenText("{\"a\"", 4), BrokenText("{\"a\":", 5), BrokenText("{\"a\":1", 6), BrokenText("{\"a\":1,", 7),
        BrokenText("[[1,2]", 6),
        BrokenText("]", 0), BrokenText("}", 0), BrokenText(",", 0), BrokenText(":", 0), BrokenText("[1}", 2),
        BrokenText("{\"a\":1]", 6), BrokenText("[1,]", 3),
        BrokenText("[,1]", 1), BrokenText("[1,,2]", 3), BrokenText("{\"a\":1,}", 7), BrokenText("{,}", 1),
        BrokenText("{1:2}", 1), BrokenText("{\"a\",1}", 4),
        BrokenText("{\"a\" 1}", 5), BrokenText("{a:1}", 1), BrokenText("{'a':1}", 1), BrokenText("[1 2]", 3),
        BrokenText("[\"a\" \"b\"]", 5),
        BrokenText("{\"a\":1 \"b\":2}", 7), BrokenText("{} {}", 3), BrokenText("1 2", 2), BrokenText("{}x", 2),
        BrokenText("[]]", 2), BrokenText("null,", 4),
        BrokenText("\"a\"b", 3), BrokenText("\"a\"\"b\"", 3), BrokenText("nul", 0), BrokenText("nulll", 0),
        BrokenText("True", 0), BrokenText("truefalse", 0),
        BrokenText("[true false]", 6), BrokenText("NaN", 0), BrokenText("Infinity", 0), BrokenText("-", 0),
        BrokenText("-a", 0), BrokenText("01", 0),
        BrokenText("-01", 0), BrokenText("1.", 0), BrokenText(".5", 0), BrokenText("1.e3", 0), BrokenText("1e", 0),
        BrokenText("1e+", 0), BrokenText("+1", 0),
        BrokenText("0x10", 0), BrokenText("1abc", 0), BrokenText("1\"a\"", 0), BrokenText("[1.2.3]", 1),
        BrokenText("\"", 0), BrokenText("[\"abc", 1),
        BrokenText("\"\\\"", 0), BrokenText("{\"a\":\"b}", 5), BrokenText("\"\\x\"", 1), BrokenText("\"ab\\u12\"", 3),
        BrokenText("\"\\u12G4\"", 1),
        BrokenText("\"\\uD83D\\u12\"", 7), BrokenText("\"a\u{1}b\"", 2), BrokenText("\"a\nb\"", 2),
        BrokenText("{\"a\n\":1}", 3),
        BrokenText("\"a\0b\"", 2), BrokenText("[1]\0", 3), BrokenText("\0", 0), BrokenText("[\0]", 1),
        BrokenText("/* c */ 1", 0), BrokenText("[1] // c", 4),
        BrokenText("\u{FEFF}1", 0), BrokenText("\u{A0}1", 0), BrokenText("{\"a\":1}{", 7), BrokenText("{\"\\q\":1}", 2),
        BrokenText("{\"a\"::1}", 5),
    ]

    @Test("what is no JSON is refused with the byte where it goes wrong", arguments: broken)
    func refused(broken: BrokenText) throws {
        let fault = #expect(throws: JSONFault.self) { try JSONDocument(broken.text) }
        #expect(fault?.offset == broken.offset)
    }

    @Test("a fault names the place and nothing of the data")
    func noData() throws {
        let fault = #expect(throws: JSONFault.self) { try JSONDocument(#"{"email":"jeanne@example.com" "x":1}"#) }
        #expect(fault?.description == "expected a comma or the end of an object or array at byte 30")
    }

    @Test(
        "bytes that are no UTF-8 are refused where they stand",
        arguments: [
            [0x80], [0xFF], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) throws {
        let front = Array("{\"n\":\"é€😀".utf8)
        let fault = #expect(throws: JSONFault.self) { try JSONDocument(front + bytes + Array("\"}".utf8)) }
        #expect(fault == JSONFault("invalid UTF-8", at: front.count))
    }

    @Test("nesting is accepted to the limit and refused beyond, without recursion")
    func nesting() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        #expect(try JSONDocument(nested(64, "[", "]")).root.isArray)
        let fault = #expect(throws: JSONFault.self) { try JSONDocument(nested(65, "[", "]")) }
        #expect(fault == JSONFault("nested too deeply", at: 64))
        #expect(throws: JSONFault.self) { try JSONDocument(nested(1_000_000, "[", "]")) }
        #expect(throws: JSONFault.self) { try JSONDocument(String(repeating: "[", count: 1_000_000)) }
        #expect(throws: JSONFault.self) { try JSONDocument(String(repeating: "{\"a\":", count: 1_000_000)) }
        #expect(try JSONDocument(nested(2000, "{\"a\":", "}"), maximumDepth: 2000).root.isObject)
        #expect(throws: JSONFault.self) { try JSONDocument("[]", maximumDepth: 0) }
    }

    @Test("a document beyond the size limit is refused unread")
    func size() throws {
        #expect(try JSONDocument("[1]", maximumSize: 3).root.count == 1)
        #expect(throws: JSONFault("larger than 2 bytes", at: 2)) { try JSONDocument("[1]", maximumSize: 2) }
    }

    static let unusable = [
        #""\u0000""#, #""a\u0000b""#, #""\ud800""#, #""\udc00""#, #""\ud800\ud800\udc00""#, #""\ud83dx""#,
        #""\uDC00\uD800""#, String(repeating: "9", count: 1025), "0." + String(repeating: "1", count: 5000),
    ]

    @Test("NUL, lone surrogates and endless numbers are refused", arguments: unusable)
    func refusedByDefault(text: String) throws {
        let fault = #expect(throws: JSONFault.self) { try JSONDocument("{\"a\":\(text)}") }
        #expect(fault == JSONFault("a text or number that cannot be used", at: 5))
    }

    @Test("where asked for, they are marked and cost only the row they stand in", arguments: unusable)
    func marked(text: String) throws {
        let page = try JSONDocument(#"{"rows":[{"id":"a","x":\#(text)},{"id":"b","x":"ok"}]}"#, unreadable: .mark)
        let rows = Array(page.root["rows"]?.elements ?? page.root.elements)
        #expect(rows.map(\.isReadable) == [false, true])
        #expect(rows.map { $0["id"]?.string } == ["a", "b"])
        #expect(rows.map { $0["x"]?.scalarText } == [nil, "ok"])
        #expect(!page.root.isReadable)
    }

    @Test("an unusable key is marked too")
    func markedKey() throws {
        #expect(throws: JSONFault.self) { try JSONDocument(#"{"\ud800":1}"#) }
        let page = try JSONDocument(#"[{"\ud800":1},{"\ud83d\ude00":1}]"#, unreadable: .mark)
        #expect(page.root.elements.map(\.isReadable) == [false, true])
    }

    @Test("every prefix of a document, and every document with one byte changed, ends in a value or a fault")
    func mangled() throws {
        let text = #"{"a":[1,-2.5e+3,"é\u00e9\n😀",true,false,null,{"b":{}}],"c":{"d":[[]],"e":"x"},"f":""}"#
        let bytes = Array(text.utf8)
        #expect(throws: Never.self) { try JSONDocument(bytes) }
        for end in 0..<bytes.count {
            #expect(throws: JSONFault.self) { try JSONDocument(Array(bytes[..<end])) }
        }
        var accepted = 0
        for position in bytes.indices {
            for byte in [0, 9, 32, 34, 44, 45, 46, 48, 58, 91, 92, 93, 97, 101, 123, 125, 128, 255] as [UInt8] {
                var changed = bytes
                changed[position] = byte
                guard let document = try? JSONDocument(changed) else { continue }
                accepted += 1
                document.root.forEachLeaf { _, leaf in _ = leaf.scalarText }
            }
        }
        #expect(accepted > 0)
    }
}
