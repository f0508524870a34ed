import Foundation
import Providers
import Synchronization
import Testing

@testable import Sandbox

/// What every provider must do, whatever it is: the product's side against the simulated one, with PostgreSQL. One more
/// provider is in it by its catalogue lines.
@Suite("Every provider")
struct ConformanceTests {
    private static let providers = Catalogue.entries.map(\.name)
    private static let results = Mutex<[String: [String: Check.Verdict]]>([:])

    @Test("passes every check, or has nothing of the kind", arguments: providers)
    func conforms(provider: String) async throws {
        var verdicts: [String: Check.Verdict] = [:]
        for check in Check.all {
            let verdict: Check.Verdict
            do { verdict = try await check.run(provider) } catch { verdict = .failed("\(error)") }
            verdicts[check.name] = verdict
            print("\(provider), \(check.name): \(verdict)")
            if case .failed(let why) = verdict { Issue.record("\(provider), \(check.name): \(why)") }
        }
        let all = Self.results.withLock { results in
            results[provider] = verdicts
            return results
        }
        if all.count == Self.providers.count { Self.table(all) }
    }

    @Test("is simulated, and what is simulated is a provider")
    func simulated() {
        #expect(Set(Self.providers) == Set(SimulatorCatalogue.all.map { $0.profile.name }))
    }

    /// Every provider by every check, on standard output.
    private static func table(_ all: [String: [String: Check.Verdict]]) {
        let width = (Check.all.map(\.name.count).max() ?? 0) + 2
        var lines = ["check".padding(toLength: width, withPad: " ", startingAt: 0) + providers.joined(separator: "  ")]
        for check in Check.all {
            let cells = providers.map { provider in
                let word =
                    switch all[provider]?[check.name] {
                    case .passed?: "ok"
                    case .notApplicable?: "-"
                    case .failed?, nil: "FAILED"
                    }
                return word.padding(toLength: max(provider.count, 6), withPad: " ", startingAt: 0)
            }
            lines.append(
                check.name.padding(toLength: width, withPad: " ", startingAt: 0) + cells.joined(separator: "  "))
        }
        for provider in providers {
            for check in Check.all {
                if case .notApplicable(let why)? = all[provider]?[check.name] {
                    lines.append("- \(provider), \(check.name): \(why)")
                }
            }
        }
        print(lines.joined(separator: "\n"))
    }
}
