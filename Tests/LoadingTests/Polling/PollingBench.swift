import HTTP
import JSON
import Payments
import Postgres
import Providers
import TestSupport

@testable import Loading

/// A source with a fake provider and a database of its own; each poll is one run at one ledger time.
final class PollingBench {
    let meld: FakeMeld
    let database: TestDatabase
    let connection: Connection
    var map: StatusMap
    let currencies: CurrencyTable
    private var run: Int64 = 0
    var settings = PollSettings()
    var options: [String: String] = [:]
    var source = "meld-live"

    init(_ rows: [FakeMeld.Row] = []) throws {
        meld = FakeMeld(rows)
        database = try TestDatabase.make()
        connection = try database.connection()
        map = try StatusMap(csv: try SQLLibrary(root: Checkout.root).text(Catalogue.statusMapPath("meld")))
        currencies = try CurrencyTable(currencies: try SQLLibrary(root: Checkout.root).text(Catalogue.currenciesPath))
        settings.sweep = .off
        try connection.execute("insert into tieout.account (account_id, name) values (1, 'test')")
    }

    func handle() throws -> SourceHandle {
        let configuration = try MeldConfiguration(
            ProviderOptions(
                environment: "live", apiBase: "http://meld.test", apiKey: Secret("W1:key"), options: options))
        return SourceHandle(
            id: source, provider: Meld(configuration: configuration, statusMap: map, currencies: currencies),
            settings: settings)
    }

    func context(at now: Timestamp) -> LoadContext {
        run += 1
        return LoadContext(
            account: 1, run: run, clock: LedgerClock(fixed: now), fence: Fence(account: 1, number: nil),
            sql: SQLLibrary(root: Checkout.root), log: { _ in })
    }

    /// What is noted of rows that have gone.
    func vanished(at now: Timestamp) -> VanishedRows {
        let context = LoadContext(
            account: 1, run: run, clock: LedgerClock(fixed: now), fence: Fence(account: 1, number: nil),
            sql: SQLLibrary(root: Checkout.root), log: { _ in })
        return VanishedRows(context, connection, source: source)
    }

    @discardableResult
    func poll(at now: Timestamp, rereads: [String] = [], stop: StopFlag = StopFlag()) async throws -> PollOutcome {
        let meld = meld
        let poller = Poller(
            source: try handle(), context: context(at: now), connection: connection, machine: .system(),
            fetch: meld.answer)
        return try await poller.poll(rereads: rereads, stop: stop)
    }

    /// Commits rows as single reads do.
    func store(_ rows: [FakeMeld.Row], in store: TransactionStore) throws {
        let mapping = store.mapping
        let group = try rows.map { row in
            let element = try JSONDocument(FakeMeld.text(row, key: nil)).root
            return IncomingRow(
                element: element, identity: mapping.identity(of: element), mapping: mapping,
                requestStartedAt: store.context.clock.now(), place: "test")
        }
        try store.commit(CommitGroup(rows: group))
    }

    func count(_ table: String, _ condition: String = "true") throws -> Int {
        Int(try connection.query("select count(*) from tieout.\(table) where \(condition)")[0].int(0))
    }

    func text(_ sql: String) throws -> String? { try connection.query(sql).first { _ in true }?.optionalText(0) }

    /// Every fact row as text, evidence positions and arrival left out: what must not depend on the order of arrival.
    func facts() throws -> [String] {
        let columns = TransactionColumns.names.filter { !["run_id", "evidence_pack", "evidence_offset"].contains($0) }
            .joined(separator: ", ")
        let current = "select (row(\(columns)))::text from tieout.transaction"
        let history = "select (row(\(columns), superseded_at))::text from tieout.transaction_history"
        return try connection.query("\(current) union all \(history) order by 1").map { try $0.text(0) }
    }
}
