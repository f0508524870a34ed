import HTTP
import Payments
import Postgres
import Providers
import Synchronization
import TestSupport
import Testing

@testable import Loading

@Suite("Windows of one walk that are read at the same time, against PostgreSQL")
struct WindowedWalkTests {
    static let night = PollerTests.night

    /// A provider that takes `pace` milliseconds for an answer, so that splitting pays.
    final class SlowMeld: Sendable {
        let meld: FakeMeld
        let pace: Int
        /// Waits, from where a walk can be split, with each answer until two windows ask at the same time: on a busy machine
        /// they might else take turns, or all be read in the first.
        let waitsForSecond: Bool
        /// Requests so far, those under way, and the most there ever were of these.
        let crowd = Mutex((asked: 0, now: 0, most: 0))
        let clock = MachineClock.system()

        init(_ meld: FakeMeld, pace: Int = 30, waitsForSecond: Bool = true) {
            self.meld = meld
            self.pace = pace
            self.waitsForSecond = waitsForSecond
        }

        var most: Int { crowd.withLock { $0.most } }

        @Sendable func answer(_ request: HTTPRequest, _ expected: Set<Int>) async throws(HTTPError) -> HTTPResponse {
            let number = crowd.withLock {
                $0.asked += 1
                $0.now += 1
                $0.most = max($0.most, $0.now)
                return $0.asked
            }
            defer { crowd.withLock { $0.now -= 1 } }
            do {
                try await clock.sleep(pace)
                if waitsForSecond, number > WindowSplit.pagesRead {
                    for _ in 0..<500 where most < 2 { try await clock.sleep(20) }
                }
            } catch {
                throw HTTPError(.cancelled, request)
            }
            return try await meld.answer(request, expected)
        }
    }

    static func bench(_ rows: [FakeMeld.Row], windows: Int = 4) throws -> PollingBench {
        let bench = try PollingBench(rows)
        bench.settings.parallelWindows = windows
        bench.settings.groupRows = 40
        bench.options = ["page_limit": "10"]
        return bench
    }

    private static func poll(
        _ bench: PollingBench, at now: Timestamp = night, pace: Int = 30, stop: StopFlag = StopFlag()
    ) async throws -> (outcome: PollOutcome, most: Int) {
        let slow = SlowMeld(bench.meld, pace: pace, waitsForSecond: bench.settings.parallelWindows > 1)
        let poller = Poller(
            source: try bench.handle(), context: bench.context(at: now), connection: bench.connection,
            machine: .system(), fetch: slow.answer)
        return (try await poller.poll(stop: stop), slow.most)
    }

    private static func stored(_ bench: PollingBench) throws -> Int {
        try bench.count("(select distinct transaction_id from tieout.transaction) t", "true")
    }

    @Test("a long walk over a slow list is split, reads every row once at its windows' edges, and is proven as a whole")
    func splits() async throws {
        let rows = PollerTests.purchases(600)
        let bench = try Self.bench(rows)
        let (outcome, most) = try await Self.poll(bench)
        #expect(most > 1 && most <= 4)
        #expect(outcome.ending == .complete && outcome.backfillComplete)
        #expect(outcome.watermark == Self.night.adding(seconds: -900))
        #expect(try bench.count("transaction") == 600 && outcome.counts.new == 600)
        #expect(try bench.count("checkpoint") == 0)
        // The windows meet: what is read twice is less than a page and the walk's end for each.
        #expect(outcome.walks.rows <= 600 + 4 * 20)
        // Twin: with one window nothing is read at the same time, and the rows are the same.
        let single = try Self.bench(rows, windows: 1)
        let (whole, alone) = try await Self.poll(single, pace: 1)
        #expect(alone == 1 && whole.ending == .complete)
        #expect(try single.facts() == bench.facts())
    }

    @Test("a window is split as often as it pays, not only a few times")
    func splitsOn() async throws {
        let bench = try Self.bench(PollerTests.purchases(1600), windows: 2)
        let meld = bench.meld
        let clock = MachineClock.system()
        // Upper bounds of the windows asked for, and when a lower one asked last.
        let met = Mutex((bounds: [String](), lower: 0))
        // The uppermost window waits for the others: they end, and it must be split once more.
        let poller = Poller(
            source: try bench.handle(), context: bench.context(at: Self.night), connection: bench.connection,
            machine: .system()
        ) { request, expected async throws(HTTPError) in
            let items = request.url.split(separator: "?", maxSplits: 1).last?.split(separator: "&") ?? []
            let bound = items.first { $0.hasPrefix("to=") }.map(String.init) ?? ""
            let isUppermost = met.withLock { met in
                if !met.bounds.contains(bound) { met.bounds.append(bound) }
                let isFirst = met.bounds.first == bound
                if !isFirst { met.lower = clock.milliseconds() }
                return isFirst
            }
            do {
                if isUppermost { try await clock.sleep(60) }
                for _ in 0..<500 where isUppermost && clock.milliseconds() - met.withLock({ $0.lower }) < 200 {
                    try await clock.sleep(20)
                }
            } catch {
                throw HTTPError(.cancelled, request)
            }
            return try await meld.answer(request, expected)
        }
        let outcome = try await poller.poll(stop: StopFlag())
        #expect(outcome.ending == .complete)
        #expect(try bench.count("transaction") == 1600)
        #expect(met.withLock { $0.bounds.count } > 4)
    }

