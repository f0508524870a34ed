import Payments

/// Mercuryo's Widget Partner API: crypto purchases by card, wallet and local methods, and sales. An element of its list
/// holds the linked operations of one payment, which is one row here. Lists by days of creation, finds a payment by the
/// merchant's reference, sends signed callbacks about single operations; only these tell the fees.
package struct Mercuryo: Provider {
    package static let name = "mercuryo"
    package static let mappingVersion = 2

    package let declaration: Declaration
    package let payments: Resource
    package let webhooks: (any WebhookScheme)?

    package init(configuration: MercuryoConfiguration, statusMap: StatusMap) {
        let mapping = MercuryoMapping(statusMap: statusMap, widgetID: configuration.widgetID)
        let pages = MercuryoPages(configuration: configuration, mapping: mapping)
        declaration = Self.declared
        payments = Resource(mapping: mapping, lister: pages, reader: pages)
        webhooks = MercuryoWebhooks(signKeys: configuration.signKeys, statusMap: statusMap)
    }

    /// What the provider declares as data; which states come with an event stands in its status map. The budget is the
    /// provider's own advice.
    package static let declared: Declaration = {
        var declared = Declaration(
            lists: ["transaction"], readsByID: [], settlesTo: .customer, eventHistory: false, feesSeen: ["event"],
            eventsCarryAmounts: true, budget: RequestBudget(1, perSeconds: 10))
        // Its documents know no refund; the status that one integrator saw counts where it comes.
        declared.showsReturns = .never
        declared.showsDisputes = false
        return declared
    }()

    /// Personal data and payout details. Addresses only where a join needs them: the one that the crypto goes to.
    static let redactedPaths =
        PersonalData.paths + [
            "deposit.address", "sell.address", "**.bank", "**.bank_details", "**.card", "**.card_number", "**.iban",
            "**.ip", "**.name", "**.payout_details", "**.refund_address", "**.sign_key", "**.token", "**.user",
        ]

    /// Links to an explorer, which may change with the explorer.
    static let volatilePaths = ["deposit.url", "sell.url", "withdraw.url"]
}
