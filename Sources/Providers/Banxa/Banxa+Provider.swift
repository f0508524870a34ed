package import HTTP
import JSON
import Payments

/// Banxa sells crypto to end customers and buys it from them. One order (a ramp, as Native calls it) is one payment.
/// Three APIs show them: `v2` and `legacy` list by days and read by id, `native` reads by id alone; the book, events and
/// other records name the ids. Signed webhooks tell of every status, without an id of their own.
package struct Banxa: Provider {
    package static let name = "banxa"
    package static let mappingVersion = 2

    package let declaration: Declaration
    package let payments: Resource
    package let webhooks: (any WebhookScheme)?
    package let signer: (any RequestSigner)?
    package let addressOptions: [String]

    package init(configuration: BanxaConfiguration, statusMap: StatusMap) {
        let surface = configuration.surface
        let mapping = BanxaMapping(
            statusMap: statusMap, surface: surface, isBanxasSandbox: configuration.isBanxasSandbox)
        let pages = BanxaPages(configuration: configuration, mapping: mapping)
        addressOptions = surface == .v2 ? ["partner_ref", "surface"] : ["surface"]
        declaration = Self.declared(surface)
        payments = Resource(mapping: mapping, lister: surface == .native ? nil : pages, reader: pages)
        webhooks = BanxaWebhooks(secrets: configuration.webhookSecrets, statusMap: statusMap)
        signer =
            surface == .v2
            ? nil : configuration.apiSecret.map { BanxaSigner(key: configuration.apiKey, secret: $0) }
    }

    package func refusesCredentials(_ response: HTTPResponse) -> Bool { BanxaAnswer.refusesCredentials(response) }

    /// What the provider declares as data; which states come with an event stands in its status map. 500 requests a
    /// minute over all endpoints of an address: half of that leaves room for whatever else runs there.
    static func declared(_ surface: BanxaSurface) -> Declaration {
        let isNative = surface == .native
        var declared = Declaration(
            lists: isNative ? [] : ["transaction"], readsByID: ["transaction"], settlesTo: .customer,
            eventHistory: false, feesSeen: ["transaction"], eventsCarryAmounts: false,
            budget: RequestBudget(250, perSeconds: 60))
        declared.showsTags = true
        declared.showsReturns = .whole
        declared.showsDisputes = false
        return declared
    }
}
