package import HTTP

/// dLocal, payins: cards (Apple Pay among them) and local ways to pay. It lists nothing: payments are found through the
/// merchant's orders (`GET /orders/{order_id}`), through notifications, and through what settlement files name. Refunds and
/// chargebacks are objects of their own, and a payment never says what became of them.
package struct DLocal: Provider {
    package static let name = "dlocal"
    package static let mappingVersion = 1

    package let declaration: Declaration
    package let payments: Resource
    package let others: [Resource]
    package let webhooks: (any WebhookScheme)?
    package let signer: (any RequestSigner)?
    package let probe: HTTPRequest?

    package init(configuration: DLocalConfiguration, statusMap: StatusMap) {
        let context = DLocalReading(
            statusMap: statusMap, keepsUserReference: configuration.keepsUserReference)
        func resource(_ kind: DLocalKind) -> Resource {
            let mapping = DLocalMapping(kind: kind, reading: context)
            return Resource(mapping: mapping, reader: DLocalPages(configuration: configuration, kind: kind))
        }
        payments = resource(.payment)
        others = [resource(.refund), resource(.dispute)]
        declaration = Self.declared
        webhooks = DLocalWebhooks(configuration: configuration, reading: context)
        signer = DLocalSigner(login: configuration.login, key: configuration.secretKey)
        probe = DLocalPages.request("/payments-methods?country=\(configuration.probeCountry)", configuration)
    }

    /// 403 says who is not let in; a wrong digest and a missing or malformed header are answered with 400.
    package func refusesCredentials(_ response: HTTPResponse) -> Bool {
        // Every answer is asked about: only a refusal is read for it.
        [400, 401, 403].contains(response.status) && DLocalRefusal(response).isOfCredentials
    }

    /// What the provider declares as data; which states come with an event stands in its status map. Requests: none are
    /// published, five a second is taken as safe.
    package static let declared: Declaration = {
        var declared = Declaration(
            lists: [], readsByID: ["transaction", "refund", "dispute"], settlesTo: .merchant, eventHistory: false,
            feesSeen: ["settlement"], eventsCarryAmounts: true, budget: RequestBudget(5, perSeconds: 1))
        declared.settledByLines = true
        return declared
    }()

    /// Credentials, card, bank and personal data, and addresses that carry tokens: cut before anything is stored,
    /// wherever they stand.
    static let redactedPaths =
        PersonalData.paths + [
            "**.account_number", "**.acquirer", "**.address", "**.applepay_token", "**.authorization", "**.bank",
            "**.bank_account", "**.bank_account_type", "**.bank_branch", "**.beneficiary", "**.bin",
            "**.callback_url", "**.card_bin", "**.card_id", "**.card_merchant_id", "**.card_token", "**.cavv",
            "**.cryptogram", "**.cryptogram_in_memory", "**.cvv", "**.cvv_in_memory", "**.description",
            "**.device_id", "**.document", "**.document_number", "**.document2", "**.encrypted_data",
            "**.expiration_month", "**.expiration_year", "**.idempotency_key", "**.ip", "**.name", "**.network_token",
            "**.notification_url", "**.number", "**.recurring_info", "**.redirect_url", "**.secret_key",
            "**.three_dsecure", "**.token", "**.user_email", "**.user_reference", "**.wallet", "**.x_login",
            "**.x_trans_key",
        ]

    /// Of the card what tells it to a person, of the payer nothing but an opaque key (see `DLocalReading`).
    static let keptOnly = [
        "card": ["brand", "category", "country", "last4", "type", "wallet_type"],
        "payer": [],
    ]

    /// Prose that changes its wording ("The payment was paid", with and without a full stop).
    static let volatilePaths = ["**.status_detail"]
}
