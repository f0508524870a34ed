import Glibc
import JSON
import Testing

@Suite("Documents")
struct DocumentTests {
    @Test("every kind of value, with its exact bytes")
    func kinds() throws {
        let text = #" { "o" : { } , "a":[ 1 , 2 ], "s":"x\ny", "t":true,"f": false ,"n":null } "#
        let root = try JSONDocument(text).root
        #expect(root.kind == .object)
        #expect(root.count == 6)
        #expect(root.members.map(\.key) == ["o", "a", "s", "t", "f", "n"])
        #expect(root.members.map(\.value.kind) == [.object, .array, .string, .bool, .bool, .null])
        #expect(
            root.members.map { String(decoding: $0.value.sourceBytes, as: UTF8.self) }
                == ["{ }", "[ 1 , 2 ]", #""x\ny""#, "true", "false", "null"])
        #expect(root["s"]?.string == "x\ny")
        #expect(root["t"]?.boolValue == true)
        #expect(root["f"]?.boolValue == false)
        #expect(root["f"]?.scalarText == "false")
        #expect(root["n"]?.isNull == true)
        #expect(root["absent"] == nil)
        #expect(root["a"]?.elements.map(\.numberText) == ["1", "2"])
        #expect(root["o"]?.count == 0)
        #expect(Array(root["o"]?.elements.map(\.kind) ?? [.null]) == [])
    }

    @Test("paths lead through objects and elements, and end in nil where nothing is")
    func paths() throws {
        let root = try JSONDocument(#"{"a":{"b":[{"c":"x"},[1,2]]},"":{"":"empty"},"d.e":1}"#).root
        #expect(root[path: "a.b[0].c"]?.string == "x")
        #expect(root[path: "a.b[1][1]"]?.numberText == "2")
        #expect(root[path: "a.b[2]"] == nil)
        #expect(root[path: "a.b[-1]"] == nil)
        #expect(root[path: "a.b[x]"] == nil)
        #expect(root[path: "a.x.c"] == nil)
        #expect(root[path: "a.b.c"] == nil)
        #expect(root[path: "."]?.string == "empty")
        #expect(root[path: "d.e"] == nil)
        #expect(root["d.e"]?.numberText == "1")
    }

    @Test("escapes in texts and keys are undone, and an escaped key is found by its name")
    func escapes() throws {
        let root = try JSONDocument(
            #"{"\u0069d":"\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00é€😀","a\/b":1,"😀":2,"\ud83d\ude01":3}"#
        ).root
        #expect(root["id"]?.string == "\"\\/\u{8}\u{c}\n\r\té€😀é€😀")
        #expect(root["a/b"]?.numberText == "1")
        #expect(root["😀"]?.numberText == "2")
        #expect(root["😁"]?.numberText == "3")
        #expect(root["\\u0069d"] == nil)
        #expect(root.members.map(\.key) == ["id", "a/b", "😀", "😁"])
    }

    @Test("keys of every length are found, and near misses are not")
    func keys() throws {
        let keys = (0...40).map { String("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".prefix($0)) }
        let text = "{" + keys.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
        let root = try JSONDocument(text).root
        for (value, key) in keys.enumerated() {
            #expect(root[key]?.integer == Int64(value))
            #expect(root[key + "_"] == nil)
        }
    }

    @Test(
        "a key that stands twice is flagged, and the first one answers",
        arguments: [
            #"{"a":1,"a":2}"#, #"{"a":1,"b":0,"a":2}"#, #"{"\u0061":1,"a":2}"#, #"{"a":1,"b":{"c":1,"c":1}}"#,
        ])
    func duplicates(text: String) throws {
        let document = try JSONDocument(text)
        #expect(document.hasDuplicateKeys)
        #expect(document.root["a"]?.numberText == "1")
    }

    @Test(
        "the same key in different objects is no repetition",
        arguments: [#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}"#, #"{"a":1,"A":2,"a ":3}"#, "{}", "[1,1]"])
    func noDuplicates(text: String) throws { #expect(try !JSONDocument(text).hasDuplicateKeys) }

    @Test("among very many keys one repetition is found, and none is invented")
    func manyKeys() throws {
        let members = (0..<5000).map { "\"key-\($0)\":\($0)" }
        #expect(try !JSONDocument("{\(members.joined(separator: ","))}").hasDuplicateKeys)
        let doubled = members + ["\"key-4321\":0"]
        #expect(try JSONDocument("{\(doubled.joined(separator: ","))}").hasDuplicateKeys)
    }

    @Test("only the row with the repeated key is flagged")
    func duplicateRow() throws {
        let root = try JSONDocument(#"[{"a":1},{"b":{"a":1,"a":1}},{"a":1}]"#).root
        #expect(root.elements.map(\.hasDuplicateKeys) == [false, true, false])
    }

    @Test("leaves come in written order, arrays as name[]")
    func leaves() throws {
        let root = try JSONDocument(#"{"a":1,"b":{"c":null,"d":{}},"e":[1,{"f":2},[3]],"g":[]}"#).root
        var paths: [String] = []
        root.forEachLeaf { path, _ in paths.append(path) }
        #expect(paths == ["a", "b.c", "b.d", "e[]", "e[].f", "e[][]", "g"])
    }

    @Test("unknown paths are listed once and sorted; null and empty are known where a known path leads through")
    func unknownPaths() throws {
        let text = """
            {"id":"x","new":1,"crypto":{"fee":1,"late":{"deep":[1]}},"rows":[{"id":1,"odd":1},{"odd":2}],"gone":null,
             "customer":null,"tags":[],"free":{"any":{"thing":1}},"a.b":1}
            """
        let known: Set = ["id", "crypto.fee", "rows[].id", "customer.email", "tags[]", "free.**"]
        let root = try JSONDocument(text).root
        #expect(root.unknownPaths(known: known) == ["a.b", "crypto.late.deep[]", "gone", "new", "rows[].odd"])
        #expect(try JSONDocument(#"{"customer":"text"}"#).root.unknownPaths(known: known) == ["customer"])
        #expect(try JSONDocument(#"{"crypto":[{"fee":1}]}"#).root.unknownPaths(known: known) == ["crypto[].fee"])
        #expect(try JSONDocument(#"{"id":"x","crypto":{"fee":2}}"#).root.unknownPaths(known: known) == [])
    }

    @Test("no byte behind the document is read, wherever its end falls")
    func guardPage() throws {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        for length in 3..<200 {
            let text = Array(("[" + String(repeating: " ", count: length - 3) + "1]").utf8)
            let area = mmap(nil, page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            let memory = try #require(area)
            defer { munmap(memory, page * 2) }
            try #require(mprotect(memory + page, page, PROT_NONE) == 0)
            let start = memory + (page - length)
            start.copyMemory(from: text, byteCount: length)
            let bytes = UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: length)
            #expect(JSONDocument.isWellFormed(bytes))
        }
    }

    @Test("a document beyond simdjson's kept buffers is parsed, and a small one after it")
    func large() throws {
        let row = #"{"id":"WenwLJd95gyjJVbMv9K3yo","amount":100.00},"#
        let text = "[" + String(repeating: row, count: 200_000) + "null]"
        let root = try JSONDocument(text).root
        #expect(root.count == 200_001)
        #expect(root.element(199_999)?["amount"]?.numberText == "100.00")
        #expect(try JSONDocument("[1]").root.count == 1)
    }
}
