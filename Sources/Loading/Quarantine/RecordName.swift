import Providers

/// What a record is called where records of several resources stand in one column: a payment by its id, any other by its
/// resource before it, `refund/R1`; as members of payments are, and as `tieout.resource_of` reads it.
package enum RecordName {
    package static func of(_ id: String, resource: String) -> String {
        resource == "transaction" ? id : "\(resource)/\(id)"
    }

    /// The id of a record of `resource` that is called `name`.
    static func id(_ name: String, resource: String) -> String {
        let start = "\(resource)/"
        return resource != "transaction" && name.hasPrefix(start) ? String(name.dropFirst(start.count)) : name
    }
}

extension TransactionStore {
    /// What the record of this id is called in quarantine.
    func name(_ id: String) -> String { RecordName.of(id, resource: mapping.resource) }
}
