import HTTP
import Payments
import Postgres
import Providers
import Synchronization
import TestSupport

@testable import Loading

/// dLocal in process: objects by path, as JSON text; no list of anything.
final class FakeDLocal: Sendable {
    struct State {
        /// `payments/T-1` → the object.
        var objects: [String: String] = [:]
        var asked: [String] = []
        /// Answers so where that is asked for: by path, as in `objects`.
        var broken: [String: (status: Int, body: String)] = [:]
        /// Answers every request so, whatever is asked.
        var always: (status: Int, body: String)?
    }

    let state = Mutex(State())

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// Paths asked for since the last call, in order of their names.
    func takeAsked() -> [String] {
        state.withLock { state in
            defer { state.asked = [] }
            return state.asked.sorted()
        }
    }

    /// The provider does not know it any more; returns it.
    func remove(_ path: String) -> String? { state.withLock { $0.objects.removeValue(forKey: path) } }

    func payment(
        _ id: String, _ status: String = "PAID", code: String = "200", order: String? = nil, created: Timestamp,
        members: String = ""
    ) {
        let named = order.map { #","order_id":"\#($0)""# } ?? ""
        let text =
            #"{"id":"\#(id)","amount":10,"currency":"BRL","status":"\#(status)","status_code":"\#(code)","created_date":"\#(created)"\#(named)\#(members)}"#
        set { state in
            state.objects["payments/\(id)"] = text
            if let order { state.objects["orders/\(order)"] = #"{"order_id":"\#(order)","payment_id":"\#(id)"}"# }
        }
    }

    @Sendable func answer(_ request: HTTPRequest, _ expected: Set<Int>) async throws(HTTPError) -> HTTPResponse {
        let path = String(request.url.dropFirst("https://localhost/".count))
        let (status, body): (Int, String) = state.withLock { state in
            state.asked.append(path)
            if let always = state.always ?? state.broken[path] { return always }
            if let object = state.objects[path] { return (200, object) }
            return (404, #"{"code":\#(path.hasPrefix("refunds/") ? 4001 : 4000),"message":"not found"}"#)
        }
        guard (200...299).contains(status) || expected.contains(status) else {
            throw HTTPError(.status(status), request)
        }
        return HTTPResponse(status: status, headers: HTTPHeaders([]), body: HTTPBody(Array(body.utf8)))
    }
}

/// A source of dLocal with a database of its own; each poll is one run at one ledger time.
final class EnumerationBench {
    static let night = Timestamp.at("2026-08-10T02:30:00Z")
    let dlocal = FakeDLocal()
    let database: TestDatabase
    let connection: Connection
    private let map: StatusMap
    private var run: Int64 = 0
    /// The source is declared to send no signatures.
    var unsignedCounts = false

    init() throws {
        database = try TestDatabase.make()
        connection = try database.connection()
        map = try StatusMap(csv: try SQLLibrary(root: Checkout.root).text(Catalogue.statusMapPath("dlocal")))
        try connection.execute("insert into tieout.account (account_id, name) values (1, 'test')")
    }

    /// `rereads`: what events name. Nights count from 0.
    @discardableResult
    func poll(night: Int, rereads: [String] = []) async throws -> PollOutcome {
        let poller = Poller(
            source: try handle(), context: context(night: night), connection: connection, machine: .system(),
            fetch: dlocal.answer)
        return try await poller.poll(rereads: rereads, stop: StopFlag())
    }

    func context(night: Int) -> LoadContext {
        run += 1
        return LoadContext(
            account: 1, run: run, clock: LedgerClock(fixed: Self.night.adding(seconds: Int64(night) * 86_400)),
            fence: Fence(account: 1, number: nil), sql: SQLLibrary(root: Checkout.root), log: { _ in })
    }

    func handle() throws -> SourceHandle {
        let configuration = try DLocalConfiguration(
            ProviderOptions(
                environment: "live", apiBase: "https://localhost", apiKey: Secret("login"),
                secrets: ["trans_key": Secret("t"), "secret_key": Secret("s")]))
        return SourceHandle(
            id: "dlocal-live", provider: DLocal(configuration: configuration, statusMap: map),
            unsignedCounts: unsignedCounts)
    }

    /// What is noted of records that have gone.
    func vanished(night: Int) -> VanishedRows {
        VanishedRows(context(night: night), connection, source: "dlocal-live")
    }

    /// An event that names a payment by a reference alone.
    func event(_ key: String, _ refs: [String], verdict: String) throws {
        let known = Self.night.adding(seconds: -600)
        try connection.execute(
            """
            insert into tieout.webhook_event (account_id, source_id, event_key, run_id, observed_at, state_rank, event_time, first_received_at, last_received_at, deliveries, verdict, refs, body_digest, kept_digest) values (1, 'dlocal-live', $1, 1, $2, 50, $2, $2, $2, 1, $3, $4, '', '')
            """, [.text(key), .timestamp(known), .text(verdict), .textArray(refs)])
    }

    /// An order of the book, created `daysAgo` days before the first night.
    func order(_ id: String, status: String = "paid", daysAgo: Int64 = 0, known: Int = 0, refs: [String] = []) throws {
        let created = Self.night.adding(seconds: -daysAgo * 86_400 - 3600)
        let digest = SQLValue.bytes([UInt8](repeating: 1, count: 16))
        try connection.execute(
            """
            insert into tieout.book_order (account_id, order_id, source_id, run_id, observed_at, request_started_at, version_time, state_rank, status, direction, amount, currency, created_at, refs, file_digest, line_no, content_hash) values (1, $1, 'dlocal-live', 1, $2, $2, $2, 1, $3, 'in', 10, 'BRL', $4, $5, $6, 1, $6)
            """,
            [
                .text(id), .timestamp(Self.night.adding(seconds: Int64(known) * 86_400 - 600)), .text(status),
                .timestamp(created), .textArray((refs + ["book:order=\(id)"]).sorted()), digest,
            ])
    }

    /// A line of a settlement file.
    func line(_ id: String, _ kind: String, _ refs: [String], known: Int = 0) throws {
        let known = Self.night.adding(seconds: Int64(known) * 86_400 - 600)
        let digest = SQLValue.bytes([UInt8](repeating: 1, count: 16))
        try connection.execute(
            """
            insert into tieout.settlement_line (account_id, source_id, line_id, run_id, observed_at, request_started_at, version_time, state_rank, kind, type_word, state, net, currency, refs, file_name, file_digest, line_no, content_hash) values (1, 'dlocal-live', $1, 1, $2, $2, $2, 1, $3, 'X', 'settled', 1, 'USD', $4, 'f.csv', $5, 1, $5)
            """, [.text(id), .timestamp(known), .text(kind), .textArray(refs), digest])
    }

    /// Records in quarantine: state, id, references and reason of each.
    func quarantine() throws -> [String] {
        try connection.query(
            "select concat_ws(' ', state, coalesce(record_id, '-'), array_to_string(refs, ','), reason) from tieout.quarantine order by 1"
        ).map { try $0.text(0) }
    }

    func rows(_ columns: String, _ condition: String = "true") throws -> [String] {
        try connection.query(
            "select concat_ws(' ', \(columns)) from tieout.transaction where \(condition) order by resource, transaction_id"
        ).map { try $0.text(0) }
    }
}
