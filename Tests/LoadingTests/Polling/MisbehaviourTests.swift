import Payments
import Postgres
import Sandbox
import SandboxSupport
import Testing

@testable import Loading

/// What becomes of a first walk, and of those after it, when the provider misbehaves in one way.
struct Trial: Sendable {
    enum Kind: String, Sendable, CaseIterable { case answers, ways, cursors, ends, rows, drift }
    enum Outcome: Sendable { case complete, incomplete, tryLater }
    let spec: String
    /// One run each; the last one has to hold everything.
    let outcomes: [Outcome]
    /// The faults end before the last run: an operator or the provider has mended it.
    var isMended = false
    /// Rows that no run before the last could know of.
    var unknowable = 0

    init(_ spec: String, _ outcomes: Outcome..., mended: Bool = false, unknowable: Int = 0) {
        self.spec = spec
        self.outcomes = outcomes
        isMended = mended
        self.unknowable = unknowable
    }

    static func all(_ kind: Kind) -> [Trial] { trials[kind] ?? [] }

    private static let trials: [Kind: [Trial]] = [
        .answers: [
            Trial("", .complete),
            Trial("429:times=3:retry-after=7", .complete),
            Trial("429:times=1:retry-after=date,429:after=3:times=2:retry-after=garbage", .complete),
            Trial("429:times=4:retry-after=none", .complete),
            Trial("429:times=0", .tryLater, .complete, mended: true),
            Trial("5xx:times=4", .complete),
            Trial("5xx:after=2:times=0", .incomplete, .complete, mended: true),
            Trial("5xx:after=2:times=6:status=503", .incomplete, .complete),
            Trial("401:after=2:times=1", .incomplete, .complete),
            Trial("403", .incomplete, .complete, mended: true),
            Trial("redirect:after=2", .incomplete, .complete),
        ],
        .ways: [
            Trial("stall:after=2:times=3", .complete),
            Trial("stall:after=1:times=6", .incomplete, .complete),
            Trial("drip:times=0", .complete),
            Trial("cut:after=2:times=3", .complete),
            Trial("hangup:times=2", .complete),
            Trial("oversized:after=2", .incomplete, .complete),
            Trial("malformed:after=2:times=2", .complete),
            Trial("malformed:times=3", .incomplete, .complete),
            Trial("html:times=0", .incomplete, .complete, mended: true),
            Trial("content-type", .complete),
            Trial("skew:seconds=3600,429:retry-after=date", .complete),
            Trial("skew:seconds=-86400,429:retry-after=date", .complete),
        ],
        .cursors: [
            Trial("expired:after=1", .complete),
            Trial("expired:after=2:times=2", .complete),
            Trial("expired:after=1:times=0", .incomplete, .complete, mended: true),
            Trial("repeat", .complete),
            Trial("repeat:after=2:times=3", .complete),
            Trial("repeat:times=0", .complete),
            Trial("loop:after=2:times=1", .complete),
            Trial("loop:after=2", .complete),
            Trial("loop:times=0", .complete),
        ],
        .ends: [
            Trial("empty:after=2:times=2", .complete),
            Trial("empty:after=2:times=3:lie=yes", .complete),
            Trial("empty:after=2:times=0:lie=yes", .incomplete, .complete, mended: true),
            Trial("short", .complete),
            Trial("bare", .complete),
            Trial("bare,short", .complete),
            Trial("bare,empty:after=2:times=2", .complete),
            Trial("total:off=7", .incomplete, .complete, mended: true),
            Trial("total:off=-7", .complete),
        ],
        .rows: [
            Trial("outside", .complete),
            Trial("stranger", .complete),
            Trial("duplicate:rows=40", .complete),
            Trial("duplicate,empty:after=2:times=2:lie=yes", .complete),
            Trial("stranger:after=1:rows=50,empty:after=3:times=2:lie=yes", .complete),
        ],
        .drift: [
            Trial("insert:after=2:rows=5", .complete),
            Trial("delete:after=2:rows=3:times=50", .complete),
            Trial("offset", .complete),
            Trial("offset,insert:after=1:rows=3", .complete),
            Trial("offset,delete:after=1:rows=5:times=20", .complete),
            Trial("late:rows=6", .complete, .complete, unknowable: 6),
            Trial("bad:times=1", .complete, .complete, unknowable: 2),
            Trial(
                "5xx:chance=20:times=0,cut:chance=10:times=0,short:rows=30,duplicate,stranger,empty:chance=10:times=0",
                .complete),
        ],
    ]
}

@Suite("A provider that misbehaves, against PostgreSQL")
struct MisbehaviourTests {
    @Test("complete with every row once, or said not to be, and then whole", arguments: Trial.Kind.allCases)
    func nothingLost(kind: Trial.Kind) async throws {
        let bench = try PollingBench()
        for trial in Trial.all(kind) { try await tryOut(trial, bench) }
    }

