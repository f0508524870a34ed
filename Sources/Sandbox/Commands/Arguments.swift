/// What was wrong with a command line.
package struct UsageError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// `--name value` pairs; a name that the command does not know is an error.
struct Arguments {
    private var values: [String: String] = [:]

    init(_ words: ArraySlice<String>, known: [String]) throws(UsageError) {
        var rest = words
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else { throw UsageError("'\(word)' is no option") }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
            guard let name = parts.first, known.contains(name) else {
                throw UsageError("'\(word)' is unknown; known: \(known.map { "--\($0)" }.joined(separator: " "))")
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw UsageError("--\(name) needs a value")
            }
            values[name] = value
        }
    }

    subscript(name: String) -> String? { values[name] }

    func required(_ name: String) throws(UsageError) -> String {
        guard let value = values[name] else { throw UsageError("--\(name) is required") }
        return value
    }

    func number<Number: FixedWidthInteger>(_ name: String, in range: ClosedRange<Number>) throws(UsageError) -> Number?
    {
        guard let text = values[name] else { return nil }
        guard let number = Number(text), range.contains(number) else {
            throw UsageError("--\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The size of the world: `--seed`, `--transactions`, `--days`, `--nights`; what is not said is taken from `before`.
    func shape(before: WorldShape? = nil) throws(UsageError) -> WorldShape {
        guard let seed: UInt64 = try number("seed", in: 0...UInt64.max) ?? before?.seed else {
            throw UsageError("--seed is required")
        }
        return WorldShape(
            seed: seed, transactions: try number("transactions", in: 1...5_000_000) ?? before?.transactions ?? 2_000,
            days: try number("days", in: 10...400) ?? before?.days ?? 10,
            nights: try number("nights", in: 3...60) ?? before?.nights ?? 3)
    }

    /// The whole plan: shape, `--providers`, `--beneath`, `--switch`; what is not said is taken from `before`.
    func plan(before: WorldPlan? = nil) throws(UsageError) -> WorldPlan {
        var providers = before?.providers ?? WorldPlan.allProviders
        if let text = values["providers"] { providers = try WorldPlan.providers(text) }
        var beneath = before?.beneath ?? []
        if let text = values["beneath"] { beneath = try WorldPlan.beneath(text) }
        var switches = before?.switches ?? [:]
        if let text = values["switch"] { switches = try WorldPlan.switches(text) }
        return WorldPlan(try shape(before: before?.shape), providers: providers, beneath: beneath, switches: switches)
    }
}