    @Test("rows of one second on either side of every edge are all stored", arguments: [1, 25])
    func crowdedEdges(rowsASecond: Int) async throws {
        let newest = Self.night.adding(seconds: -3600)
        let rows = (0..<500).map { number in
            FakeMeld.Row.purchase("W\(number)", newest.adding(seconds: -Int64(number / rowsASecond) * 600))
        }
        let bench = try Self.bench(rows)
        let (outcome, most) = try await Self.poll(bench)
        #expect(most > 1)
        #expect(outcome.ending == .complete)
        #expect(try bench.count("transaction") == 500)
        let again = try await Self.poll(bench, at: Self.night.adding(seconds: 3600), pace: 1).outcome
        #expect(again.ending == .complete && again.counts.new == 0 && again.vanished.isEmpty)
    }

    @Test(
        "bounds that the provider reads in another zone, or ignores, lose no row",
        arguments: ["+14h", "-12h", "ignored"])
    func zones(kind: String) async throws {
        let bench = try Self.bench(PollerTests.purchases(400, newest: Self.night.adding(seconds: -3600)))
        let shift: Int64? = ["+14h": 14 * 3600, "-12h": -12 * 3600][kind]
        let meld = bench.meld
        let slow = SlowMeld(meld)
        let poller = Poller(
            source: try bench.handle(), context: bench.context(at: Self.night), connection: bench.connection,
            machine: .system()
        ) { request, expected async throws(HTTPError) in
            try await slow.answer(Self.moved(request, by: shift), expected)
        }
        let outcome = try await poller.poll(stop: StopFlag())
        #expect(outcome.ending == .complete)
        #expect(try bench.count("transaction") == 400)
    }

    /// The request as a provider understands it that reads bounds in another zone, or not at all.
    private static func moved(_ request: HTTPRequest, by shift: Int64?) -> HTTPRequest {
        var moved = request
        let parts = request.url.split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { return request }
        let items = parts[1].split(separator: "&").compactMap { item -> String? in
            let pair = item.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair[0] == "from" || pair[0] == "to" else { return String(item) }
            guard let shift, let time = Timestamp(pair[1].replacing("%3A", with: ":"), assumingUTC: true) else {
                return nil
            }
            return "\(pair[0])=\(time.adding(seconds: shift).description.prefix(19).replacing(":", with: "%3A"))"
        }
        moved.url = "\(parts[0])?\(items.joined(separator: "&"))"
        return moved
    }

    @Test("one window that fails keeps what the others brought; the next run reads the rest and proves the whole")
    func oneFails() async throws {
        let bench = try Self.bench(PollerTests.purchases(600))
        // One position deep in the list that cannot be read in the first run.
        let meld = bench.meld
        let broken = Mutex(true)
        let slow = SlowMeld(meld)
        func poller(at now: Timestamp) throws -> Poller {
            Poller(
                source: try bench.handle(), context: bench.context(at: now), connection: bench.connection,
                machine: .system()
            ) { request, expected async throws(HTTPError) in
                let place = request.url.components(after: "after=key-W").flatMap { Int($0) } ?? 0
                if place > 420, place < 470, broken.withLock({ $0 }) { throw HTTPError(.timeout, request) }
                return try await slow.answer(request, expected)
            }
        }
        let first = try await poller(at: Self.night).poll(stop: StopFlag())
        #expect(first.ending != .complete && !first.backfillComplete && first.watermark == nil)
        let kept = try bench.count("transaction")
        #expect(kept >= 420 && kept < 600)
        #expect(try bench.count("checkpoint") >= 1)
        broken.withLock { $0 = false }
        let second = try await poller(at: Self.night.adding(seconds: 3600)).poll(stop: StopFlag())
        #expect(second.ending == .complete && second.backfillComplete)
        #expect(try bench.count("transaction") == 600)
        #expect(try bench.count("checkpoint") == 0)
    }

