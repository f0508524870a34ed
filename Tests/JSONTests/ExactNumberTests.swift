import JSON
import Payments
import Testing

@Suite("Numbers keep their digits")
struct ExactNumberTests {
    @Test(
        "case 38: a number comes out as its source text, never through a binary fraction",
        arguments: [
            "1.10", "324.71", "181.51", "506.22", "0.00153412", "100.00", "55.5", "-0", "-0.0", "0", "1E-8", "1e+3",
            "123456789012345678", "0.123456789012345678", "9007199254740993", "18446744073709551616",
            "123456789012345678901234567890.123456789012345678",
            "0.000000000000000000000000000000000000000000000001", "1e200", "1.5E+3",
        ])
    func sourceText(text: String) throws {
        for padded in [text, "  \(text)\n", "[\(text)]", "[ \(text) , 1]", "{\"a\":\(text)}", "{\"a\" : \(text) }"] {
            let root = try JSONDocument(padded).root
            let value = root.element(0) ?? root["a"] ?? root
            #expect(value.numberText == text)
            #expect(value.scalarText == text)
            #expect(value.kind == .number)
            #expect(value.string == nil)
        }
    }

    @Test("case 38: amounts as number and as text give the same exact decimal, and credits equal the debit")
    func exactDecimals() throws {
        let document = try JSONDocument(#"{"n": 2557.68, "t": "2557.68", "none": null, "blank": "", "bad": "12,5"}"#)
        let root = document.root
        #expect(try root["n"]?.decimal() == ExactDecimal("2557.68"))
        #expect(try root["t"]?.decimal() == ExactDecimal("2557.68"))
        #expect(try root["n"]?.decimal()?.shiftedDown(by: -2).description == "255768")
        #expect(try root["none"]?.decimal() == nil)
        #expect(try root["blank"]?.decimal() == nil)
        #expect(throws: ExactDecimal.Fault.notANumber) { try root["bad"]?.decimal() }
    }

    @Test("a number of 48 digits stays whole beside its neighbours")
    func longNumber() throws {
        let digits = "123456789012345678901234567890123456789012345678"
        let root = try JSONDocument(#"{"before":1.10,"long":\#(digits),"after":[1.20]}"#).root
        #expect(root["before"]?.numberText == "1.10")
        #expect(root["long"]?.numberText == digits)
        #expect(root[path: "after[0]"]?.numberText == "1.20")
    }

    @Test("whole numbers that fit are integers, others are not rounded into one")
    func integers() throws {
        let root = try JSONDocument("[7, -7, 9223372036854775807, 9223372036854775808, 1.0, 1e3, \"7\", null]").root
        #expect(root.elements.map(\.integer) == [7, -7, Int64.max, nil, nil, nil, nil, nil])
    }
}
