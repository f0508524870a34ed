package import Providers

/// A source as the webhook loader sees it.
package struct WebhookSource: Sendable {
    package let id: String
    package let scheme: any WebhookScheme
    /// Where the provider delivers: whole URLs, or paths that begin with a slash. Empty: not configured.
    package let urls: [String]
    /// The source is declared to send no signatures (`signature: none`): unsigned deliveries are evidence.
    package let unsignedCounts: Bool

    package init(id: String, scheme: any WebhookScheme, urls: [String] = [], unsignedCounts: Bool = false) {
        self.id = id
        self.scheme = scheme
        self.urls = urls
        self.unsignedCounts = unsignedCounts
    }

    /// Whether a delivery to `url` is meant for this source. A query counts only where the configuration has one.
    func receives(_ url: String) -> Bool {
        let bare = url.prefix { $0 != "?" && $0 != "#" }
        return urls.contains { own in
            if own.hasPrefix("/") { return Self.path(bare) == own }
            return own == url || own == bare
        }
    }

    /// `https://host/hooks/meld` → `/hooks/meld`; a path stays what it is.
    private static func path(_ url: Substring) -> Substring {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
    }
}
