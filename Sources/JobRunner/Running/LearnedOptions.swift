import Payments
import Postgres
import Providers

/// Options that the configuration leaves open and that the rows of a source prove, each of them by itself.
struct LearnedOptions: Equatable {
    /// By source and by the option's name.
    private(set) var bySource: [String: [String: String]] = [:]

    init() {}

    /// From what is stored of the account's sources. Where rows contradict each other nothing is learnt.
    init(_ account: AccountConfiguration, on connection: Connection, sql: SQLLibrary) throws {
        for source in account.sources {
            for option in Catalogue.entry(source.provider)?.learned ?? [] where source.options[option.name] == nil {
                let rows = try connection.query(
                    try sql.text("SQL/jobs/flags_seen.sql"),
                    [.int(account.id), .text(source.name), .textArray(option.flags.map(\.flag))])
                let seen = Set(try rows.map { try $0.text("flag") })
                if let value = option.value(seen: seen) { bySource[source.name, default: [:]][option.name] = value }
            }
        }
    }
}
