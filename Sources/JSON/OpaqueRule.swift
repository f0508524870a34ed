/// What may be kept of names that others choose, who may put a person's name or address there. A text that may not is
/// kept as a mask, so that what is read of the kept bytes is what was read of the original ones.
package struct OpaqueRule: Sendable {
    /// Beginnings of texts that stay in front of the mask: they say something and name nobody.
    let marks: [String]
    private let isOpaque: @Sendable (String) -> Bool

    /// `isOpaque` must be false for every text that holds an at sign, which the mask is.
    package init(marks: [String], isOpaque: @escaping @Sendable (String) -> Bool) {
        self.marks = marks
        self.isOpaque = isOpaque
    }

    /// A number, a code or a key, and no e-mail address and no words: nothing in it is white space or an at sign.
    package static let plain = OpaqueRule(marks: []) { text in
        !text.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: "@") }
    }

    /// Whether `text`, a string as it reads unescaped or a number's digits, may be kept.
    package func keeps(_ text: String) -> Bool { isOpaque(text) }

    /// In the place of what may not: JSON of the same kind that holds nothing of it.
    func mask(of text: String?) -> [UInt8] {
        let mark = text.flatMap { text in marks.first { text.hasPrefix($0) } } ?? ""
        return Array("\"\(mark)@\"".utf8)
    }

    static let emptyObject = Array("{}".utf8)
    static let emptyArray = Array("[]".utf8)
}
