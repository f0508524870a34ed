/// What goes wrong on purpose: any number of faults, each with its own schedule. The same specification, seed and
/// sequence of requests meet the same faults.
package struct Misbehaviour: Sendable, Hashable {
    package let faults: [Fault]

    /// No fault.
    package init() { faults = [] }

    /// Reads faults joined by commas; an empty text is none.
    package init(_ text: String) throws(UsageError) {
        var faults: [Fault] = []
        for part in text.split(separator: ",") { faults.append(try Fault(part)) }
        self.faults = faults
    }

    /// The pages of `--help` about it.
    package static var help: String {
        let width = FaultKind.allCases.map(\.rawValue.count).max() ?? 0
        let kinds = FaultKind.allCases.map { kind in
            let pad = String(repeating: " ", count: width - kind.rawValue.count + 2)
            return "    \(kind.rawValue)\(pad)\(kind.help)"
        }
        return """
            --misbehave SPEC is one or more of these, joined by commas, each with knobs behind colons:
            429:after=2:times=3:retry-after=7,cut:after=5

            \(kinds.joined(separator: "\n"))

            Knobs that all have: after=N (so many requests pass first), times=N (so many are hit; 0: no end), every=N (each
            Nth of them), chance=PERCENT (drawn from the seed), on=list|one|all (what counts as a request).

            """
    }
}

extension Misbehaviour: CustomStringConvertible {
    package var description: String { faults.map(\.description).joined(separator: ",") }
}
