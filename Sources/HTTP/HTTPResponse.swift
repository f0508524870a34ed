/// A complete response: its body arrived whole, within the cap, and is decompressed.
package struct HTTPResponse: Sendable {
    package let status: Int
    package let headers: HTTPHeaders
    package let body: HTTPBody
    /// Bytes of the body as they came over the wire, compressed or not.
    package let wireBytes: Int
    /// Whether the request needed no new connection.
    package let reusedConnection: Bool

    package init(
        status: Int, headers: HTTPHeaders, body: HTTPBody, wireBytes: Int = 0, reusedConnection: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.wireBytes = wireBytes
        self.reusedConnection = reusedConnection
    }
}

/// Header lines in the order they came; names compare without case.
package struct HTTPHeaders: Sendable {
    package private(set) var lines: [(name: String, value: String)]

    package init(_ lines: [(name: String, value: String)] = []) { self.lines = lines }

    /// The first value under `name`.
    package subscript(_ name: String) -> String? {
        let wanted = name.lowercased()
        return lines.first { $0.name.lowercased() == wanted }?.value
    }

    /// Every value under `name`, in order.
    package func all(_ name: String) -> [String] {
        let wanted = name.lowercased()
        return lines.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    mutating func append(_ name: String, _ value: String) { lines.append((name, value)) }
    mutating func removeAll() { lines.removeAll() }
}