    /// Each trial is a source of its own in the bench's database.
    private func tryOut(_ trial: Trial, _ bench: PollingBench) async throws {
        let meld = try MisbehavingMeld(trial.spec)
        bench.source = "meld-" + trial.spec
        let mine = "source_id = '\(bench.source)'"
        for (run, expected) in trial.outcomes.enumerated() {
            let place = Comment(rawValue: "\(trial.spec), run \(run + 1)")
            let isLast = run == trial.outcomes.count - 1
            if isLast, trial.isMended { meld.api.misbehave(Misbehaviour()) }
            if run > 0 { meld.set(now: meld.night.adding(seconds: Int64(run))) }
            let outcome = try await bench.poll(meld, at: meld.night.adding(seconds: Int64(run) * 60))
            let rows = try bench.compare(meld)
            #expect(rows.doubled.isEmpty && rows.strange.isEmpty && rows.stale.isEmpty, place)
            switch (expected, outcome.ending) {
            case (.complete, .complete):
                #expect(rows.lost.count == (isLast ? 0 : trial.unknowable), place)
                #expect(try bench.count("checkpoint", mine) == 0, place)
            case (.incomplete, .incomplete), (.tryLater, .tryLater):
                #expect(!outcome.backfillComplete, place)
                #expect(
                    try bench.count("feed_state", "\(mine) and failing_since is not null and failure <> ''") == 1, place
                )
            default: Issue.record("\(trial.spec), run \(run + 1): \(outcome.ending)")
            }
        }
    }

    @Test("a second night meets faults in a known world")
    func secondNight() async throws {
        let bench = try PollingBench()
        let specs = [
            "outside", "outside:times=1:rows=9", "expired:after=1", "empty:after=1:times=3:lie=yes", "late:rows=6",
            "bare,empty:after=2:times=2", "offset,insert:after=1:rows=3", "offset,delete:after=1:rows=5:times=20",
            "loop:times=0", "silent",
        ]
        for spec in specs {
            let meld = try MisbehavingMeld()
            bench.source = "meld-" + spec
            try await bench.poll(meld, at: meld.night)
            let second = meld.world.shape.night(2)
            meld.set(now: second)
            meld.api.misbehave(try Misbehaviour(spec))
            let disturbed = try await bench.poll(meld, at: second)
            meld.api.misbehave(Misbehaviour())
            // What nobody can know of is what the provider does not show yet.
            if disturbed.ending == .complete, spec != "late:rows=6" {
                let known = try bench.compare(meld)
                #expect(known.agrees, "\(spec): \(known.summary)")
            }
            if spec == "silent" { #expect(disturbed.ending != .complete) }
            let whole = try await bench.poll(meld, at: second.adding(seconds: 60))
            #expect(whole.ending == .complete, "\(spec)")
            let rows = try bench.compare(meld)
            #expect(rows.agrees, "\(spec): \(rows.summary)")
        }
    }

    @Test("case 8: a pause too long for a run stops the source, keeps its position, and is kept to by the next runs")
    func longPause() async throws {
        let meld = try MisbehavingMeld("429:after=2:times=1:retry-after=86400")
        let bench = try PollingBench()
        let stopped = try await bench.poll(meld, at: meld.night)
        guard case .tryLater(let reason) = stopped.ending else {
            Issue.record("try later expected, not \(stopped.ending)")
            return
        }
        #expect(reason.contains("2026-08-11T02:30:00Z"))
        #expect(try bench.count("checkpoint") == 1)
        #expect(try bench.count("transaction") == 200)
        let calls = meld.calls.count
        // An hour later the provider is left in peace.
        guard case .tryLater = try await bench.poll(meld, at: meld.night.adding(seconds: 3600)).ending else {
            Issue.record("try later expected")
            return
        }
        #expect(meld.calls.count == calls)
        // Twin: the next night it may be asked again, and goes on below its position.
        let next = try await bench.poll(meld, at: meld.night.adding(seconds: 86_400))
        #expect(next.ending == .complete)
        #expect(try bench.compare(meld).agrees)
    }

    @Test("case 8: what was waited stands in the run's counters; an undisturbed run waits for nothing")
    func waits() async throws {
        let meld = try MisbehavingMeld("429:times=3:retry-after=7")
        let bench = try PollingBench()
        try await bench.poll(meld, at: meld.night)
        func counter(_ name: String) throws -> Int {
            Int(try bench.text("select counters ->> '\(name)' from tieout.feed_state") ?? "") ?? -1
        }
        #expect(try counter("waited_ms") >= 21_000)
        #expect(try counter("too_many_requests") == 3 && counter("retries") == 3)
        let calls = meld.calls
        #expect(zip(calls, calls.dropFirst()).prefix(3).allSatisfy { $1.at - $0.at >= 7000 })
        try await bench.poll(meld, at: meld.night.adding(seconds: 60))
        #expect(try counter("waited_ms") == 0 && counter("too_many_requests") == 0)
    }

    @Test("case 10: a body that stalls is broken off, said and asked for again; the half that came is no data")
    func stalls() async throws {
        let meld = try MisbehavingMeld("stall:after=2:times=2")
        let bench = try PollingBench()
        let outcome = try await bench.poll(meld, at: meld.night)
        // A walk that was slow may have been split: of the page at the seam, rows are read by both windows.
        #expect(outcome.ending == .complete && outcome.walks.rows >= 481)
        #expect(try bench.compare(meld).agrees)
        // Two stalls of the low-speed time, and pauses: bounded.
        #expect((60_000...180_000).contains(meld.time.now))
        #expect(try bench.text("select counters ->> 'retries' from tieout.feed_state") == "2")
        // Twin: without a stall nothing is asked for twice.
        let calm = try MisbehavingMeld()
        try await bench.poll(calm, at: meld.night.adding(seconds: 60))
        #expect(try bench.text("select counters ->> 'retries' from tieout.feed_state") == "0")
    }

    @Test(
        "case 5: pages by number that shift under the walk lose no row and store none twice",
        arguments: ["offset,insert:after=1:rows=1", "offset,delete:after=1:rows=1:times=30", "offset"])
    func drift(spec: String) async throws {
        let meld = try MisbehavingMeld(spec)
        let bench = try PollingBench()
        let outcome = try await bench.poll(meld, at: meld.night)
        #expect(outcome.ending == .complete)
        let rows = try bench.compare(meld)
        #expect(rows.agrees, "\(rows.summary)")
        // Twin: nothing shifts, nothing is read twice.
        #expect(spec == "offset" ? outcome.walks.restarts == 0 : true)
    }

    @Test("the deep sweep reads all of the reversal window in a week: dormant rows wake, vanished ones are said")
    func deepSweep() async throws {
        let night = PollerTests.night
        let day: Int64 = 86_400
        let ages: [Int64] = [35, 60, 85, 110, 135, 160, 175]
        let bench = try PollingBench(
            ages.map { .purchase("D\($0)", night.adding(seconds: -$0 * day), status: "PENDING_CREATED") }
                + [
                    .purchase("gone", night.adding(seconds: -100 * day)),
                    .purchase("new", night.adding(seconds: -3600)),
                ])
        try await bench.poll(at: night)
        bench.meld.set { state in
            for place in state.rows.indices where state.rows[place].id.hasPrefix("D") {
                state.rows[place].members = state.rows[place].members.replacing("PENDING_CREATED", with: "SETTLED")
            }
            state.rows.removeAll { $0.id == "gone" }
        }
        bench.settings.sweep = .off
        try await bench.poll(at: night.adding(seconds: day))
        // Without a sweep nobody looks at them.
        #expect(try bench.count("transaction", "raw_status = 'PENDING_CREATED'") == ages.count)
        bench.settings.sweep = .slice
        var vanished: Set<String> = []
        for number in 2...8 {
            let outcome = try await bench.poll(at: night.adding(seconds: Int64(number) * day))
            #expect(outcome.ending == .complete)
            vanished.formUnion(outcome.vanished)
        }
        #expect(try bench.count("transaction", "raw_status = 'SETTLED'") == ages.count + 2)
        #expect(vanished == ["gone"])
        #expect(
            try bench.text(
                "select count(*)::text from jsonb_object_keys((select state -> 'swept' from tieout.resource_state))")
                == "7")
    }

    @Test("case 11: an empty list is not believed where ids are known; where none of them is, the key is in doubt")
    func silence() async throws {
        let meld = try MisbehavingMeld("silent")
        let bench = try PollingBench()
        let named = meld.world.visible(at: meld.night).prefix(5).map(\.id)
        // Events and orders name rows that the list does not show.
        let first = try await bench.poll(meld, at: meld.night, rereads: named)
        guard case .incomplete(let reasons) = first.ending else {
            Issue.record("incomplete expected, not \(first.ending)")
            return
        }
        #expect(reasons.joined().contains("omits") && !first.backfillComplete)
        #expect(try bench.count("transaction") >= 4)
        let foreign = try PollingBench()
        let unknown = try await foreign.poll(meld, at: meld.night, rereads: ["Wone", "Wtwo", "Wthree"])
        guard case .incomplete(let doubts) = unknown.ending else {
            Issue.record("incomplete expected, not \(unknown.ending)")
            return
        }
        #expect(doubts.joined().contains("right key"))
        // Twin: a list with rows and one unknown id is in order.
        meld.api.misbehave(Misbehaviour())
        let whole = try await foreign.poll(meld, at: meld.night.adding(seconds: 60), rereads: ["Wone", "Wtwo"])
        #expect(whole.ending == .complete && whole.unknownIDs.count == 2)
    }
}
