import HTTP
import Payments
import Postgres
import Providers
import Testing

@testable import Loading

@Suite("Lists that misbehave, against PostgreSQL")
struct HostileListTests {
    static let night = PollerTests.night
    static let second = Timestamp(seconds: 1_786_320_000)

    /// 130 rows of one second, five a second on either side.
    private static func crowded() -> [FakeMeld.Row] {
        (0..<130).map { .purchase("same\($0)", second) }
            + (1...5).map { .purchase("later\($0)", second.adding(seconds: Int64($0))) }
            + (1...5).map { .purchase("earlier\($0)", second.adding(seconds: -Int64($0))) }
    }

    @Test(
        "case 2: 130 rows of one second over several pages are all stored, whatever the list looks like",
        arguments: [true, false], [true, false])
    func oneSecond(oldestFirst: Bool, swapped: Bool) async throws {
        let bench = try PollingBench(Self.crowded())
        bench.meld.set {
            $0.oldestFirst = oldestFirst
            $0.swapped = swapped
            $0.isBare = swapped
        }
        bench.settings.groupRows = 100
        let outcome = try await bench.poll(at: Self.night)
        #expect(outcome.ending == .complete)
        #expect(try bench.count("transaction") == 140)
        #expect(try bench.count("transaction", "created_at = to_timestamp(1786320000)") == 130)
        // Twin: again, nothing is new, changed, late or unlisted.
        let again = try await bench.poll(at: Self.night.adding(seconds: 3600))
        #expect(again.ending == .complete && again.counts.unchanged >= 140)
        #expect(again.counts.new + again.counts.changed + again.counts.late == 0)
        #expect(again.singleReads == 0 && again.vanished.isEmpty)
    }

    @Test("case 2: a backfill killed inside the crowded second goes on in it", arguments: [true, false])
    func killedInside(oldestFirst: Bool) async throws {
        let bench = try PollingBench(Self.crowded())
        bench.meld.set {
            $0.oldestFirst = oldestFirst
            $0.fails[2] = .cut
        }
        bench.settings.groupRows = 100
        #expect(try await bench.poll(at: Self.night).ending != .complete)
        #expect(try bench.count("transaction") == 100)
        // Its cursor is refused meanwhile: the second is asked for again, inclusively.
        bench.meld.set { $0.keyPrefix = "new-" }
        #expect(try await bench.poll(at: Self.night.adding(seconds: 3600)).ending == .complete)
        #expect(try bench.count("transaction") == 140)
    }

    @Test("case 1: exactly a whole number of pages is complete, and one row more as well", arguments: [100, 200, 201])
    func wholePages(count: Int) async throws {
        let bench = try PollingBench(PollerTests.purchases(count))
        for isBare in [false, true] {
            bench.meld.set { $0.isBare = isBare }
            #expect(try await bench.poll(at: Self.night).ending == .complete)
        }
        #expect(try bench.count("transaction") == count)
    }

    @Test("case 4: a run asks from the watermark less the look-back, and stores the late row once")
    func overlap() async throws {
        let bench = try PollingBench(PollerTests.purchases(5))
        bench.settings.lookBack = 600
        bench.settings.settleLag = 0
        try await bench.poll(at: Self.night)
        bench.meld.set { $0.rows.append(.purchase("X", Self.night.adding(seconds: -1))) }
        let before = bench.meld.asked.count
        let outcome = try await bench.poll(at: Self.night.adding(seconds: 86_400))
        // 02:20 less the day that bounds and zones may differ by.
        #expect(bench.meld.asked[before].contains("from=2026-08-09T02%3A20%3A00"))
        #expect(outcome.counts.lateArrivals == 1 && outcome.counts.new == 1)
        #expect(try await bench.poll(at: Self.night.adding(seconds: 2 * 86_400)).counts.lateArrivals == 0)
        #expect(try bench.count("transaction", "transaction_id = 'X'") == 1)
    }

    @Test("case 4: a late row that an event names is read by id and counted as late")
    func lateByID() async throws {
        let old = Self.night.adding(seconds: -40 * 86_400)
        let bench = try PollingBench(PollerTests.purchases(5) + [.purchase("X", old)])
        bench.meld.set { $0.rows[5].hidden = true }
        try await bench.poll(at: Self.night)
        let outcome = try await bench.poll(at: Self.night.adding(seconds: 3600), rereads: ["X"])
        #expect(outcome.counts.lateArrivals == 1)
    }

