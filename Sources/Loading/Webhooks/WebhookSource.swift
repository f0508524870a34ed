import Payments
package import Providers

/// A source as the webhook loader sees it.
package struct WebhookSource: Sendable {
    package let id: String
    package let scheme: any WebhookScheme
    /// Where the provider delivers: whole URLs, or paths that begin with a slash. Empty: not configured.
    package let urls: [String]
    /// The source is declared to send no signatures (`signature: none`): unsigned deliveries are evidence.
    package let unsignedCounts: Bool
    /// Bodies are kept whole (`retain: "full"`): they can be verified again as long as they are stored.
    package let retainsAll: Bool
    /// Finds the secrets of payments, where each payment has its own; nil: the source's are all.
    package let lookUp: SecretLookUp?
    /// The scheme's, sorted.
    let signatureHeaders: [String]

    package init(
        id: String, scheme: any WebhookScheme, urls: [String] = [], unsignedCounts: Bool = false,
        retainsAll: Bool = false, lookUp: SecretLookUp? = nil
    ) {
        self.id = id
        self.scheme = scheme
        self.urls = urls
        self.unsignedCounts = unsignedCounts
        self.retainsAll = retainsAll
        self.lookUp = lookUp
        signatureHeaders = scheme.signatureHeaders.sorted()
    }

    /// Whether a delivery of this verdict is evidence.
    func counts(_ verdict: Verdict) -> Bool { verdict == .valid || (verdict == .unsigned && unsignedCounts) }

    /// Whether a delivery to `url` is meant for this source. A query counts only where the configuration has one.
    func receives(_ url: String) -> Bool {
        if urls.contains(url) { return true }
        let bare = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let text = Substring(bare)
        return urls.contains { own in own.hasPrefix("/") ? Self.path(text) == own : own == text }
    }

    /// `https://host/hooks/meld` → `/hooks/meld`; a path stays what it is.
    private static func path(_ url: Substring) -> Substring {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
    }
}
