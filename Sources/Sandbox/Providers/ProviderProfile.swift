import Payments

/// What a provider is as data, before any world: names, secrets, what people pay with, which stories it can play.
struct ProviderProfile: Sendable {
    /// As configurations name it, e.g. `mercuryo`.
    let name: String
    /// What the merchant's order numbers begin with.
    let bookPrefix: String
    /// As Meld calls it where it carries Meld's payments out; nil: it does not.
    let carriedAs: String?
    /// `live` or `sandbox`: what the account is configured as. A live one can show a test payment.
    let environment: String
    /// Ways to pay: the first is the usual one.
    let corridors: [Corridor]
    /// Credentials and signing keys.
    let secrets: [SecretSlot]
    /// Each payment has a webhook secret of its own, written into a table for the client.
    let hasPaymentSecrets: Bool
    /// Assumptions of the fact sheet that can be turned round.
    let switches: [Switch]
    /// Turns that its vocabulary has a word for.
    let turns: Set<Status>
    /// What is taken goes to the merchant by payouts, and not to the customer as an asset.
    let settlesToMerchant: Bool
    /// It pays customers out as well.
    let sells: Bool
    /// Stories that it can show.
    let plays: Set<Play>
    /// The turn of a good end whose event is a finding where it is missing.
    let announced: Status
    /// The turn of which an event may tell though the provider's own record never took it (`webhookConflict`).
    let contradiction: Status
    /// When what was paid is due.
    let terms: [Term]
    /// Further lines of the source in the configuration, without the comma behind: `options: {a: "b"}`.
    let configuration: @Sendable (SimulatedSource) -> [String]
    /// What a ledger calls an asset of this provider.
    let assetCode: @Sendable (Crypto) -> String
    /// An id of a payment as the provider shapes it.
    let transactionID: @Sendable (inout Randomness) -> String

    init(
        name: String, bookPrefix: String, carriedAs: String? = nil, environment: String = "sandbox",
        corridors: [Corridor], secrets: [SecretSlot],
        hasPaymentSecrets: Bool = false, switches: [Switch] = [], turns: Set<Status>, sells: Bool = false,
        settlesToMerchant: Bool = false,
        plays: Set<Play>,
        announced: Status = .settled, contradiction: Status = .refunded,
        terms: [Term] = [Term(amount: 24, unit: "hours")],
        configuration: @escaping @Sendable (SimulatedSource) -> [String] = { _ in [] },
        assetCode: @escaping @Sendable (Crypto) -> String = { String($0.code.prefix { $0 != "_" }) },
        transactionID: @escaping @Sendable (inout Randomness) -> String
    ) {
        self.name = name
        self.bookPrefix = bookPrefix
        self.carriedAs = carriedAs
        self.environment = environment
        self.corridors = corridors
        self.secrets = secrets
        self.hasPaymentSecrets = hasPaymentSecrets
        self.switches = switches
        self.turns = turns
        self.sells = sells
        self.settlesToMerchant = settlesToMerchant
        self.plays = plays
        self.announced = announced
        self.contradiction = contradiction
        self.terms = terms
        self.configuration = configuration
        self.assetCode = assetCode
        self.transactionID = transactionID
    }

    /// How its first source is called.
    var source: String { "\(name)-sandbox" }

    /// A secret of the made-up account: it follows from the seed and opens nothing but the sandbox.
    struct SecretSlot: Sendable {
        enum Role: Sendable {
            /// `api_key` of the configuration.
            case apiKey
            /// One of `webhook_secrets`.
            case webhook
            /// One of `secrets`, under its own name.
            case named
            /// The server's half: checked here, not written for the client.
            case server
        }

        /// Its file below `secrets/`, and how the simulator asks for it.
        let name: String
        let role: Role
        let make: @Sendable (inout Randomness) -> String

        init(_ name: String, _ role: Role, make: @escaping @Sendable (inout Randomness) -> String) {
            self.name = name
            self.role = role
            self.make = make
        }
    }

    /// One thing that the fact sheet only assumes.
    struct Switch: Sendable {
        let name: String
        /// What it can be; the first is what the sheet assumes.
        let values: [String]
        let meaning: String

        init(_ name: String, _ values: [String], _ meaning: String) {
            self.name = name
            self.values = values
            self.meaning = meaning
        }
    }

    /// A due time, as the configuration writes it.
    struct Term: Sendable {
        var method: String?
        var direction: Direction?
        let amount: Int
        let unit: String
        var cutOff: String?
        var zone: String?
        var calendars: String?

        init(
            method: String? = nil, direction: Direction? = nil, amount: Int, unit: String, cutOff: String? = nil,
            zone: String? = nil, calendars: String? = nil
        ) {
            self.method = method
            self.direction = direction
            self.amount = amount
            self.unit = unit
            self.cutOff = cutOff
            self.zone = zone
            self.calendars = calendars
        }

        /// Its members in a configuration, behind the source.
        var members: String {
            let named = [
                ("payment_method", method), ("direction", direction?.rawValue), ("unit", unit), ("cut_off", cutOff),
                ("zone", zone), ("calendars", calendars),
            ]
            return "amount: \(amount)"
                + named.map { name, value in value.map { ", \(name): \"\($0)\"" } ?? "" }.joined()
        }
    }
}
