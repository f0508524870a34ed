/// One request as the simulated provider reads it, whatever carried it.
package struct APIRequest: Sendable {
    package let method: String
    package let path: String
    /// Decoded, in the order sent.
    package let query: [(name: String, value: String)]
    /// Lower-case names.
    package let headers: [String: String]
    package let body: [UInt8]

    package init(
        method: String = "GET", path: String, query: [(name: String, value: String)] = [],
        headers: [String: String] = [:], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }
}

package struct APIResponse: Sendable {
    /// How the answer travels; whoever carries it sees to that.
    package enum Delivery: Sendable, Hashable {
        case whole
        /// Everything is announced, half of it sent, then the connection closes.
        case cut
        /// Everything is announced, half of it sent, then nothing for so many milliseconds.
        case stall(milliseconds: Int)
        /// In pieces of so many bytes with a pause before each.
        case drip(bytes: Int, milliseconds: Int)
        /// So many blanks behind the body.
        case padded(bytes: Int)
        /// The connection closes instead.
        case hangUp
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    package var delivery = Delivery.whole

    init(_ status: Int, _ body: [UInt8]) {
        self.status = status
        self.headers = [("Content-Type", "application/json")]
        self.body = body
    }

    /// Puts one value under `name`, whatever stood there.
    mutating func set(_ name: String, _ value: String) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        headers.append((name, value))
    }
}

/// Why a request is not answered with data.
struct Refusal: Error {
    let status: Int
    let code: String
    let message: String

    static func bad(_ message: String) -> Refusal { Refusal(status: 400, code: "BAD_REQUEST", message: message) }
}
