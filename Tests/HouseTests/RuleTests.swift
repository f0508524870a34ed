import Foundation
import Payments
import Postgres
import Reconciling
import TestSupport
import Testing

/// Every rule is proven by a case that must break and a twin that must not, and stands in the catalogue page.
///
/// A rule's tests are those of `Tests/ReconcilingTests/<RuleInCamelCase>Tests.swift` and every other test there whose
/// name names the rule. The twin is told by its name: it says what is *not*, *no* or *nor* a break.
@Suite("Rules")
struct RuleTests {
    static let page = "SQL/rules/README.md"

    static func catalogue() throws -> RuleCatalogue { try RuleCatalogue.load(SQLLibrary(root: Checkout.root)) }

    static func testNames(of rule: String, in texts: [String: String]) throws -> [String] {
        let file = rule.split(separator: "_").map(\.capitalized).joined() + "Tests.swift"
        return try texts.flatMap { path, text in
            try House.matches(#"@Test\(\s*"((?:[^"\\]|\\.)*)""#, in: text).filter {
                path.hasSuffix("/" + file) || $0.contains(rule)
            }
        }.sorted()
    }

    /// What a rule's tests lack; nil: both sides are there.
    static func fault(of rule: String, in texts: [String: String]) throws -> String? {
        let names = try testNames(of: rule, in: texts)
        if names.isEmpty { return "has no test in Tests/ReconcilingTests" }
        let twins = try names.filter {
            try !House.matches(#"(?i)\b(?:no|not|nor|none|never|neither|twin)\b"#, in: $0).isEmpty
        }
        if twins.isEmpty { return "has no twin that must not break (a test that says so in its name)" }
        return twins.count == names.count && names.count < 2 && !twins[0].contains(rule)
            ? "has a twin, but no case" : nil
    }

    @Test("every rule has a case and a twin")
    func cases() throws {
        let texts = try House.files(under: "Tests/ReconcilingTests", ".swift").reduce(into: [:]) {
            $0[$1] = try House.text($1)
        }
        let rules = try Self.catalogue().rules
        #expect(rules.count >= 6)
        for rule in rules {
            let fault = try Self.fault(of: rule.id, in: texts)
            #expect(fault == nil, "\(rule.id) \(fault ?? "")")
        }
    }

    @Test("a rule without case or twin is found out")
    func search() throws {
        func fault(_ file: String, _ names: String...) throws -> String? {
            try Self.fault(
                of: "late_coin", in: ["T/" + file: names.map { "@Test(\"\($0)\") func a() {}" }.joined(separator: "\n")]
            )
        }
        #expect(try fault("OtherTests.swift", "a coin is late", "no coin is late") != nil)
        #expect(try fault("LateCoinTests.swift", "a coin is late") != nil)
        #expect(try fault("LateCoinTests.swift", "a coin in time is not late") != nil)
        #expect(try fault("LateCoinTests.swift", "a coin is late", "a coin in time is not") == nil)
        #expect(try fault("OtherTests.swift", "late_coin for a late one, not for one in time") == nil)
    }

    @Test("the catalogue page says what the rules' headers say (TIEOUT_RECORD=1 writes it anew)")
    func catalogue() throws {
        let text = try Self.pageText(Self.catalogue())
        if ProcessInfo.processInfo.environment["TIEOUT_RECORD"] == "1" {
            try text.write(toFile: Checkout.root + "/" + Self.page, atomically: true, encoding: .utf8)
        }
        #expect(House.exists(Self.page))
        #expect(try House.text(Self.page) == text, "\(Self.page) is not what the headers give; see CONTRIBUTING.md")
    }

    /// The whole page, from headers alone.
    static func pageText(_ catalogue: RuleCatalogue) throws -> String {
        var text = """
            # Rules

            One file, one kind of difference. This page is made from the files' headers
            (`TIEOUT_RECORD=1 swift test --filter RuleTests` writes it); in rank order: of one payment's findings the first
            is the headline and alone carries the amount at risk.

            | rule | severity | looks at | needs | rests on |
            | - | - | - | - | - |

            """
        for rule in catalogue.rules {
            let needs =
                (rule.needs.map(\.rawValue)
                + rule.needsWhereSettledByLines.map { "\($0.rawValue) where only lines settle" })
                .joined(separator: ", ")
            text += "| [`\(rule.id)`](\(rule.id).sql) | \(rule.severity.rawValue) | \(rule.grain.rawValue) "
            text += "| \(needs.isEmpty ? "nothing" : needs) | \(rule.proves.rawValue) |\n"
        }
        for rule in catalogue.rules {
            text += "\n## \(rule.title) (`\(rule.id)`)\n\n\(rule.why)\n\nWhat to do: \(rule.fix)\n"
            if rule.parameters.isEmpty { continue }
            text += "\n"
            for parameter in rule.parameters {
                text += "- `\(parameter.name)` (\(parameter.type.rawValue)), default `\(parameter.value)`\n"
            }
        }
        text += """

            *Severity* is the default; a row may return its own. *Needs* are feeds: where one does not reach far enough, the
            facts beyond are awaiting, or the rule is not evaluated for that source. *Presence* fires on what is seen,
            whatever else is stale; *absence* rests on what is not seen, and a stale feed silences it. A parameter is set
            per account: `parameters: {rule: {name: "value"}}` in the configuration.

            """
        return text
    }
}
