package import Loading
package import Payments
package import Reconciling

/// Everything the operator decided, read once at the start and never changed. `tieout.json5` beside the data, or the
/// file that `--config` names; SecretReference says where secrets lie.
package struct Configuration: Sendable {
    /// The file it came from, for messages; relative paths inside are relative to its folder.
    package let file: String
    package let directory: String
    /// libpq connection text, or nil for the private cluster.
    package let database: Secret?
    /// Where the private cluster and its socket live; nil for the default place.
    package let stateDirectory: String?
    /// Where reports are published.
    package let reports: String
    package let accounts: [AccountConfiguration]

    package func account(named name: String) -> AccountConfiguration? { accounts.first { $0.name == name } }
}

/// One account: the legal entity that owns the payouts.
package struct AccountConfiguration: Sendable {
    package let id: Int64
    package let name: String
    /// IANA zone in which business days are counted.
    package let zone: String
    /// Seconds after local midnight at which a business day starts.
    package let cutOffSeconds: Int64
    package let sources: [SourceConfiguration]
    /// Files and folders that a job's load step reads.
    package let orderInputs: InputConfiguration
    package let webhookInputs: InputConfiguration
    package let settlements: [SettlementConfiguration]
    package let terms: [TermConfiguration]
    package var orders: [String] { orderInputs.paths }
    package var webhooks: [String] { webhookInputs.paths }
    /// Rule parameters, by rule and name; checked against the rules' own `param` lines.
    package let parameters: [String: [String: String]]
}

/// One provider account in one environment.
package struct SourceConfiguration: Sendable {
    package enum Life: String, Sendable, CaseIterable { case active, draining, retired }
    package enum Environment: String, Sendable, CaseIterable { case live, sandbox }
    /// When the book may credit the customer: once the money is taken, or only once it is settled or delivered.
    package enum CreditPolicy: String, Sendable, CaseIterable {
        case onPaid = "on_paid"
        case onSettled = "on_settled"
    }
    enum Signature: String, CaseIterable { case required, none }
    enum Retention: String, CaseIterable { case cut, full }

    package let name: String
    package let provider: String
    package let environment: Environment
    package let life: Life
    package let succeeds: String?
    package let beneath: String?
    /// Its own, else its account's; `credited_unsettled` is about the stricter one.
    package let creditPolicy: CreditPolicy
    /// Base address of the API; nil for the provider's own of that environment.
    package let apiBase: String?
    package let apiKey: Secret
    /// Further secrets of the provider, by name.
    package let secrets: [String: Secret]
    /// Newest first; older ones stay for history.
    package let webhookSecrets: [Secret]
    /// Where the secrets of payments are found, where each payment has its own.
    package let webhookSecretTable: SecretTableConfiguration?
    /// The provider sends no signatures (`webhook_signature: "none"`): unsigned events are evidence.
    package let unsignedCounts: Bool
    /// Bodies of events are kept whole (`retain: "full"`), secret and personal fields included.
    package let retainsAll: Bool
    /// The addresses deliveries were captured at: they tell whose a delivery is.
    package let webhookURLs: [String]
    /// Private CA file for TLS, beside nothing else: verification is never off.
    package let caFile: String?
    package let lookBackSeconds: Int64
    package let settleLagSeconds: Int64
    /// How old windows are read again: a seventh a night, all of it, or not at all.
    package let sweep: PollSettings.Sweep
    package let maxAgeSeconds: Int64
    /// Nil: as the provider declares.
    package let requestsPerMinute: Int?
    package let pageLimit: Int
    /// Seconds without a byte after which a request counts as stalled; nil: the HTTP layer's own.
    package let stallSeconds: Int64?
    /// Seconds that one request may take as a whole; nil: the HTTP layer's own.
    package let requestSeconds: Int64?
    /// Start of the first walk; nil for as far back as the provider goes.
    package let since: Timestamp?
    /// Provider's own settings, as text (`meld_version`, `account_id`, …).
    package let options: [String: String]
}

/// A due time: how long after the money was taken it should have arrived. The most specific one wins.
package struct TermConfiguration: Sendable {
    package let source: String?
    package let provider: String?
    package let paymentMethod: String?
    package let direction: Direction?
    package let currency: String?
    package let amount: Int
    package let unit: Term.Unit
    package let cutOff: String?
    package let zone: String?
    package let calendars: String?
}
