import Foundation
import JSON

/// `tieout-sandbox sums`: the truth's exact sums, a line each, in a form that a query can print too.
package enum Sums {
    package static func run(_ words: ArraySlice<String>, say: (String) -> Void) throws {
        let path = try Arguments(words, known: ["truth"]).required("truth")
        guard let data = FileManager.default.contents(atPath: path),
            let root = try? JSONDocument(Array(data)).root, let sums = root["sums"]
        else { throw UsageError("\(path) holds no truth") }
        for sum in sums.elements {
            let parts = ["side", "direction", "currency", "count", "sum"].map { sum[$0]?.scalarText ?? "?" }
            say(parts.joined(separator: " "))
        }
    }
}
