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
    package static let usualTolerance: Int64 = 300
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
        guard ["live", "sandbox"].contains(options.environment) else {
            throw Self.fault("environment `\(options.environment)` is neither live nor sandbox")
        }
        isLive = options.environment == "live"
        let base = options.apiBase ?? "https://api.stripe.com"
        apiBase = base.hasSuffix("/") ? String(base.dropLast()) : base
        apiKey = try Self.key(options.apiKey, isLive: isLive)
        webhookSecrets = options.webhookSecrets
        let texts = options.options
        version = try texts["stripe_version"].map { text throws(ProviderConfigurationFault) in
            guard !text.isEmpty, Self.isHeaderText(text) else {
                throw Self.fault("stripe_version must be a version such as 2026-08-26.dahlia, without blanks")
            }
            return text
        }
        pageLimit = 100
        if let text = texts["page_limit"] {
            guard let limit = Int(text), (1...100).contains(limit) else {
                throw Self.fault("page_limit must be 1 to 100")
            }
            pageLimit = limit
        }
        orderKey = texts["order_key"] ?? Self.usualOrderKey
        var keys = (texts["metadata_keys"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        if !keys.contains(orderKey) { keys.append(orderKey) }
        for key in keys where !Self.isMetadataKey(key) {
            throw Self.fault(
                "metadata_keys and order_key must name keys of up to 40 letters, digits, '_' and '-', separated by commas"
            )
        }
        metadataKeys = keys
        sourceReading = try Self.word(texts["source_amount"], "source_amount") ?? .includesFees
        settlesTo = try Self.word(texts["settles_to"], "settles_to")
        tolerance = Self.usualTolerance
        if let text = texts["webhook_tolerance"] {
            guard let seconds = Int64(text), (0...86_400 * 366).contains(seconds) else {
                throw Self.fault("webhook_tolerance must be seconds, 0 for any time")
            }
            tolerance = seconds == 0 ? nil : seconds
        }
        switch texts["event_list"] {
        case nil, "on": readsEvents = true
        case "off": readsEvents = false
        default: throw Self.fault("event_list must be on or off")
        }
    }

    private static func fault(_ text: String) -> ProviderConfigurationFault {
        ProviderConfigurationFault("stripe: \(text)")
    }

    private static func key(_ key: Secret?, isLive: Bool) throws(ProviderConfigurationFault) -> Secret {
        guard let key, !key.isEmpty else { throw fault("an API key is needed") }
        let text = key.reveal()
        // A line break in a header would end it; a key pasted from a file often carries one.
        guard isHeaderText(text), !text.contains(":") else {
            throw fault("the API key holds blanks, line breaks or a colon")
        }
        // A key of the other mode shows other objects: nothing of the account would be found.
        let mode = text.split(separator: "_").dropFirst().first
        if mode == "test", isLive { throw fault("the API key is one of test mode, but the environment is live") }
        if mode == "live", !isLive { throw fault("the API key is one of live mode, but the environment is sandbox") }
        return key
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String?, _ name: String
    ) throws(ProviderConfigurationFault) -> Word? where Word.RawValue == String {
        guard let text else { return nil }
        guard let word = Word(rawValue: text) else {
            throw fault("\(name) must be \(Word.allCases.map(\.rawValue).joined(separator: " or "))")
        }
        return word
    }

    private static func isHeaderText(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value > 32 && $0.value < 127 }
    }

    /// Keys are parts of paths, where dots, stars and brackets mean something.
    private static func isMetadataKey(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= 40
            && key.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95 || $0 == 45
            }
    }
}
