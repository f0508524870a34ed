import Foundation
import TestSupport

/// The checkout as text: what the house rules are held against.
enum House {
    /// Every file of the project, relative to the checkout, sorted: no build products, no demo, nothing hidden but the
    /// few files that belong to the project.
    static let files: [String] = {
        let manager = FileManager.default
        let kept: Set = [".ci", ".gitignore", ".swift-format"]
        var found: [String] = []
        for name in (try? manager.contentsOfDirectory(atPath: Checkout.root)) ?? [] {
            if name.hasPrefix("."), !kept.contains(name) { continue }
            let path = Checkout.root + "/" + name
            var isFolder: ObjCBool = false
            guard manager.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
            guard isFolder.boolValue else {
                found.append(name)
                continue
            }
            if manager.fileExists(atPath: path + "/.tieout-demo") { continue }
            for inner in (try? manager.subpathsOfDirectory(atPath: path)) ?? [] {
                if manager.fileExists(atPath: path + "/" + inner, isDirectory: &isFolder), !isFolder.boolValue,
                    !inner.contains("__pycache__")
                {
                    found.append(name + "/" + inner)
                }
            }
        }
        return found.sorted()
    }()

    /// The files below a folder, or with a suffix, or both.
    static func files(under folder: String = "", _ suffixes: String...) -> [String] {
        files.filter { file in
            (folder.isEmpty || file.hasPrefix(folder + "/"))
                && (suffixes.isEmpty || suffixes.contains { file.hasSuffix($0) })
        }
    }

    static func exists(_ file: String) -> Bool { FileManager.default.fileExists(atPath: Checkout.root + "/" + file) }

    static func text(_ file: String) throws -> String {
        try String(contentsOfFile: Checkout.root + "/" + file, encoding: .utf8)
    }

    static func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The text with everything behind `comment` of each line left out.
    static func code(_ text: String, comment: String) -> String {
        lines(text).map { line in line.firstRange(of: comment).map { line[..<$0.lowerBound] } ?? line }
            .joined(separator: "\n")
    }

    /// What the whole pattern, or its first group, takes of a text. Patterns are written as texts, so that a list of
    /// them stands in one place.
    static func matches(_ pattern: String, in text: String) throws -> [String] {
        let expression = try NSRegularExpression(pattern: pattern, options: [.anchorsMatchLines])
        let whole = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: whole).compactMap { match in
            let range =
                match.numberOfRanges > 1 && match.range(at: 1).location != NSNotFound ? match.range(at: 1) : match.range
            return Range(range, in: text).map { String(text[$0]) }
        }
    }
}

/// A file that may break a rule, and why.
typealias Exceptions = [String: String]
