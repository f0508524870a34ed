import Payments

/// Stripe's crypto onramp: sells crypto as merchant of record. Sessions are listed by creation and read by id, amounts are
/// decimal texts in major units; the account's event log of 30 days is a second webhook history. There are no refunds,
/// disputes or payouts of an onramp.
package struct Stripe: Provider {
    package static let name = "stripe"
    package static let mappingVersion = 2

    package let declaration: Declaration
    package let payments: Resource
    package let webhooks: (any WebhookScheme)?
    package let events: (any EventLister)?

    package init(configuration: StripeConfiguration, statusMap: StatusMap) {
        let mapping = StripeMapping(configuration: configuration, statusMap: statusMap)
        let door = StripeDoor(configuration: configuration)
        let sessions = StripeSessions(door: door, mapping: mapping)
        let body = StripeEventBody(
            statusMap: statusMap, isLive: configuration.isLive, orderKey: configuration.orderKey,
            metadataKeys: configuration.metadataKeys)
        var declared = Self.declared
        declared.settlesTo = configuration.settlesTo ?? declared.settlesTo
        declared.eventHistory = configuration.readsEvents
        declaration = declared
        payments = Resource(mapping: mapping, lister: sessions, reader: sessions)
        webhooks = StripeWebhooks(
            secrets: configuration.webhookSecrets, tolerance: configuration.tolerance, body: body)
        events = configuration.readsEvents ? StripeEvents(door: door, body: body) : nil
    }

    /// What the provider declares as data; which states come with an event stands in its status map. 25 requests a second
    /// are allowed per endpoint and in a sandbox as a whole (https://docs.stripe.com/rate-limits).
    package static let declared: Declaration = {
        var declared = Declaration(
            lists: ["transaction"], readsByID: ["transaction"], settlesTo: .customer, eventHistory: true,
            feesSeen: ["transaction"], eventsCarryAmounts: false, budget: RequestBudget(20, perSeconds: 1))
        // As Stripe's own libraries do: what the header says, else a conflict with another request is over soon.
        declared.retryHeader = "stripe-should-retry"
        declared.retriedStatuses = [409]
        // No state of a session comes after its fulfilment or rejection.
        declared.showsReturns = .never
        declared.showsDisputes = false
        return declared
    }()

    /// Secrets, addresses with tokens, and whatever Stripe may come to tell about a person.
    static let redactedPaths =
        PersonalData.paths + [
            "**.client_secret", "**.redirect_url", "**.kyc_details", "**.customer_information",
        ]

    /// Metadata are the merchant's own and may hold anything; of the wallets only the tag is needed beside the address.
    static func keptOnly(_ metadataKeys: [String]) -> [String: [String]] {
        ["metadata": metadataKeys, "transaction_details.wallet_addresses": ["destination_tags.*"]]
    }

    /// None of a session: what changes without meaning is cut anyway.
    static let volatilePaths: [String] = []
}
