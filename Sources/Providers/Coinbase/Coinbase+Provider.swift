import JSON
import Payments

/// Coinbase Onramp: it sells crypto as merchant of record. Transactions (v1) are listed for the whole app, finished ones
/// alone, and for each customer, open ones too. Orders (v2) are a second view of payments that began in the merchant's own
/// checkout: read by id alone, so that book and events must name them. Events are signed and tell of either.
package struct Coinbase: Provider {
    package static let name = "coinbase"
    package static let mappingVersion = 1

    package let declaration: Declaration
    package let payments: Resource
    package let others: [Resource]
    package let webhooks: (any WebhookScheme)?
    package let signer: (any RequestSigner)?

    package init(configuration: CoinbaseConfiguration, statusMap: StatusMap) {
        let mapping = CoinbaseMapping(statusMap: statusMap, isLive: configuration.isLive)
        let pages = CoinbasePages(configuration: configuration, mapping: mapping)
        declaration = Self.declared
        payments = Resource(mapping: mapping, lister: pages, reader: pages)
        let orders = CoinbaseOrderMapping(statusMap: statusMap, isLive: configuration.isLive)
        others = [
            Resource(mapping: orders, reader: CoinbaseOrders(configuration: configuration, mapping: orders))
        ]
        webhooks = CoinbaseWebhooks(
            secrets: configuration.webhookSecrets, statusMap: statusMap, isLive: configuration.isLive)
        signer = CoinbaseSigner(configuration)
    }

    /// What the provider declares as data; which states come with an event stands in its status map. v1 names no limit:
    /// a tenth of the one that is known of another of its endpoints.
    package static let declared: Declaration = {
        var declared = Declaration(
            lists: ["transaction"], readsByID: ["order"], settlesTo: .customer, eventHistory: false,
            feesSeen: ["transaction"], eventsCarryAmounts: true, budget: RequestBudget(10, perSeconds: 1))
        // Not even where the card is refunded: no status says so.
        declared.showsReturns = .never
        declared.showsDisputes = false
        return declared
    }()

    /// Personal data and credentials, in both spellings.
    static let redactedPaths =
        PersonalData.paths
        + Spelling.both([
            "**.user_id", "**.session_token", "**.secret", "**.token", "**.payment_link", "**.payment_link_url",
            "**.onramp_url", "**.partner_user_email",
        ])

    static let opaquePaths = Spelling.both(["**.partner_user_ref"])

    /// A customer's reference stays while it is an opaque one; of another it stays whether it is a test customer's.
    static let redaction = Redaction(
        paths: redactedPaths, opaque: opaquePaths,
        by: OpaqueRule(marks: [CoinbaseFields.testPrefix], isOpaque: CoinbaseFields.isOpaque))

    /// The customer by the merchant's reference, where it may be stored; test customers belong into no live source.
    static func note(customer reference: String?, isLive: Bool, into mapped: inout MappedTransaction) {
        guard let reference else { return }
        mapped.isTest = isLive && reference.hasPrefix(CoinbaseFields.testPrefix)
        if CoinbaseFields.isOpaque(reference) {
            mapped.customerID = reference
        } else {
            mapped.flags.append("customer_not_opaque")
        }
    }

    static func flags(into mapped: inout MappedTransaction) {
        if !mapped.reading.isKnown { mapped.flags.append("status_unknown") }
        if mapped.reading.event == .expected { mapped.flags.append("event_expected") }
        if mapped.charged?.isNegative == true || mapped.delivered?.isNegative == true {
            mapped.flags.append("negative_amount")
        }
    }
}
