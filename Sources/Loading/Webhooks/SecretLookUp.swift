package import Payments
import Postgres
import Providers

/// Finds the webhook secrets of payments, where each payment has its own. Secrets stay in memory: they are never stored
/// and never logged.
package struct SecretLookUp: Sendable {
    /// The secrets of the payments that any of the given texts names (an order id, a transaction id, …), by that text.
    let find: @Sendable ([String]) throws -> [String: [Secret]]

    /// From a table at hand.
    package init(_ table: [String: [Secret]]) {
        find = { names in
            var found: [String: [Secret]] = [:]
            for name in names { found[name] = table[name] }
            return found
        }
    }

    /// From a CSV file: the header names the columns `reference` and `secret`, in any order, among others. Throws a
    /// `LoadFault` that names file and line.
    package init(csv text: String, file: String) throws(LoadFault) {
        guard let records = CSVText.records(text), let header = records.first else {
            throw LoadFault(.format, "\(file): no CSV with a header")
        }
        guard let name = header.firstIndex(of: "reference"), let secret = header.firstIndex(of: "secret") else {
            throw LoadFault(.format, "\(file): the header must name the columns reference and secret")
        }
        var table: [String: [Secret]] = [:]
        for (index, record) in records.enumerated().dropFirst() {
            guard record.count == header.count, !record[name].isEmpty, !record[secret].isEmpty else {
                throw LoadFault(.format, "\(file): record \(index + 1) lacks its reference or secret")
            }
            table[record[name], default: []].append(Secret(record[secret]))
        }
        self.init(table)
    }

    /// From a query with the columns `reference` and `secret`; `$1` stands for the references asked for (`text[]`).
    package init(_ query: MerchantQuery) {
        find = { names in
            try query.read { connection in
                let rows = try connection.query(query.text, [.textArray(names)])
                for column in ["reference", "secret"] where !rows.columnNames.contains(column) {
                    throw LoadFault(.usage, "\(query.name): the query gives no column \(column)")
                }
                var found: [String: [Secret]] = [:]
                for row in rows {
                    guard let name = try row.optionalText("reference"), let secret = try row.optionalText("secret"),
                        !secret.isEmpty
                    else { continue }
                    found[name, default: []].append(Secret(secret))
                }
                return found
            }
        }
    }
}

/// Secrets of payments that were found for a batch.
struct SecretsFound: Sendable {
    /// That of the delivery at hand, where it came with it.
    var own: Secret?
    /// By source, and by the text that names the payment.
    var bySource: [String: [String: [Secret]]] = [:]

    /// Those of the payment that an event is about.
    func secrets(of event: MappedEvent?, source: String) -> [Secret] {
        var secrets = [own].compactMap(\.self)
        guard let event, let table = bySource[source] else { return secrets }
        for name in event.names {
            for secret in table[name] ?? [] where !secrets.contains(secret) { secrets.append(secret) }
        }
        return secrets
    }
}

extension MappedEvent {
    /// Texts by which a look-up may know the event's payment.
    var names: [String] { [transactionID].compactMap(\.self) + references.map(\.value) }
}
