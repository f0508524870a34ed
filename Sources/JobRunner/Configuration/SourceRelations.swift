/// What `succeeds` and `beneath` say of sources must be a story that can be told: both name another source of the same
/// account, no chain comes back to where it began, and what is one identity space is of one provider.
struct SourceRelations {
    /// Views follow a chain this far.
    static let longestChain = 4

    /// All accounts: a source that lies in another one is told by its account.
    let accounts: [AccountConfiguration]
    /// Where an account's sources stand in the file.
    let places: [String: ConfigurationTree]

    func check() throws(ConfigurationError) {
        for account in accounts {
            guard let place = places[account.name] else { continue }
            let sources = Dictionary(account.sources.map { ($0.name, $0) }) { first, _ in first }
            for source in account.sources {
                try names(source, among: sources, account, place)
                try chain(from: source, sources, place)
                try kin(source, sources, place)
            }
        }
    }

    private func names(
        _ source: SourceConfiguration, among sources: [String: SourceConfiguration], _ account: AccountConfiguration,
        _ place: ConfigurationTree
    ) throws(ConfigurationError) {
        for (key, other) in [("succeeds", source.succeeds), ("beneath", source.beneath)] {
            guard let other else { continue }
            if other == source.name { throw place.fault("'\(source.name)': \(key) names the source itself") }
            if sources[other] != nil { continue }
            if let owner = accounts.first(where: { $0.name != account.name && $0.sources.contains { $0.name == other } }
            ) {
                throw place.fault(
                    "'\(source.name)': \(key) names '\(other)', which belongs to account '\(owner.name)'; both must belong to one account"
                )
            }
            let hint = Suggestion.nearest(to: other, among: Array(sources.keys)).map { "; did you mean '\($0)'?" } ?? ""
            throw place.fault("'\(source.name)': \(key) names '\(other)', which is no source of this account\(hint)")
        }
        if let both = source.succeeds, both == source.beneath {
            throw place.fault("'\(source.name)' cannot both succeed '\(both)' and lie beneath it")
        }
    }

    /// Depth first over both relations.
    private func chain(
        from source: SourceConfiguration, _ sources: [String: SourceConfiguration], _ place: ConfigurationTree
    ) throws(ConfigurationError) {
        var open: [[String]] = [[source.name]]
        while let path = open.popLast() {
            guard let last = path.last.flatMap({ sources[$0] }) else { continue }
            for next in [last.succeeds, last.beneath].compactMap(\.self) {
                let longer = path + [next]
                if next == source.name {
                    throw place.fault("sources run in a circle: \(longer.joined(separator: " → "))")
                }
                // A circle that does not pass this source is told when one that it passes is looked at.
                if path.contains(next) { continue }
                if longer.count > Self.longestChain {
                    throw place.fault(
                        "too long a chain of sources (at most \(Self.longestChain)): \(longer.joined(separator: " → "))"
                    )
                }
                open.append(longer)
            }
        }
    }

    private func kin(
        _ source: SourceConfiguration, _ sources: [String: SourceConfiguration], _ place: ConfigurationTree
    ) throws(ConfigurationError) {
        if let old = source.succeeds.flatMap({ sources[$0] }), old.provider != source.provider {
            throw place.fault(
                "'\(source.name)' (\(source.provider)) cannot succeed '\(old.name)' (\(old.provider)): ids of two providers are no names in one space"
            )
        }
        if let above = source.beneath.flatMap({ sources[$0] }), above.provider == source.provider {
            throw place.fault(
                "'\(source.name)' cannot lie beneath '\(above.name)': both are \(source.provider); what lies beneath is the provider that an aggregator uses"
            )
        }
        for other in [source.succeeds, source.beneath].compactMap({ $0.flatMap { sources[$0] } })
        where other.environment != source.environment {
            throw place.fault(
                "'\(source.name)' is \(source.environment.rawValue) and '\(other.name)' is \(other.environment.rawValue): test and live data never mix"
            )
        }
    }
}
