import Foundation
import Payments

/// One job: `Jobs/<name>.json5`. Which steps, for which accounts.
package struct JobDefinition: Sendable {
    package enum Step: String, Sendable, CaseIterable { case load, poll, link, reconcile, report }

    package let name: String
    package let steps: [Step]
    /// Nil: all accounts of the configuration.
    package let accounts: [String]?
    /// How many complete business days the period of transactions.csv spans, before the one in progress.
    package let periodDays: Int

    /// Reads `Jobs/<name>.json5` below `root`.
    package static func read(name: String, root: String) throws(ConfigurationError) -> JobDefinition {
        let path = "\(root)/Jobs/\(name).json5"
        guard Names.isName(name), let data = FileManager.default.contents(atPath: path),
            let text = String(data: data, encoding: .utf8)
        else {
            let known = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/Jobs")) ?? []
            let names = known.filter { $0.hasSuffix(".json5") }.map { String($0.dropLast(6)) }.sorted()
            let hint = Suggestion.nearest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw ConfigurationError(
                file: path, place: "",
                message: "there is no job '\(name)'\(hint) (jobs: \(names.joined(separator: ", ")))")
        }
        return try read(text: text, name: name, file: path)
    }

    /// The same from a text at hand.
    package static func read(text: String, name: String, file: String) throws(ConfigurationError) -> JobDefinition {
        let tree = try ConfigurationTree(json5: text, file: file)
        let members = try tree.object(known: ["steps", "accounts", "period_days"])
        guard let node = members["steps"] else { throw tree.fault("needs 'steps'") }
        var steps: [Step] = []
        for element in try node.list() { steps.append(try element.word(Step.self)) }
        let order = Step.allCases
        let positions = steps.compactMap { order.firstIndex(of: $0) }
        guard !steps.isEmpty, positions == positions.sorted(), Set(positions).count == positions.count else {
            throw node.fault(
                "must name some of \(order.map(\.rawValue).joined(separator: ", ")), once each, in this order")
        }
        return JobDefinition(
            name: name, steps: steps, accounts: try members["accounts"]?.strings(),
            periodDays: Int(try members["period_days"]?.integer(in: 1...400) ?? 1))
    }
}
