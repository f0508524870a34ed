import JSON
import Payments
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    private func sample(_ layout: JSONWriter.Layout) throws -> String {
        var writer = JSONWriter(layout)
        try writer.object { writer in
            writer.member("z", "first")
            writer.member("amount", number: "1.10")
            try writer.member("exact", number: ExactDecimal("-0.000000000000000001"))
            writer.member("count", integer: 3)
            writer.member("none", nil as String?)
            writer.member("flag", bool: true)
            writer.member("tags", strings: ["a", "b"])
            writer.object("empty") { _ in }
            writer.array("list") { writer in
                writer.array { _ in }
                writer.object { writer in writer.member("x", bool: nil) }
                writer.raw(Array("{\"kept\": 1.50}".utf8))
            }
        }
        return writer.text
    }

    @Test("compact: members in the order they were given, numbers as they were written")
    func compact() throws {
        let expected =
            #"{"z":"first","amount":1.10,"exact":-0.000000000000000001,"count":3,"none":null,"flag":true,"#
            + #""tags":["a","b"],"empty":{},"list":[[],{"x":null},{"kept": 1.50}]}"#
        #expect(try sample(.compact) == expected)
        #expect(throws: Never.self) { try JSONDocument(expected) }
    }

    @Test("pretty: two blanks a level, empty containers on one line")
    func pretty() throws {
        let expected = """
            {
              "z": "first",
              "amount": 1.10,
              "exact": -0.000000000000000001,
              "count": 3,
              "none": null,
              "flag": true,
              "tags": [
                "a",
                "b"
              ],
              "empty": {},
              "list": [
                [],
                {
                  "x": null
                },
                {"kept": 1.50}
              ]
            }
            """
        #expect(try sample(.pretty) == expected)
    }

    @Test("only what must be escaped is, and line separators of JavaScript are safe")
    func escapes() throws {
        var writer = JSONWriter()
        let text = "\"\\/\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{7f}é\u{2028}\u{2029}\u{2027}\u{202a}😀"
        writer.string(text)
        let expected =
            #""\"\\/\b\t\n\f\r\u0000\u001f"# + "\u{7f}é" + #"\u2028\u2029"# + "\u{2027}\u{202a}😀\""
        #expect(writer.text == expected)
        #expect(try JSONDocument(writer.bytes, unreadable: .mark).root.kind == .string)
    }

    @Test("every text comes back as it was")
    func roundTrip() throws {
        for scalar in (1...0x2100).compactMap({ Unicode.Scalar($0) }) {
            var writer = JSONWriter()
            let text = "a\(Character(scalar))b"
            writer.array { $0.string(text) }
            #expect(try JSONDocument(writer.bytes).root.element(0)?.string == text)
        }
    }

    @Test(
        "text that is no number never makes the document invalid",
        arguments: ["NaN", "Infinity", "", "1,5", "01", "1 ", " 1", "1]", "\"", "null", "1e"])
    func noNumber(text: String) throws {
        var writer = JSONWriter()
        writer.array { $0.number(text) }
        #expect(try JSONDocument(writer.bytes).root.element(0)?.string == text)
    }

    @Test("pieces taken away join to the whole")
    func pieces() {
        var writer = JSONWriter(.pretty)
        var joined: [UInt8] = []
        writer.array { writer in
            for number in 0..<10 {
                writer.integer(number)
                joined += writer.take()
            }
        }
        joined += writer.take()
        var whole = JSONWriter(.pretty)
        whole.array { writer in for number in 0..<10 { writer.integer(number) } }
        #expect(joined == whole.bytes)
    }
}
