import HTTP
import Payments
import Postgres
import Providers
import SandboxSupport
import Synchronization
import TestSupport
import Testing

@testable import Loading

/// Loads whose database goes away, or refuses, in the middle.
@Suite("Loads that are interrupted, against PostgreSQL", .serialized)
struct InterruptedLoadTests {
    static let night = PollerTests.night

    /// A function of the test's database that fires before rows of `table` are written.
    private func trigger(_ bench: PollingBench, on table: String, _ body: String) throws {
        try bench.connection.script(
            """
            create sequence tieout.fired;
            create function tieout.fire() returns trigger language plpgsql as $$ begin \(body) end $$;
            create trigger fire before insert on tieout.\(table) for each row execute function tieout.fire();
            """)
    }

    private func disarm(_ bench: PollingBench, _ table: String) throws {
        try bench.connection.script(
            """
            drop trigger fire on tieout.\(table);
            drop function tieout.fire();
            drop sequence tieout.fired;
            """)
    }

    /// One run on a connection of its own: the bench's stays alive.
    private func poll(_ bench: PollingBench, at now: Timestamp) async throws -> PollOutcome {
        let meld = bench.meld
        let poller = Poller(
            source: try bench.handle(), context: bench.context(at: now), connection: try bench.database.connection(),
            machine: VirtualTime().runner, fetch: meld.answer)
        return try await poller.poll(stop: StopFlag())
    }

