package import Payments

/// One request. Ordinary headers may be shown; what must never be goes into `secretHeaders`.
package struct HTTPRequest: Sendable {
    package var method: String
    /// The whole URL with its query. Errors and logs only ever carry its host and path.
    package var url: String
    package var headers: [(name: String, value: String)]
    package var secretHeaders: [(name: String, value: Secret)]
    package var body: [UInt8]?
    /// Whether sending it twice does no more than sending it once. GET, HEAD, PUT, DELETE and OPTIONS are; a provider
    /// that reads by POST says so itself. What is not repeatable is sent again only where it surely had no effect.
    package var isRepeatable: Bool
    /// What errors and logs show instead of the path, where the path names a person; nil: the path itself.
    package var shownPath: String?

    package init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [],
        secretHeaders: [(name: String, value: Secret)] = [], body: [UInt8]? = nil, isRepeatable: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.secretHeaders = secretHeaders
        self.body = body
        self.isRepeatable = isRepeatable ?? ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"].contains(method)
    }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `GET host/path`: no query, no header, no body.
    package var description: String {
        let endpoint = Endpoint(of: url)
        return "\(method) \(endpoint.host)\(shownPath ?? endpoint.path)"
    }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
