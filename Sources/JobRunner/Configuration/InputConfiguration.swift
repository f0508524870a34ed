import Foundation
package import Loading
import Payments

/// Where orders or captured webhooks come from: files and folders, and queries on the merchant's own database.
package struct InputConfiguration: Sendable {
    package var paths: [String] = []
    package var queries: [MerchantQuery] = []

    /// A list of paths and queries, or one query alone. `what`: `orders` or `webhooks`, for messages.
    static func read(_ node: ConfigurationTree?, what: String, secrets: SecretReader)
        throws(ConfigurationError) -> InputConfiguration
    {
        var inputs = InputConfiguration()
        guard let node else { return inputs }
        if case .object = node.value {
            inputs.queries = [try query(node, name: "\(what) query", what: what, secrets: secrets)]
            return inputs
        }
        for element in try node.list() {
            if case .object = element.value {
                let name = "\(what) query \(inputs.queries.count + 1)"
                inputs.queries.append(try query(element, name: name, what: what, secrets: secrets))
            } else {
                inputs.paths.append(secrets.path(try element.string()))
            }
        }
        return inputs
    }

    private static func query(_ node: ConfigurationTree, name: String, what: String, secrets: SecretReader)
        throws(ConfigurationError) -> MerchantQuery
    {
        let isBook = what == "orders"
        let members = try node.object(
            known: ["query", "connection", "source", "watermark", "look_back"] + (isBook ? ["complete"] : []))
        guard let text = members["query"], let connection = members["connection"] else {
            throw node.fault("needs 'query' and 'connection'")
        }
        let isComplete = try members["complete"]?.bool() ?? false
        if isComplete, let watermark = members["watermark"] {
            throw watermark.fault("cannot stand beside complete: a reading from a watermark does not show every order")
        }
        return MerchantQuery(
            name: name, text: try text.string(), connection: try secrets.secret(connection),
            source: try members["source"]?.string(), watermark: try members["watermark"]?.string(),
            lookBack: try members["look_back"]?.duration() ?? 86_400, isComplete: isComplete)
    }
}

/// Where the webhook secrets of payments are found, where each payment has its own.
package enum SecretTableConfiguration: Sendable {
    /// A CSV file with the columns `reference` and `secret`.
    case file(String)
    case query(MerchantQuery)

    static func read(_ node: ConfigurationTree, secrets: SecretReader)
        throws(ConfigurationError) -> SecretTableConfiguration
    {
        let members = try node.object(known: ["file", "query", "connection"])
        switch (members["file"], members["query"], members["connection"]) {
        case (let file?, nil, nil): return .file(secrets.path(try file.string()))
        case (nil, let query?, let connection?):
            let text = try query.string()
            guard text.contains("$1") else {
                throw query.fault("must ask for the references in $1, e.g. where reference = any($1)")
            }
            return .query(
                MerchantQuery(name: "webhook secrets query", text: text, connection: try secrets.secret(connection)))
        default: throw node.fault("needs 'file', or 'query' and 'connection'")
        }
    }

    /// The look-up itself. Throws a `LoadFault` that names the file; a query is asked later.
    func lookUp() throws(LoadFault) -> SecretLookUp {
        switch self {
        case .query(let query): return SecretLookUp(query)
        case .file(let path):
            let name = path.split(separator: "/").last.map(String.init) ?? path
            guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
            else { throw LoadFault(.usage, "the file \(name) of webhook secrets cannot be read as text") }
            return try SecretLookUp(csv: text, file: name)
        }
    }
}
