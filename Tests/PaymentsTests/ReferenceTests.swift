import Payments
import Testing

@Suite("References")
struct ReferenceTests {
    @Test("one name composed and decomposed is one reference, byte for byte; another letter is another")
    func composed() throws {
        let composed = try #require(Reference("book:order", "Bj\u{F6}rk-1"))
        let decomposed = try #require(Reference("book:order", "Bjo\u{308}rk-1"))
        #expect(Array(composed.description.utf8) == Array(decomposed.description.utf8))
        let plain = try #require(Reference("book:order", "Bjork-1"))
        #expect(plain != composed)
    }

    @Test("what names nothing is no reference; what only looks like it is one")
    func nothing() {
        for text in ["", "  ", "0", "0x", "0X0", "null", "NULL", "undefined", "1970-01-01T00:00:00Z", "a\0b"] {
            #expect(Reference("chain:tx", text) == nil, "\(text)")
        }
        for text in ["00", "0x1", "nullable", "1970-01-01T00:00:01Z"] {
            #expect(Reference("chain:tx", text) != nil, "\(text)")
        }
    }
}
