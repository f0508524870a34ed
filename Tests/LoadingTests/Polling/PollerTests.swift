import HTTP
import Payments
import Postgres
import Providers
import TestSupport
import Testing

@testable import Loading

@Suite("Poller against PostgreSQL")
struct PollerTests {
    static let night = Timestamp.at("2026-08-10T02:30:00Z")

    static func purchases(_ count: Int, newest: Timestamp = night.adding(seconds: -3600)) -> [FakeMeld.Row] {
        (0..<count).map { .purchase("W\($0)", newest.adding(seconds: -Int64($0) * 60)) }
    }

    @Test("case 1: a backfill that dies after its first page goes on below it; the watermark appears at the start only")
    func backfillResumes() async throws {
        let bench = try PollingBench(Self.purchases(250))
        bench.settings.groupRows = 100
        bench.meld.set { $0.fails[2] = .timeout }
        let first = try await bench.poll(at: Self.night)
        #expect(first.ending != .complete)
        #expect(try bench.count("transaction") == 100)
        #expect(try bench.count("checkpoint") == 1)
        #expect(
            try bench.count("feed_state", "watermark is null and not backfill_complete and failing_since is not null")
                == 1)

        let second = try await bench.poll(at: Self.night.adding(seconds: 3600))
        #expect(second.ending == .complete)
        #expect(try bench.count("transaction") == 250)
        #expect(try bench.count("checkpoint") == 0)
        #expect(
            try bench.count("feed_state", "backfill_complete and failing_since is null and baseline_run_id = 2") == 1)
        // Resumed by the cursor behind row 100, not from the head.
        #expect(bench.meld.asked[2].contains("after=key-W99"))
    }

    @Test("a second night over an unchanged source writes no fact row")
    func unchanged() async throws {
        let bench = try PollingBench(Self.purchases(250))
        try await bench.poll(at: Self.night)
        let facts = try bench.facts()
        let packs = try bench.count("evidence")
        let again = try await bench.poll(at: Self.night.adding(seconds: 86_400))
        #expect(again.ending == .complete)
        #expect(again.counts.unchanged == 250)
        #expect(again.counts.new + again.counts.changed == 0)
        #expect(try bench.facts() == facts)
        #expect(try bench.count("evidence") == packs)
        #expect(again.watermark == Self.night.adding(seconds: 86_400 - 900))
    }

    @Test(
        "what a walk has multiplied is known to the planner before ids are compared with it; what it has not is left alone",
        arguments: [(1100, true), (250, false)])
    func planned(_ rows: Int, _ isKnown: Bool) async throws {
        let bench = try PollingBench(Self.purchases(rows))
        // The server's own housekeeping would come by at any moment.
        try bench.connection.execute("alter table tieout.transaction set (autovacuum_enabled = false)")
        try await bench.poll(at: Self.night)
        let size = try bench.connection.query(
            "select reltuples::bigint from pg_class where oid = 'tieout.transaction'::regclass"
        ).only().int(0)
        #expect(size == (isKnown ? Int64(rows) : -1))
    }

    @Test("case 4: a row that appears late below the watermark is found through the look-back and counted")
    func lateArrival() async throws {
        let watermarkRow = Self.night.adding(seconds: -1800)
        let bench = try PollingBench(Self.purchases(5) + [.purchase("X", watermarkRow)])
        bench.meld.set { $0.rows[5].hidden = true }
        try await bench.poll(at: Self.night)
        #expect(try bench.count("transaction") == 5)
        bench.meld.set { $0.rows[5].hidden = false }
        let outcome = try await bench.poll(at: Self.night.adding(seconds: 3600))
        #expect(outcome.counts.lateArrivals == 1)
        #expect(try bench.count("transaction", "transaction_id = 'X'") == 1)
        #expect(try bench.count("feed_state", "late_arrivals = 1") == 1)
        // Twin: an ordinary new row is no late arrival.
        bench.meld.set { $0.rows.append(.purchase("Y", Self.night.adding(seconds: 5000))) }
        let next = try await bench.poll(at: Self.night.adding(seconds: 7200))
        #expect(next.counts.lateArrivals == 0)
        #expect(next.counts.new == 1)
    }

    @Test("case 4: without look-back the deep sweep finds it")
    func lateArrivalBySweep() async throws {
        let bench = try PollingBench(Self.purchases(5) + [.purchase("X", Self.night.adding(seconds: -40 * 86_400))])
        bench.settings.lookBack = 0
        bench.meld.set { $0.rows[5].hidden = true }
        try await bench.poll(at: Self.night)
        bench.meld.set { $0.rows[5].hidden = false }
        let without = try await bench.poll(at: Self.night.adding(seconds: 3600))
        #expect(without.counts.new == 0)
        bench.settings.sweep = .whole
        let with = try await bench.poll(at: Self.night.adding(seconds: 7200))
        #expect(with.counts.lateArrivals == 1)
        #expect(try bench.count("transaction", "transaction_id = 'X'") == 1)
    }

    @Test("case 11: an empty list over stored rows re-reads them by id and says that they have vanished")
    func emptyList() async throws {
        let bench = try PollingBench(Self.purchases(40))
        try await bench.poll(at: Self.night)
        bench.meld.set { state in for place in state.rows.indices { state.rows[place].gone = true } }
        let outcome = try await bench.poll(at: Self.night.adding(seconds: 86_400))
        #expect(outcome.vanished.count == 40)
        #expect(try bench.count("transaction") == 40)
        // Another account's key answers just so: it is said, and nothing is built on it.
        guard case .incomplete(let reasons) = outcome.ending else {
            Issue.record("an empty list over 40 known rows passed for complete")
            return
        }
        #expect(reasons.contains { $0.contains("knows none of 40 ids") })
        #expect(outcome.watermark == Self.night.adding(seconds: -900))
        // Twin: the list is empty, but the rows are still there by id: the list is not believed.
        bench.meld.set { state in
            for place in state.rows.indices {
                state.rows[place].gone = false
                state.rows[place].hidden = true
            }
        }
        let hidden = try await bench.poll(at: Self.night.adding(seconds: 2 * 86_400))
        #expect(hidden.vanished.isEmpty)
        #expect(hidden.omittedByList == 40)
        #expect(hidden.ending != .complete)
        #expect(hidden.watermark == outcome.watermark)
    }

    @Test("a row that its provider does not know any more is noted as vanished, asked for again, and noted as returned")
    func vanished() async throws {
        let bench = try PollingBench(Self.purchases(40))
        try await bench.poll(at: Self.night)
        bench.meld.set { $0.rows[3].gone = true }
        func night(_ number: Int64) async throws -> (marks: [String], gone: [String]) {
            let before = try bench.vanished(at: Self.night).gone(of: ["transaction"])
            let moment = Self.night.adding(seconds: number * 86_400)
            let outcome = try await bench.poll(at: moment, rereads: before)
            try bench.vanished(at: moment).note(outcome, asked: before)
            let marks = try bench.connection.query(
                "select transaction_id || case when returned_at is null then ' gone' else ' back' end from tieout.vanished order by since"
            ).map { try $0.text(0) }
            return (marks, try bench.vanished(at: moment).gone(of: ["transaction"]))
        }
        #expect(try await night(1) == (["W3 gone"], ["W3"]))
        // Asked for again and still not known: no second mark.
        #expect(try await night(2) == (["W3 gone"], ["W3"]))
        bench.meld.set { $0.rows[3].gone = false }
        #expect(try await night(3) == (["W3 back"], []))
        bench.meld.set { $0.rows[3].gone = true }
        #expect(try await night(4) == (["W3 back", "W3 gone"], ["W3"]))
    }

    @Test("a stored row that only an event points at is noted as vanished when nobody knows it; a stranger's id is not")
    func vanishedBeyondTheWalk() async throws {
        let bench = try PollingBench(
            [.purchase("W-old", Self.night.adding(seconds: -40 * 86_400))] + Self.purchases(3))
        try await bench.poll(at: Self.night)
        bench.meld.set { state in
            for place in state.rows.indices where state.rows[place].id == "W-old" { state.rows[place].gone = true }
        }
        let moment = Self.night.adding(seconds: 86_400)
        let outcome = try await bench.poll(at: moment, rereads: ["W-old", "W-never"])
        #expect(outcome.unknownIDs == ["W-never", "W-old"])
        #expect(outcome.ending == .complete)
        try bench.vanished(at: moment).note(outcome, asked: [])
        #expect(try bench.vanished(at: moment).gone(of: ["transaction"]) == ["W-old"])
        #expect(try bench.count("vanished") == 1)
        // Nor is one that the same run has taken in, whichever way it was asked for.
        try bench.connection.execute("delete from tieout.vanished")
        try bench.connection.execute("update tieout.transaction set run_id = 2 where transaction_id = 'W-old'")
        try bench.vanished(at: moment).note(outcome, asked: [])
        #expect(try bench.count("vanished") == 0)
    }

    @Test("another account's key, which knows none of our ids, marks nothing as vanished")
    func strangeKey() async throws {
        let bench = try PollingBench(Self.purchases(40))
        try await bench.poll(at: Self.night)
        bench.meld.set { state in for place in state.rows.indices { state.rows[place].gone = true } }
        let moment = Self.night.adding(seconds: 86_400)
        let outcome = try await bench.poll(at: moment)
        try bench.vanished(at: moment).note(outcome, asked: [])
        #expect(outcome.vanished.count == 40)
        #expect(try bench.count("vanished") == 0)
    }

    @Test("case 13: a refund days later becomes a new version, and the history keeps when we learnt each")
    func lateRefund() async throws {
        let created = Self.night.adding(seconds: -7200)
        let bench = try PollingBench([.purchase("W1", created, status: "SETTLING", updatedAt: created)])
        try await bench.poll(at: Self.night)
        let day9 = Self.night.adding(seconds: 9 * 86_400)
        bench.meld.set { $0.rows = [.purchase("W1", created, status: "SETTLED", updatedAt: day9.adding(seconds: -60))] }
        try await bench.poll(at: day9)
        let day12 = Self.night.adding(seconds: 12 * 86_400)
        bench.meld.set {
            $0.rows = [.purchase("W1", created, status: "REFUNDED", updatedAt: day12.adding(seconds: -60))]
        }
        try await bench.poll(at: day12)
        #expect(
            try bench.text("select raw_status || ' ' || money || ' ' || returned from tieout.transaction")
                == "REFUNDED returned 100")
        let history = try bench.connection.query(
            "select raw_status, observed_at, superseded_at from tieout.transaction_history order by observed_at")
        #expect(history.count == 2)
        #expect(try history[0].text(0) == "SETTLING")
        #expect(try history[0].timestamp(1) == Self.night)
        #expect(try history[0].timestamp(2) == day9)
        #expect(try history[1].text(0) == "SETTLED")
        #expect(try history[1].timestamp(2) == day12)
    }

    @Test("a row that is not final is re-read by id outside the window; a final or dormant one is not")
    func rereads() async throws {
        let old = Self.night.adding(seconds: -20 * 86_400)
        let ancient = Self.night.adding(seconds: -60 * 86_400)
        let bench = try PollingBench([
            .purchase("open", old, status: "SETTLING"), .purchase("done", old, status: "SETTLED"),
            .purchase("asleep", ancient, status: "PENDING_CREATED"), .purchase("taken", ancient, status: "SETTLING"),
        ])
        try await bench.poll(at: Self.night)
        let before = bench.meld.asked.count
        try await bench.poll(at: Self.night.adding(seconds: 86_400))
        let single = bench.meld.asked[before...].filter { $0.contains("/transactions/") }
        #expect(
            Set(single) == [
                "http://meld.test/payments/transactions/open", "http://meld.test/payments/transactions/taken",
            ])
    }

    @Test("ids that others point at are read in the same run, unless the walk has met them")
    func pointedAt() async throws {
        let bench = try PollingBench(
            Self.purchases(3) + [.purchase("H", Self.night.adding(seconds: -60), status: "SETTLING")])
        bench.meld.set { $0.rows[3].hidden = true }
        let outcome = try await bench.poll(at: Self.night, rereads: ["H", "W1", "nowhere", "H"])
        #expect(outcome.ending == .complete)
        #expect(outcome.singleReads == 2)
        #expect(outcome.unknownIDs == ["nowhere"])
        #expect(try bench.count("transaction", "transaction_id = 'H'") == 1)
    }

    @Test("a stop request commits what was read; the next run goes on from there")
    func stops() async throws {
        let bench = try PollingBench(Self.purchases(500))
        let stop = StopFlag()
        bench.meld.set { $0.onRequest = { number, _ in if number == 3 { stop.request() } } }
        let outcome = try await bench.poll(at: Self.night, stop: stop)
        #expect(outcome.ending == .interrupted)
        #expect(try bench.count("transaction") >= 200)
        #expect(try bench.count("checkpoint") == 1)
        bench.meld.set { $0.onRequest = nil }
        #expect(try await bench.poll(at: Self.night.adding(seconds: 60)).ending == .complete)
        #expect(try bench.count("transaction") == 500)
    }

    @Test("a rate limit beyond the run ends as try later with its checkpoint; a refused key as incomplete")
    func rateLimit() async throws {
        let bench = try PollingBench(Self.purchases(300))
        bench.meld.set { $0.fails[2] = .tryLater(until: Self.night) }
        let outcome = try await bench.poll(at: Self.night)
        guard case .tryLater = outcome.ending else {
            Issue.record("try later expected")
            return
        }
        #expect(try bench.count("checkpoint") == 1)
        let refused = try PollingBench(Self.purchases(3))
        refused.meld.set { $0.fails[1] = .status(401) }
        let second = try await refused.poll(at: Self.night)
        guard case .incomplete = second.ending else {
            Issue.record("incomplete expected")
            return
        }
        // Nothing else is asked with a key that was refused.
        #expect(refused.meld.asked.count == 1)
    }

    @Test("a lost fence writes nothing")
    func fence() async throws {
        let bench = try PollingBench(Self.purchases(3))
        let context = LoadContext(
            account: 1, run: 9, clock: LedgerClock(fixed: Self.night), fence: Fence(account: 1, number: 4),
            sql: bench.context(at: Self.night).sql, log: { _ in })
        let meld = bench.meld
        let poller = Poller(
            source: try bench.handle(), context: context, connection: bench.connection, machine: .system(),
            fetch: meld.answer)
        await #expect(throws: Fence.Lost.self) { try await poller.poll(stop: StopFlag()) }
        #expect(try bench.count("transaction") == 0)
    }

    @Test("rows of another account are counted and not stored where the source says who it is")
    func strangers() async throws {
        let bench = try PollingBench(Self.purchases(3))
        bench.meld.set { $0.rows[1].members = $0.rows[1].members.replacing("\"ACC\"", with: "\"OTHER\"") }
        bench.options = ["account_id_expected": "ACC"]
        let outcome = try await bench.poll(at: Self.night)
        #expect(outcome.counts.strangers == 1)
        #expect(try bench.count("transaction") == 2)
        #expect(outcome.ending == .complete)
    }
}
