import JSON

/// The headers that a signature needs, as their column holds them: one JSON object.
enum SignatureHeaders {
    static func text(_ headers: [(name: String, value: String)]) -> String {
        if headers.isEmpty { return none }
        var writer = JSONWriter()
        writer.object { writer in
            for header in headers { writer.member(header.name, header.value) }
        }
        return writer.text
    }

    /// Throws where `text` is no JSON.
    static func read(_ text: String) throws -> [(name: String, value: String)] {
        text == none ? [] : read(try JSONDocument(text).root)
    }

    static func read(_ object: JSONValue?) -> [(name: String, value: String)] {
        object?.members.map { (name: $0.key, value: $0.value.string ?? "") } ?? []
    }

    private static let none = "{}"
}
