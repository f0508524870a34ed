import JSON

/// Compares what a reconciler found with the truth, after one night.
package struct Verification: Sendable {
    /// One expectation read back from truth.json.
    package struct Expected: Sendable, Hashable {
        package let rule: String
        package let subject: String
        package let or: String?
        package let severity: String
        package let state: String
        package let difference: String
        package let currency: String
    }

    package private(set) var planted = 0
    package private(set) var found = 0
    package private(set) var missing: [String] = []
    package private(set) var unexpected: [String] = []

    package var agrees: Bool { missing.isEmpty && unexpected.isEmpty }

    /// `truth: planted P, found F, missing M, unexpected U`
    package var summary: String {
        "truth: planted \(planted), found \(found), missing \(missing.count), unexpected \(unexpected.count)"
    }

    /// - Parameter rules: the rules that are in force; what the truth says of others is neither missing nor unexpected.
    package init(expected: [Expected], found breaks: [FoundBreak], rules: Set<String>) {
        var remaining = breaks.sorted { ($0.rule, $0.subjects[0]) < ($1.rule, $1.subjects[0]) }
        var places: [Key: [Int]] = [:]
        for (place, item) in remaining.enumerated() {
            for subject in item.subjects { places[Key(rule: item.rule, subject: subject), default: []].append(place) }
        }
        var taken: Set<Int> = []
        let listsHealed = breaks.contains { $0.state == "healed" }
        for item in expected.sorted(by: { ($0.rule, $0.subject) < ($1.rule, $1.subject) }) {
            let names = [item.subject] + (item.or.map { [$0] } ?? [])
            let place = names.lazy.flatMap { places[Key(rule: item.rule, subject: $0)] ?? [] }.first {
                !taken.contains($0)
            }
            if let place { taken.insert(place) }
            guard rules.contains(item.rule) else { continue }
            planted += 1
            guard let place else {
                // A list of open breaks does not show healed ones.
                if item.state == "healed", !listsHealed { found += 1 } else { missing.append(Self.line(item)) }
                continue
            }
            let differences = Self.differences(item, remaining[place])
            if differences.isEmpty {
                found += 1
            } else {
                missing.append("\(Self.line(item)): \(differences.joined(separator: ", "))")
            }
        }
        remaining = remaining.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
        for item in remaining {
            let subject = item.subjects.joined(separator: " ")
            unexpected.append(
                "\(item.rule) \(subject) \(item.state) \(item.severity) \(item.difference) \(item.currency)")
        }
    }

    private struct Key: Hashable {
        let rule: String
        let subject: String
    }

    private static func line(_ item: Expected) -> String {
        "\(item.rule) \(item.subject) \(item.state) \(item.severity) \(item.difference) \(item.currency)"
    }

    private static func differences(_ expected: Expected, _ found: FoundBreak) -> [String] {
        var differences: [String] = []
        func compare(_ name: String, _ a: String, _ b: String) {
            if a != b { differences.append("\(name) is \(b)") }
        }
        compare("state", expected.state, found.state)
        // A healed break keeps what it had last; only its being healed is asked.
        if expected.state == "open" {
            compare("severity", expected.severity, found.severity)
            compare("difference", expected.difference, found.difference)
            compare("currency", expected.currency, found.currency)
        }
        return differences
    }

    // MARK: reading the truth

    /// What truth.json expects after `night`, or after its last night.
    package static func expectations(truth bytes: [UInt8], night: Int?) throws(UsageError) -> [Expected] {
        guard let document = try? JSONDocument(bytes), let planted = document.root["planted"],
            let nights = document.root["nights"]
        else { throw UsageError("this is no truth.json") }
        let night = night ?? nights.count
        var expected: [Expected] = []
        for item in planted.elements {
            guard let rule = item["rule"]?.string, let subject = item["subject"]?.string,
                let standing = item["standing"]
            else { throw UsageError("this is no truth.json: a planted break lacks its rule, subject or standing") }
            for stand in standing.elements where stand["night"]?.integer == Int64(night) {
                expected.append(
                    Expected(
                        rule: rule, subject: subject, or: item["or"]?.string, severity: stand["severity"]?.string ?? "",
                        state: stand["state"]?.string ?? "",
                        difference: FoundBreak.normal(item["difference"]?.string ?? ""),
                        currency: item["currency"]?.string ?? ""))
            }
        }
        return expected
    }
}
