import CCurl

/// The part of a URL that may be shown: host and path. A query can carry a customer's id, a cursor or a signature.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let path: String
    let scheme: String
    /// Host and port, for what is counted by server.
    let authority: String

    package var description: String { host + path }

    private static let unreadable = Endpoint(host: "?", path: "", scheme: "", authority: "")

    private init(host: String, path: String, scheme: String, authority: String) {
        self.host = host
        self.path = path
        self.scheme = scheme
        self.authority = authority
    }

    /// What may be shown of `url`; `?` where it is no URL.
    init(of url: String) {
        self = Endpoint(parsing: url) ?? Endpoint.unreadable
    }

    /// Reads `url` with the parser that also sends it, so that both see the same host. Nil where it is malformed or
    /// carries a user name or password, which belong into secret headers.
    init?(parsing url: String) {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_DISALLOW_USER) | UInt32(CURLU_NON_SUPPORT_SCHEME)
        guard !url.utf8.contains(0), curl_url_set(handle, CURLUPART_URL, url, flags) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: handle), let host = Self.part(CURLUPART_HOST, of: handle)
        else { return nil }
        let port = Self.part(CURLUPART_PORT, of: handle, flags: UInt32(CURLU_DEFAULT_PORT)) ?? ""
        self.init(
            host: host, path: Self.part(CURLUPART_PATH, of: handle) ?? "/", scheme: scheme.lowercased(),
            authority: "\(scheme)://\(host.lowercased()):\(port)")
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