    @Test("case 31: a backend that is ended while it copies leaves nothing of the group, and the position stays")
    func endedInCopy() async throws {
        let bench = try PollingBench(PollerTests.purchases(5000))
        bench.settings.groupRows = 2000
        bench.settings.parallelWindows = 1
        // The second group is being copied.
        try trigger(
            bench, on: "transaction",
            "if nextval('tieout.fired') = 3000 then perform pg_terminate_backend(pg_backend_pid()); end if; return new;"
        )
        let error = await #expect(throws: PostgresError.self) { try await poll(bench, at: Self.night) }
        #expect(error?.isTransient == true)
        #expect(try bench.count("transaction") == 2000)
        #expect(try bench.text("select (position ->> 'distinct') from tieout.checkpoint") == "2000")
        #expect(try bench.count("evidence") == 1)
        try disarm(bench, "transaction")
        let again = try await poll(bench, at: Self.night.adding(seconds: 60))
        #expect(again.ending == .complete && again.counts.new == 3000)
        #expect(try bench.count("transaction") == 5000)
        #expect(try bench.count("transaction_history") == 0)
        // Nothing of the dead run is left beside the tables.
        #expect(
            try bench.count("feed_state", "exists (select from pg_class where relnamespace = pg_my_temp_schema())") == 0
        )
    }

    @Test(
        "case 32: rows without their position, or a position without its rows, cannot be: either failing undoes both",
        arguments: ["checkpoint", "evidence", "transaction"])
    func oneTransaction(table: String) async throws {
        let bench = try PollingBench(PollerTests.purchases(500))
        bench.settings.groupRows = 200
        bench.settings.parallelWindows = 1
        // The second group fails at its first row of this table.
        let first = table == "transaction" ? 201 : 2
        try trigger(
            bench, on: table,
            "if nextval('tieout.fired') = \(first) then raise exception 'no'; end if; return new;")
        await #expect(throws: PostgresError.self) { try await poll(bench, at: Self.night) }
        #expect(try bench.count("transaction") == 200)
        #expect(try bench.text("select (position ->> 'distinct') from tieout.checkpoint") == "200")
        #expect(try bench.count("evidence") == 1)
        try disarm(bench, table)
        // Twin: nothing fails, and what is missing comes, once.
        let again = try await poll(bench, at: Self.night.adding(seconds: 60))
        #expect(again.ending == .complete && again.counts.new == 300)
        #expect(try bench.count("transaction") == 500)
        #expect(try bench.count("checkpoint") == 0)
    }

    @Test("case 33: a bad row costs one row; counters and the database agree before anybody says success")
    func badRow() async throws {
        let bench = try PollingBench([
            .purchase("W1", Self.night.adding(seconds: -7200)),
            .purchase("W2", Self.night.adding(seconds: -7300), amount: "\"12.3.4\""),
            .purchase("W3", Self.night.adding(seconds: -7400)),
        ])
        let outcome = try await poll(bench, at: Self.night)
        #expect(outcome.ending == .complete)
        #expect(outcome.counts.new == 2 && outcome.counts.quarantined == 1 && outcome.counts.newlyQuarantined == 1)
        #expect(try bench.text("select string_agg(transaction_id, ' ' order by 1) from tieout.transaction") == "W1 W3")
        #expect(
            try bench.text("select record_id || ' ' || reason from tieout.quarantine where raw like '%12.3.4%'")?
                .hasPrefix("W2 ") == true)
    }

    @Test("case 33: a row that the database swallowed, or wrote twice, stops the run; a faithful one does not")
    func countsDiffer() async throws {
        let rows = PollerTests.purchases(30)
        let swallowing = try PollingBench(rows)
        try trigger(
            swallowing, on: "transaction", "if new.transaction_id = 'W7' then return null; end if; return new;")
        let error = await #expect(throws: CountsDiffer.self) { try await poll(swallowing, at: Self.night) }
        #expect(error?.description.contains("counted 30 versions") == true)
        #expect(error?.description.contains("holds 29") == true)
        // It is found out before the last rows are committed.
        #expect(try swallowing.count("feed_state", "last_success_at is not null") == 0)
        #expect(try swallowing.count("transaction") == 0)
        try disarm(swallowing, "transaction")
        let healed = try await poll(swallowing, at: Self.night.adding(seconds: 60))
        #expect(healed.ending == .complete && healed.counts.new == 30)
    }

    @Test("case 9: each run that is killed has moved on, and reads no page again that an earlier one has stored")
    func killedAgainAndAgain() async throws {
        // A fifth of the case: 40 pages of a second and a half, killed every eighth. A page that is a second old is
        // stored (WalkTests), so each page is a group of its own.
        let bench = try PollingBench(PollerTests.purchases(4000))
        bench.settings.parallelWindows = 1
        bench.settings.groupRows = 100
        var stored = 0
        var runs = 0
        var asked = 0
        while runs < 12 {
            runs += 1
            let outcome = try await killed(bench, at: Self.night.adding(seconds: Int64(runs) * 60), afterPages: 8)
            let now = try bench.count("transaction")
            let pages = bench.meld.asked.count - asked
            asked = bench.meld.asked.count
            if outcome { break }
            #expect(now - stored >= 600, "run \(runs): \((now - stored) / 100) pages of \(pages)")
            stored = now
        }
        #expect(runs <= 7)
        #expect(try bench.count("transaction") == 4000)
        #expect(try bench.count("feed_state", "backfill_complete") == 1)
        // A page in hand is lost with its run; the last run looks over the look-back too.
        let repeated = Dictionary(grouping: bench.meld.asked.filter { $0.contains("after=") }, by: \.self)
            .count { $0.value.count > 2 }
        #expect(repeated == 0)
    }

    /// One run on virtual time, in which a page takes a second and a half. At page `afterPages` the database is taken
    /// from it, which is what a kill looks like from there. True: it came to its end.
    private func killed(_ bench: PollingBench, at now: Timestamp, afterPages: Int) async throws -> Bool {
        let time = VirtualTime()
        let meld = bench.meld
        let victim = try bench.database.connection()
        let process = try victim.query("select pg_backend_pid()").only().int(0)
        let watcher = try Watcher(bench.database.conninfo, rows: bench.count("transaction"))
        let pages = Mutex(0)
        let poller = Poller(
            source: try bench.handle(), context: bench.context(at: now), connection: victim, machine: time.runner,
            fetch: { request, expected async throws(HTTPError) in
                let page = pages.withLock {
                    $0 += 1
                    return $0
                }
                // What is all there needs no more runs.
                if page == afterPages, await watcher.rows < 4000 { await watcher.end(process) }
                time.pass(1500)
                // A second and a half are enough to store the page before.
                if page > 1, page < afterPages { await watcher.wait(forPages: page - 1) }
                return try await meld.answer(request, expected)
            })
        do { return try await poller.poll(stop: StopFlag()).ending == .complete } catch is PostgresError {
            return false
        }
    }
}

/// Looks at the database from outside.
private actor Watcher {
    private let connection: Connection
    private let before: Int

    init(_ conninfo: String, rows: Int) throws {
        connection = try Connection(conninfo, applicationName: "watcher")
        before = rows
    }

    /// Until so many pages are stored, ten seconds at most.
    func wait(forPages pages: Int) async {
        for _ in 0..<1000 {
            if rows >= min(before + pages * 100, 4000) { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    var rows: Int {
        guard let row = try? connection.query("select count(*) from tieout.transaction")[0] else { return 0 }
        return Int((try? row.int(0)) ?? 0)
    }

    func end(_ process: Int64) {
        do { try connection.execute("select pg_terminate_backend($1::int, 5000)", [.int(process)]) } catch {
            Issue.record("\(error)")
        }
    }
}
