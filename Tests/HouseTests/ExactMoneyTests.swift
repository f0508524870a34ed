import Foundation
import TestSupport
import Testing

/// Money is exact from the provider's bytes to the report: no binary fraction, nor a type that rounds, is named anywhere
/// in the sources. Time-outs and the like are whole milliseconds.
@Suite("Exact money")
struct ExactMoneyTests {
    /// Files that must name such a type all the same, and why no amount comes near it there.
    static let exceptions: [String: (words: Set<String>, why: String)] = [
        "Sources/Payments/BusinessDay.swift": (
            ["TimeInterval"], "a zone's rules are asked for through Foundation's Date, in whole seconds"
        )
    ]

    static let swiftWords: Set = [
        "Double", "Float", "Float16", "Float32", "Float64", "Float80", "CGFloat", "NSNumber", "NSDecimalNumber",
        "Decimal", "TimeInterval", "strtod", "atof",
    ]
    static let cWords: Set = ["double", "float", "strtod", "strtof", "atof", "stod"]
    static let sqlWords: Set = ["double", "float", "float4", "float8", "real", "to_number"]

    /// The forbidden words of a source, comments left out.
    static func found(in text: String, _ forbidden: Set<String>, comment: String) -> Set<String> {
        var found: Set<String> = []
        for line in text.split(whereSeparator: \.isNewline) {
            let code = line.firstRange(of: comment).map { line[..<$0.lowerBound] } ?? line[...]
            for word in code.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) {
                if forbidden.contains(String(word)) { found.insert(String(word)) }
            }
        }
        return found
    }

    static func files(under folder: String, _ suffixes: [String]) throws -> [String] {
        let root = "\(Checkout.root)/\(folder)"
        guard FileManager.default.fileExists(atPath: root) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: root).sorted()
            .filter { name in suffixes.contains { name.hasSuffix($0) } }.map { "\(folder)/\($0)" }
    }

    private func check(_ files: [String], _ forbidden: Set<String>, comment: String) throws {
        for file in files {
            let text = try String(contentsOfFile: "\(Checkout.root)/\(file)", encoding: .utf8)
            let allowed = Self.exceptions[file]?.words ?? []
            let found = Self.found(in: text, forbidden, comment: comment).subtracting(allowed)
            #expect(found.isEmpty, "\(file) names \(found.sorted().joined(separator: ", "))")
        }
    }

    @Test("case 38: no Swift source names a type that rounds")
    func swiftSources() throws {
        let files = try Self.files(under: "Sources", [".swift"])
        #expect(files.count > 50)
        try check(files, Self.swiftWords, comment: "//")
    }

    @Test("case 38: no C source does")
    func cSources() throws {
        let files = try Self.files(under: "Sources", [".c", ".h", ".cpp", ".hpp"])
        #expect(files.count > 5)
        try check(files, Self.cWords, comment: "//")
    }

    @Test("case 38: no SQL does")
    func sql() throws {
        let files = try Self.files(under: "SQL", [".sql"]) + Self.files(under: "Reports", [".sql"])
        #expect(files.count > 5)
        try check(files, Self.sqlWords, comment: "--")
    }

    @Test("every exception is still needed")
    func exceptionsAreNeeded() throws {
        for (file, exception) in Self.exceptions {
            let text = try String(contentsOfFile: "\(Checkout.root)/\(file)", encoding: .utf8)
            let found = Self.found(in: text, Self.swiftWords.union(Self.cWords), comment: "//")
            #expect(exception.words.isSubset(of: found), "\(file) no longer names \(exception.words.sorted())")
            #expect(!exception.why.isEmpty)
        }
    }

    @Test("the search finds what it is for, and leaves comments and longer words alone")
    func search() {
        func found(_ text: String) -> Set<String> { Self.found(in: text, Self.swiftWords, comment: "//") }
        #expect(found("let amount: Double = 1") == ["Double"])
        #expect(found("Decimal(string: text)") == ["Decimal"])
        #expect(found("[Float](x) as? NSNumber") == ["Float", "NSNumber"])
        #expect(found("let a = ExactDecimal.zero  // never a Double") == [])
        #expect(found("DoubleEntry(), decimal, floatingWindow") == [])
    }
}