    @Test("a run that ends with several open windows goes on in each of them", arguments: [6, 12, 20])
    func resumes(requests: Int) async throws {
        let bench = try Self.bench(PollerTests.purchases(600))
        let stop = StopFlag()
        bench.meld.set { $0.onRequest = { number, _ in if number == requests { stop.request() } } }
        let first = try await Self.poll(bench, stop: stop).outcome
        #expect(first.ending == .interrupted && !first.backfillComplete)
        let names = try bench.connection.query("select walk from tieout.checkpoint order by walk").map {
            try $0.text(0)
        }
        #expect(names.first == "backfill")
        if requests >= 12 { #expect(names.count > 1) }
        let stored = try bench.count("transaction")
        bench.meld.set { $0.onRequest = nil }
        let second = try await Self.poll(bench, at: Self.night.adding(seconds: 60)).outcome
        #expect(second.ending == .complete && second.backfillComplete)
        #expect(try bench.count("transaction") == 600)
        #expect(second.counts.new == 600 - stored)
        #expect(try bench.count("checkpoint") == 0)
    }

    @Test("one unreadable position among several begins the whole walk anew")
    func unreadablePosition() async throws {
        let bench = try Self.bench(PollerTests.purchases(300))
        let stop = StopFlag()
        bench.meld.set { $0.onRequest = { number, _ in if number == 12 { stop.request() } } }
        _ = try await Self.poll(bench, stop: stop)
        try bench.connection.execute("update tieout.checkpoint set position = '{}' where walk = 'backfill'")
        bench.meld.set { $0.onRequest = nil }
        let outcome = try await Self.poll(bench, at: Self.night.adding(seconds: 60)).outcome
        #expect(outcome.ending == .complete && outcome.backfillComplete)
        #expect(try bench.count("transaction") == 300)
        #expect(try bench.count("checkpoint") == 0)
    }

    @Test("a list that does not run in order is read again in one piece, and loses no row")
    func disordered() async throws {
        let newest = Self.night.adding(seconds: -3600)
        // In order at first, so that it is split; then every row deep inside stands at the wrong place.
        let rows = (0..<400).map { number in
            FakeMeld.Row.purchase("W\(number)", newest.adding(seconds: -60 * Int64(number)))
        }
        let bench = try Self.bench(rows)
        bench.meld.set {
            $0.sortsBy = { row in
                let number = Int(row.id.dropFirst()) ?? 0
                return number < 200 ? -number : -(200 + (number * 7) % 200)
            }
        }
        let (outcome, most) = try await Self.poll(bench)
        #expect(most > 1)
        #expect(outcome.ending == .complete)
        #expect(try bench.count("transaction") == 400)
    }

    @Test("the budget of the source holds over all windows")
    func budget() async throws {
        let bench = try Self.bench(PollerTests.purchases(400))
        // Ten requests in 300 ms of a time that passes only while somebody waits for a permit.
        let time = Mutex(0)
        let clock = MachineClock(
            milliseconds: { time.withLock { $0 } }, wall: { Self.night },
            sleep: { pause in time.withLock { $0 += pause } })
        let budget = RateBudget([.window(permits: 10, per: .milliseconds(300))], clock: clock)
        let permits = Mutex(0)
        let slow = SlowMeld(bench.meld)
        let poller = Poller(
            source: try bench.handle(), context: bench.context(at: Self.night), connection: bench.connection,
            machine: .system()
        ) { request, expected async throws(HTTPError) in
            try await budget.acquire()
            permits.withLock { $0 += 1 }
            return try await slow.answer(request, expected)
        }
        #expect(try await poller.poll(stop: StopFlag()).ending == .complete)
        let asked = bench.meld.asked.count
        #expect(asked > 40 && slow.most > 1)
        #expect(permits.withLock { $0 } == asked)
        #expect(time.withLock { $0 } >= (asked - 1) / 10 * 300)
    }

    @Test("a group that the database refuses takes back what came behind it: no position says more than the rows")
    func databaseFails() async throws {
        let bench = try Self.bench(PollerTests.purchases(200), windows: 1)
        try bench.connection.execute(
            "alter table tieout.transaction add constraint no_w99 check (transaction_id <> 'W99')")
        await #expect(throws: PostgresError.self) { _ = try await Self.poll(bench, pace: 1) }
        let stored = try bench.count("transaction")
        #expect(stored < 100)
        try bench.connection.execute("alter table tieout.transaction drop constraint no_w99")
        #expect(try await Self.poll(bench, at: Self.night.adding(seconds: 60), pace: 1).outcome.ending == .complete)
        #expect(try bench.count("transaction") == 200)
    }
}

extension String {
    /// What stands behind the first `mark`, up to the next `&`.
    fileprivate func components(after mark: String) -> String? {
        guard let range = firstRange(of: mark) else { return nil }
        return String(self[range.upperBound...].prefix { $0 != "&" })
    }
}
