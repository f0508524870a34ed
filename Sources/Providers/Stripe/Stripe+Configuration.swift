package import Payments

/// How one Stripe account's crypto onramp is reached.
package struct StripeConfiguration: Sendable {
    /// What `source_amount` of a session holds, where the session itself does not tell.
    package enum SourceReading: String, Sendable, CaseIterable {
        case includesFees = "includes_fees"
        case excludesFees = "excludes_fees"

        /// Of rows that prove it.
        var flag: String { self == .includesFees ? "reading_fees_included" : "reading_fees_on_top" }
    }

    /// Scheme and host, without a slash at the end.
    package var apiBase: String
    /// `sk_…` or `rk_…`; it decides between test and live objects.
    package var apiKey: Secret
    /// Sent as `Stripe-Version`; nil: the header is not sent, and the account's own version holds.
    package var version: String?
    /// Secrets of the webhook endpoints, old ones too while their deliveries are loaded.
    package var webhookSecrets: [Secret]
    package var pageLimit: Int
    /// Whether the environment is `live`: `livemode` of every object must agree.
    package var isLive: Bool
    /// Keys of `metadata` that are kept; all others are cut.
    package var metadataKeys: [String]
    /// The key of `metadata` that holds the merchant's order id.
    package var orderKey: String
    package var sourceReading: SourceReading
    /// Seconds between a signature's time and the arrival of its delivery beyond which it is stale; nil: any time is good.
    package var tolerance: Int64?
    /// Whether `GET /v1/events` is read as a second webhook history.
    package var readsEvents: Bool
    package var settlesTo: Declaration.SettlesTo?

    /// Stripe's own libraries: DEFAULT_TOLERANCE.
    package static let usualTolerance = 300
    package static let usualOrderKey = "order_id"
    package static let optionNames = [
        "event_list", "metadata_keys", "order_key", "page_limit", "settles_to", "source_amount", "stripe_version",
        "webhook_tolerance",
    ]

    /// Sessions in a coin at par with its currency prove what all others hold.
    package static let learned = LearnedOption(
        "source_amount", usual: SourceReading.includesFees.rawValue,
        flags: [
            (SourceReading.includesFees.rawValue, SourceReading.includesFees.flag),
            (SourceReading.excludesFees.rawValue, SourceReading.excludesFees.flag),
        ])

    /// Throws where a setting is wrong; says which and what is possible, never the key.
    package init(_ options: ProviderOptions) throws(ProviderConfigurationFault) {
        let reader = OptionReader(Stripe.name, options)
        isLive = try reader.isLive()
        let usual = "https://api.stripe.com"
        apiBase = try reader.base(live: usual, sandbox: usual)
        apiKey = try Self.key(reader, isLive: isLive)
        webhookSecrets = options.webhookSecrets
        version = options.options["stripe_version"]
        if let version, version.isEmpty || !OptionReader.isPlain(version) {
            throw reader.fault("stripe_version must be a version such as 2026-08-26.dahlia, without blanks")
        }
        pageLimit = try reader.number("page_limit", 1...100, usual: 100)
        orderKey = options.options["order_key"] ?? Self.usualOrderKey
        var keys = (options.options["metadata_keys"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        if !keys.contains(orderKey) { keys.append(orderKey) }
        for key in keys where !Self.isMetadataKey(key) {
            throw reader.fault(
                "metadata_keys and order_key must name keys of up to 40 letters, digits, '_' and '-', separated by commas"
            )
        }
        metadataKeys = keys
        sourceReading = try reader.word("source_amount") ?? .includesFees
        settlesTo = try reader.word("settles_to")
        let seconds = try reader.number(
            "webhook_tolerance", 0...86_400 * 366, usual: Self.usualTolerance, "seconds, 0 for any time")
        tolerance = seconds == 0 ? nil : Int64(seconds)
        readsEvents = try reader.flag("event_list", yes: "on", no: "off", usual: true)
    }

    private static func key(_ reader: OptionReader, isLive: Bool) throws(ProviderConfigurationFault) -> Secret {
        let key = try reader.apiKey()
        let text = key.reveal()
        guard !text.contains(":") else { throw reader.fault("the API key holds a colon") }
        // A key of the other mode shows other objects: nothing of the account would be found.
        let mode = text.split(separator: "_").dropFirst().first
        if mode == "test", isLive {
            throw reader.fault("the API key is one of test mode, but the environment is live")
        }
        if mode == "live", !isLive {
            throw reader.fault("the API key is one of live mode, but the environment is sandbox")
        }
        return key
    }

    /// Keys are parts of paths, where dots, stars and brackets mean something.
    private static func isMetadataKey(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= 40
            && key.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95 || $0 == 45
            }
    }
}