    @Test(
        "case 13: a refund that fails later leaves three versions with the times we learnt them",
        arguments: [true, false])
    func failedRefund(dated: Bool) async throws {
        let created = Self.night.adding(seconds: -7200)
        let bench = try PollingBench()
        let days: [Int64] = [0, 9, 12]
        for (day, status) in zip(days, ["SETTLED", "REFUNDED", "SETTLED"]) {
            let now = Self.night.adding(seconds: day * 86_400)
            var row = FakeMeld.Row.purchase("W1", created, status: status, updatedAt: now.adding(seconds: -60))
            if !dated { row.members = row.members.replacing(#","updatedAt":"#, with: #","ignored":"#) }
            bench.meld.set { $0.rows = [row] }
            #expect(try await bench.poll(at: now).ending == .complete)
            let returned = try bench.text("select coalesce(returned, 0)::text from tieout.transaction")
            #expect(returned == (status == "REFUNDED" ? "100" : "0"))
        }
        #expect(
            try bench.text("select raw_status || ' ' || money from tieout.transaction where returned is null")
                == "SETTLED delivered")
        let history = try bench.connection.query(
            "select raw_status, observed_at, superseded_at from tieout.transaction_history order by observed_at")
        #expect(try history.map { try $0.text(0) } == ["SETTLED", "REFUNDED"])
        #expect(try history.map { try $0.timestamp(1) } == [Self.night, Self.night.adding(seconds: 9 * 86_400)])
        #expect(try history[1].timestamp(2) == Self.night.adding(seconds: 12 * 86_400))
    }

    @Test("case 13 twin: a row that stays as it is leaves one version, however often it is read")
    func steady() async throws {
        let bench = try PollingBench([.purchase("W1", Self.night.adding(seconds: -7200))])
        for day in 0..<4 { try await bench.poll(at: Self.night.adding(seconds: Int64(day) * 86_400)) }
        #expect(try bench.count("transaction") == 1)
        #expect(try bench.count("transaction_history") == 0)
    }

    @Test("case 14: incremental runs and a whole sweep hold the same ids, the class at the page's edge included")
    func sameSet() async throws {
        var rows = PollerTests.purchases(250)
        for place in [99, 100, 199] {
            rows[place] = .purchase(
                "W\(place)", rows[place].createdAt, status: place == 100 ? "blocked_by_nobody" : "FAILED",
                more: #","failureMessage":null,"outcome":{"type":"blocked"}"#)
        }
        // One source is read in many small runs as the rows appear, the other at once.
        let slow = try PollingBench()
        for (step, count) in [90, 100, 101, 151, 250].enumerated() {
            let part = Array(rows.suffix(count))
            slow.meld.set { $0.rows = part }
            let now = Self.night.adding(seconds: Int64(step) * 3600)
            #expect(try await slow.poll(at: now).ending == .complete)
        }
        let whole = try PollingBench(rows)
        whole.settings.sweep = .whole
        for hour in 0...1 { try await whole.poll(at: Self.night.adding(seconds: Int64(hour) * 3600)) }
        #expect(try Self.ids(slow) == (try Self.ids(whole)))
        #expect(try Self.ids(slow) == Set(rows.map(\.id)))
        #expect(try slow.count("transaction", "raw_status = 'FAILED'") == 2)
        // Twin: a row that the one never saw is a difference in this comparison.
        whole.meld.set { $0.rows.append(.purchase("extra", Self.night)) }
        try await whole.poll(at: Self.night.adding(seconds: 7200))
        #expect(try Self.ids(whole).subtracting(Self.ids(slow)) == ["extra"])
    }

    private static func ids(_ bench: PollingBench) throws -> Set<String> {
        Set(try bench.connection.query("select transaction_id from tieout.transaction").map { try $0.text(0) })
    }

    @Test("case 17: an unknown status is new text, the version before it stays in the history; a known one has no flag")
    func unknownAtTheEdge() async throws {
        var rows = PollerTests.purchases(101)
        let bench = try PollingBench(rows)
        try await bench.poll(at: Self.night)
        rows[99] = .purchase(
            "W99", rows[99].createdAt, status: "retry_scheduled", updatedAt: Self.night.adding(seconds: 60))
        let changed = rows
        bench.meld.set { $0.rows = changed }
        #expect(try await bench.poll(at: Self.night.adding(seconds: 3600)).ending == .complete)
        #expect(
            try bench.text(
                "select transaction_id || ' ' || state from tieout.transaction where raw_status = 'retry_scheduled'")
                == "W99 unknown")
        #expect(try bench.count("transaction", "flags @> array['status_unknown']") == 1)
        #expect(try bench.count("transaction_history", "transaction_id = 'W99' and state = 'settled'") == 1)
        // Twin: all others are known, and nothing of them was touched.
        #expect(try bench.count("transaction", "state = 'settled' and not flags @> array['status_unknown']") == 100)
        #expect(try bench.count("transaction_history") == 1)
    }

    @Test("a backfill over stored rows that the list omits is not complete, in this run or the next")
    func omitted() async throws {
        let bench = try PollingBench(PollerTests.purchases(5))
        let old = Self.night.adding(seconds: -40 * 86_400)
        bench.meld.set { $0.rows.append(.purchase("X", old, status: "SETTLED")) }
        bench.meld.set { $0.rows[5].hidden = true }
        // Events have brought X before any walk was whole.
        let store = try TransactionStore(
            connection: bench.connection, context: bench.context(at: Self.night), source: "meld-live",
            mapping: try bench.handle().provider.payments.mapping)
        try bench.store([.purchase("X", old, status: "SETTLED")], in: store)
        for hour in 0...1 {
            let outcome = try await bench.poll(at: Self.night.adding(seconds: Int64(hour) * 3600))
            #expect(outcome.omittedByList == 1)
            #expect(!outcome.backfillComplete && outcome.ending != .complete && outcome.watermark == nil)
            #expect(try bench.count("feed_state", "backfill_complete or watermark is not null") == 0)
        }
        // Twin: the list shows it, and the backfill is proven.
        bench.meld.set { $0.rows[5].hidden = false }
        let healed = try await bench.poll(at: Self.night.adding(seconds: 7200))
        #expect(healed.ending == .complete && healed.backfillComplete && healed.watermark != nil)
    }

    @Test("a watermark stays where it was while unlisted rows could not be asked for")
    func unread() async throws {
        let bench = try PollingBench(PollerTests.purchases(5))
        let first = try await bench.poll(at: Self.night)
        bench.meld.set { state in
            state.rows[2].hidden = true
            let next = state.asked.count + 2
            for number in next...next + 3 { state.fails[number] = .timeout }
        }
        let outcome = try await bench.poll(at: Self.night.adding(seconds: 3600))
        #expect(outcome.ending != .complete && outcome.watermark == first.watermark)
        // Twin: it can be asked for, and is gone.
        bench.meld.set {
            $0.fails = [:]
            $0.rows[2].gone = true
        }
        let asked = try await bench.poll(at: Self.night.adding(seconds: 7200))
        #expect(asked.ending == .complete && asked.vanished == ["W2"] && asked.watermark != first.watermark)
    }

    @Test("two sources may use the same ids")
    func collisions() async throws {
        let bench = try PollingBench(PollerTests.purchases(3))
        try await bench.poll(at: Self.night)
        bench.source = "meld-two"
        bench.meld.set { $0.rows[1] = .purchase("W1", $0.rows[1].createdAt, amount: "7") }
        try await bench.poll(at: Self.night.adding(seconds: 60))
        #expect(try bench.count("transaction") == 6)
        #expect(try bench.count("transaction_history") == 0)
        #expect(try bench.count("transaction", "source_id = 'meld-live' and charged = 100") == 3)
    }

    @Test("creation times with other fraction digits are the same moment; an absent update time or type costs nothing")
    func sparse() async throws {
        var row = FakeMeld.Row.purchase("W1", Self.night)
        row.members = #""status":"SETTLED","sourceAmount":"100.00","sourceCurrencyCode":"EUR""#
        let bench = try PollingBench([row])
        bench.meld.set { $0.fraction = ".000" }
        try await bench.poll(at: Self.night.adding(seconds: 3600))
        bench.meld.set { $0.fraction = ".000000000" }
        let again = try await bench.poll(at: Self.night.adding(seconds: 7200))
        #expect(again.counts.changed == 0 && again.counts.rawOnly == 1 && again.ending == .complete)
        #expect(
            try bench.text("select array_to_string(flags, ' ') from tieout.transaction")
                == "event_expected type_missing updated_at_missing")
    }

    @Test("elements that are no objects or have no id cost themselves only, and their text is not kept")
    func noObjects() async throws {
        let bench = try PollingBench(PollerTests.purchases(2))
        bench.meld.set {
            $0.extraElements = [#""Jeanne jeanne@example.com""#, "null", "17", "[]", #"{"status":"SETTLED"}"#]
        }
        let outcome = try await bench.poll(at: Self.night)
        #expect(outcome.counts.quarantined == 5 && outcome.ending == .complete)
        #expect(try bench.count("transaction") == 2)
        #expect(try bench.count("quarantine", "raw like '%eanne%'") == 0)
    }
}
