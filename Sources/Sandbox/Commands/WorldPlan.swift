/// From what a directory's world is made: everything in it follows from this.
package struct WorldPlan: Sendable, Hashable {
    package let shape: WorldShape
    /// Names of simulated providers, in the order of their sources.
    package let providers: [String]
    /// Names of those that show what Meld gave them to carry out as well.
    package let beneath: [String]
    /// Assumptions turned round, by provider and name.
    package let switches: [String: [String: String]]

    package init(
        _ shape: WorldShape, providers: [String], beneath: [String] = [], switches: [String: [String: String]] = [:]
    ) {
        self.shape = shape
        self.providers = providers
        self.beneath = beneath
        self.switches = switches
    }

    package var world: World { World(shape, providers: providers, beneath: beneath, switches: switches) }

    /// Every provider that there is a simulator of: Meld, whose source is the first, then the others by name.
    package static var allProviders: [String] {
        let names = SimulatorCatalogue.all.map { $0.profile.name }
        return names.filter { $0 == Names.provider } + names.filter { $0 != Names.provider }.sorted()
    }

    /// Those of them that carry payments out for Meld.
    static var beneathMeld: [String] { allProviders.filter { SimulatorCatalogue.entry($0)?.profile.carriedAs != nil } }

    /// Reads `meld,banxa`. Throws for a name that nobody has, and for none.
    static func providers(_ text: String) throws(UsageError) -> [String] {
        var chosen: [String] = []
        for name in text.split(separator: ",").map(String.init) where !chosen.contains(name) {
            guard SimulatorCatalogue.entry(name) != nil else {
                throw UsageError("'\(name)' is no simulated provider; known: \(allProviders.joined(separator: " "))")
            }
            chosen.append(name)
        }
        if chosen.isEmpty { throw UsageError("--providers names none") }
        return chosen
    }

    /// The same for `--beneath`: those that Meld gives payments to.
    static func beneath(_ text: String) throws(UsageError) -> [String] {
        let chosen = try providers(text)
        for name in chosen where SimulatorCatalogue.entry(name)?.profile.carriedAs == nil {
            throw UsageError("'\(name)' carries nothing out for Meld")
        }
        return chosen
    }

    /// Reads `mercuryo.signature=stripped,banxa.page=0`. Throws for what no provider can be switched to.
    static func switches(_ text: String) throws(UsageError) -> [String: [String: String]] {
        var switches: [String: [String: String]] = [:]
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            let name = pair[0].split(separator: ".", maxSplits: 1).map(String.init)
            guard pair.count == 2, name.count == 2, let simulator = SimulatorCatalogue.entry(name[0]) else {
                throw UsageError("'\(part)' is no switch; write provider.name=value")
            }
            let known = simulator.profile.switches
            guard let found = known.first(where: { $0.name == name[1] }) else {
                throw UsageError(
                    "\(name[0]) has no switch '\(name[1])'; it has: \(known.map(\.name).joined(separator: " "))")
            }
            guard found.values.contains(pair[1]) else {
                throw UsageError("\(pair[0]) can be \(found.values.joined(separator: " or ")), not '\(pair[1])'")
            }
            switches[name[0], default: [:]][name[1]] = pair[1]
        }
        return switches
    }

    /// The pages of `--help` about it.
    static var help: String {
        let lines = SimulatorCatalogue.all.flatMap { simulator in
            simulator.profile.switches.map {
                "    \(simulator.profile.name).\($0.name)=\($0.values.joined(separator: "|"))  \($0.meaning)"
            }
        }
        guard !lines.isEmpty else { return "" }
        return """
            --switch A.B=V,… turns round what a provider's fact sheet only assumes (the first value is what it assumes):
            \(lines.joined(separator: "\n"))


            """
    }
}
