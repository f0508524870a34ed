package import Payments

/// One account at one provider within a world: its payments, orders, secrets and switches.
package struct SimulatedSource: Sendable {
    /// As the configuration names it.
    package let name: String
    let simulator: any SimulatedProvider.Type
    var profile: ProviderProfile { simulator.profile }
    package let shape: WorldShape
    /// Draws of this source start from it.
    package let seed: UInt64
    /// Newest first by (`createdAt`, `id`).
    package let trades: [Trade]
    /// Oldest first by (`createdAt`, `id`).
    package let orders: [BookEntry]
    /// Ids of the payments whose row cannot be taken in.
    package let quarantined: [String]
    /// The source above it that shows the same payments; nil: it stands for itself.
    package var beneath: String?
    /// Assumptions turned round, by name; what is not named is as the fact sheet assumes.
    package let switches: [String: String]
    private var secrets: [String: Secret]

    init(
        name: String, simulator: any SimulatedProvider.Type, shape: WorldShape, seed: UInt64, trades: [Trade],
        orders: [BookEntry], quarantined: [String], switches: [String: String] = [:]
    ) {
        self.name = name
        self.simulator = simulator
        self.shape = shape
        self.seed = seed
        self.trades = trades
        self.orders = orders
        self.quarantined = quarantined
        self.switches = switches
        secrets = Self.secrets(of: simulator.profile, seed: seed)
    }

    package var provider: String { profile.name }

    /// The secret of that name (see the provider's profile); one that nobody has is empty.
    package func secret(_ name: String) -> Secret { secrets[name] ?? Secret("") }

    /// The same with another secret under a name.
    func with(secret name: String, _ secret: Secret) -> SimulatedSource {
        var copy = self
        copy.secrets[name] = secret
        return copy
    }

    /// What a switch stands on.
    func setting(_ name: String) -> String {
        switches[name] ?? profile.switches.first { $0.name == name }?.values.first ?? ""
    }

    /// Whether a switch was turned away from what the fact sheet assumes.
    func isTurned(_ name: String) -> Bool { setting(name) != profile.switches.first { $0.name == name }?.values.first }

    /// Where its webhooks are sent.
    package var webhookURL: String {
        name == profile.source
            ? "https://recon.example.com/hooks/\(profile.name)" : "https://recon.example.com/hooks/\(name)"
    }

    /// One sequence of numbers per `labels`, of this source alone.
    func randomness(_ label: UInt64, _ id: String) -> Randomness {
        Randomness(seed: seed, label, Identifiers.fold(id))
    }

    private static func secrets(of profile: ProviderProfile, seed: UInt64) -> [String: Secret] {
        var random = Randomness(seed: seed, 8)
        var secrets: [String: Secret] = [:]
        for slot in profile.secrets { secrets[slot.name] = Secret(slot.make(&random)) }
        return secrets
    }

    /// What other sources than Meld's draw from: their numbers have nothing to do with each other.
    static func seed(of name: String, in shape: WorldShape) -> UInt64 {
        name == Names.source ? shape.seed : Randomness.mixed(shape.seed, Identifiers.fold(name))
    }
}
