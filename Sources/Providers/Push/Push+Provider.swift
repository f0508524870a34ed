package import HTTP
import JSON
package import Payments

/// Push Cash: card and bank pay-ins (`cash_in`) and pay-outs (`cash_out`) in US dollars. A payment is an intent; the
/// ledger's transactions are settlement lines, its transfers are payouts, refunds and disputes have lists of their own
/// (ACH returns are disputes). Nothing has a time of change, so everything is read again for a while; only approval and
/// decline are announced, by webhooks that each payment has to be given an address for.
package struct Push: Provider {
    package static let name = "push"
    package static let mappingVersion = 2

    package let declaration: Declaration
    package let payments: Resource
    package let others: [Resource]
    package let webhooks: (any WebhookScheme)?

    package init(configuration: PushConfiguration, statusMap: StatusMap, currencies: CurrencyTable) {
        func resource(_ kind: PushKind) -> Resource {
            let mapping = PushMapping(
                kind: kind, statusMap: statusMap, currencies: currencies, configuration: configuration)
            let pages = PushPages(configuration: configuration, mapping: mapping)
            return Resource(mapping: mapping, lister: pages, reader: pages)
        }
        var declared = Self.declared
        declared.settlesTo = configuration.settlesTo ?? declared.settlesTo
        declaration = declared
        payments = resource(.intent)
        // What names others is read before them: a transfer names its lines, a line its refund or dispute.
        others = [.transfer, .line, .refund, .dispute].map(resource)
        webhooks = PushWebhooks(
            secrets: configuration.webhookSecrets, statusMap: statusMap, isLive: configuration.isLive)
    }

    /// What the provider declares as data; which states come with an event stands in its status map.
    package static let declared = Declaration(
        lists: PushKind.allCases.map(\.rawValue), readsByID: PushKind.allCases.map(\.rawValue), settlesTo: .merchant,
        eventHistory: false, feesSeen: ["never"], eventsCarryAmounts: false,
        // 1,000 reads within any hour; other work of the merchant's under the same key counts too and is answered with 429.
        budget: RequestBudget(1000, perSeconds: 3600, isQuota: true))

    /// 401 is also how a declined intent or refund is answered: with its id and status, and the key is none the worse
    /// for it. 403 is the answer to writes from an address that is not allowed; reads never get it for that.
    package func refusesCredentials(_ response: HTTPResponse) -> Bool {
        switch response.status {
        case 403: true
        case 401: PushPages.declined(response) == nil
        default: false
        }
    }

    /// Card, bank and personal data, tokens and secrets, the customer's spending profile: cut before anything is stored.
    /// Of the credential its last four digits and its brand stay (`credential`).
    static let redactedPaths =
        PersonalData.paths + [
            "**.address", "**.bank_name", "**.expiration", "**.limits_utilization", "**.number_mask",
            "**.payment_credential", "**.primary_account_number_mask", "**.routing", "**.token", "**.token_id",
            "**.transactionIdentifier", "**.transaction_identifier", "**.user", "**.webhook_secret", "**.webhook_url",
        ]

    /// The merchant chooses them: kept as long as they are no e-mail address and no name.
    static let opaquePaths = ["**.tag", "**.idempotency_key"]

    /// What an account holds moves with every payment of anybody.
    static let volatilePaths = ["account.balance"]

    /// One for rows and events of every kind.
    static let redaction = Redaction(paths: redactedPaths, opaque: opaquePaths)
    static let comparison = redaction.cutting(volatilePaths)
}

/// The kinds of records, by the resource that each is to us.
package enum PushKind: String, Sendable, Hashable, CaseIterable {
    case intent = "transaction"
    case transfer = "payout"
    case line = "settlement_line"
    case refund, dispute

    /// The word in the addresses of the API.
    var path: String {
        switch self {
        case .intent: "intent"
        case .transfer: "transfer"
        case .line: "transaction"
        case .refund: "refund"
        case .dispute: "dispute"
        }
    }

    /// Kinds of references whose values are ids of such records.
    var idKinds: [String] {
        switch self {
        case .intent: ["push:transaction", "push:order"]
        case .transfer: ["push:payout"]
        case .line: ["push:line"]
        case .refund: ["push:refund"]
        case .dispute: ["push:dispute"]
        }
    }
}
