import Payments

/// One request as a simulated provider reads it, whatever carried it.
package struct APIRequest: Sendable {
    package let method: String
    package let path: String
    /// Path and query exactly as sent: some providers sign them so.
    package let target: String
    /// Decoded, in the order sent.
    package let query: [(name: String, value: String)]
    /// Lower-case names.
    package let headers: [String: String]
    package let body: [UInt8]

    /// `target`: as it was sent, where that is known; else it is put together from path and query.
    package init(
        method: String = "GET", path: String, query: [(name: String, value: String)] = [],
        headers: [String: String] = [:], body: [UInt8] = [], target: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        let joined = query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        self.target = target ?? (query.isEmpty ? path : "\(path)?\(joined)")
    }

    /// From path and query as they are sent: what a client calls without a socket between.
    package init(
        method: String = "GET", target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let pairs = parts.count == 2 ? parts[1].split(separator: "&") : []
        let query = pairs.map { pair in
            let pieces = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: Self.decoded(pieces[0]), value: pieces.count == 2 ? Self.decoded(pieces[1]) : "")
        }
        var names: [String: String] = [:]
        for (name, value) in headers { names[name.lowercased()] = value }
        self.init(
            method: method, path: Self.decoded(parts[0], isPath: true), query: query, headers: names, body: body,
            target: target)
    }

    /// The first value under a name of the query.
    func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// All values under a name of the query: repeated, or joined by commas.
    func values(_ name: String) -> [String] {
        query.filter { $0.name == name }.flatMap { $0.value.split(separator: ",").map(String.init) }
    }

    /// Parts of the path between slashes.
    var parts: [String] { path.split(separator: "/", omittingEmptySubsequences: true).map(String.init) }

    private static func decoded(_ text: Substring, isPath: Bool = false) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") && !isPath ? 32 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
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

    init(_ status: Int, _ body: [UInt8], type: String = "application/json") {
        self.status = status
        self.headers = [("Content-Type", type)]
        self.body = body
    }

    /// Puts one value under `name`, whatever stood there.
    mutating func set(_ name: String, _ value: String) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        headers.append((name, value))
    }
}

/// Why a request is not answered with data, in the provider's own words.
struct Refusal: Error {
    let status: Int
    let code: String
    let message: String
    /// The parameter it is about; nil: none.
    var parameter: String?
    /// Instead of the provider's usual body of an error.
    var text: String?
}

/// Why a request is not answered with data, before the provider has put it in its own words.
enum Trouble {
    /// Credentials that are missing, wrong, expired or used already.
    case unauthorized
    case forbidden
    case tooMany
    case redirect(status: Int)
    /// A cursor that is none, or no longer one.
    case badCursor
    case server(status: Int)
    /// No such path, or another method than it takes.
    case noRoute
    /// A record that does not exist, or not yet.
    case notFound(shelf: String, id: String)
    /// A parameter that is wrong.
    case badParameter(name: String, problem: String)
}
