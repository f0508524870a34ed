import JSON
import Testing

/// A document as a plain tree, and removal from it written the slow, obvious way: what redaction is held against.
indirect enum Tree: Equatable {
    case object([(String, Tree)])
    case array([Tree])
    case scalar(String)

    init(_ value: JSONValue) {
        switch value.kind {
        case .object: self = .object(value.members.map { ($0.key, Tree($0.value)) })
        case .array: self = .array(value.elements.map { Tree($0) })
        default: self = .scalar(String(decoding: value.sourceBytes, as: UTF8.self))
        }
    }

    static func == (a: Tree, b: Tree) -> Bool {
        switch (a, b) {
        case (.object(let a), .object(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.0 == $1.0 && $0.1 == $1.1 }
        case (.array(let a), .array(let b)): a == b
        case (.scalar(let a), .scalar(let b)): a == b
        default: false
        }
    }

    /// What is left of a value at a kept path: its scalars, not the members of its objects.
    func emptied() -> Tree {
        switch self {
        case .object: .object([])
        case .array(let elements): .array(elements.map { $0.emptied() })
        case .scalar: self
        }
    }

    /// Without every member whose chain of names `isCut` condemns; arrays add nothing to the chain.
    func removing(_ chain: [String] = [], _ isCut: ([String]) -> Bool) -> Tree {
        switch self {
        case .object(let members):
            .object(members.filter { !isCut(chain + [$0.0]) }.map { ($0.0, $0.1.removing(chain + [$0.0], isCut)) })
        case .array(let elements): .array(elements.map { $0.removing(chain, isCut) })
        case .scalar: self
        }
    }
}

/// SplitMix64: the same documents in every run.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@Suite("Redaction, on random documents")
struct RedactionPropertyTests {
    private static let names = ["a", "b", "c", "d", "\\u0065"]
    private static let scalars = [
        "1", "-0.50", "1e9", "\"x\"", "\"},{\"", "\"\\\"\"", "\"\\\\\"", "true", "null", "\"é😀\"",
    ]

    private func document(_ random: inout SeededNumbers, depth: Int) -> String {
        func blank() -> String { ["", "", "", " ", "\n  ", "\t"].randomElement(using: &random) ?? "" }
        let shape = depth == 0 ? 9 : Int.random(in: 0..<10, using: &random)
        if shape > 5 { return Self.scalars.randomElement(using: &random) ?? "0" }
        let parts = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            let value = document(&random, depth: depth - 1)
            let name = Self.names.randomElement(using: &random) ?? "a"
            return blank() + (shape < 4 ? "\"\(name)\"\(blank()):\(blank())\(value)" : value) + blank()
        }
        let inside = parts.isEmpty ? blank() : parts.joined(separator: ",")
        return shape < 4 ? "{\(inside)}" : "[\(inside)]"
    }

    /// `*` any one name, `**` any number, also none.
    private func matches(_ pattern: ArraySlice<String>, _ chain: ArraySlice<String>) -> Bool {
        guard let first = pattern.first else { return chain.isEmpty }
        let rest = pattern.dropFirst()
        if first == "**" { return (0...chain.count).contains { matches(rest, chain.dropFirst($0)) } }
        return !chain.isEmpty && (first == "*" || first == chain.first) && matches(rest, chain.dropFirst())
    }

    @Test("what remains parses, and is what removing the members from the tree leaves", arguments: 0..<20)
    func removal(seed: UInt64) throws {
        var random = SeededNumbers(state: seed)
        var cuts = 0
        for _ in 0..<200 {
            let text = document(&random, depth: 5)
            let patterns = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    ["a", "b", "c", "d", "e", "a", "b", "*", "**"].randomElement(using: &random) ?? "a"
                }
            }
            let value = try JSONDocument(text).root
            let redaction = Redaction(paths: patterns.map { $0.joined(separator: ".") })
            let (bytes, cut) = redaction.kept(value)
            let expected = Tree(value).removing { chain in patterns.contains { matches($0[...], chain[...]) } }
            let remaining = try Tree(JSONDocument(bytes).root)
            #expect(
                remaining == expected, "\(text) without \(patterns) became \(String(decoding: bytes, as: UTF8.self))")
            if cut == 0 { #expect(bytes == Array(value.sourceBytes)) } else { #expect(bytes.count < text.utf8.count) }
            cuts += cut
        }
        #expect(cuts > 20)
    }

    @Test("of a keep-only list, exactly the listed members remain, whole or as scalars", arguments: 0..<5)
    func allowList(seed: UInt64) throws {
        var random = SeededNumbers(state: seed &+ 1000)
        var objects = 0
        for _ in 0..<200 {
            let value = try JSONDocument(document(&random, depth: 4)).root
            guard value.isObject else { continue }
            objects += 1
            let (bytes, _) = Redaction(keepingOnly: ["a.**", "b"]).kept(value)
            let expected = value.members.compactMap { member -> (String, Tree)? in
                switch member.key {
                case "a": ("a", Tree(member.value))
                case "b": ("b", Tree(member.value).emptied())
                default: nil
                }
            }
            #expect(try Tree(JSONDocument(bytes).root) == .object(expected))
        }
        #expect(objects > 20)
    }
}
