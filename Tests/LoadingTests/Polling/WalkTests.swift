import Payments
import Providers
import Testing

@testable import Loading

@Suite("Walk: the ordinary way")
struct WalkTests {
    static let now = Timestamp.at("2026-08-10T12:00:00Z")

    static func plan(_ kind: WalkKind = .backfill, from: Timestamp? = nil, limit: Int = 100) -> WalkPlan {
        WalkPlan(kind: kind, from: from, to: nil, startedAt: now, limit: limit)
    }

    @Test("reads a list to its end", arguments: [0, 1, 99, 100, 101, 250, 1000], [true, false])
    func readsToTheEnd(count: Int, totals: Bool) {
        var list = FakeList(rows(count, newest: Self.now))
        list.givesTotals = totals
        let driven = drive(Walk(plan: Self.plan()), &list)
        #expect(driven.isComplete)
        #expect(driven.ids.count == count)
        #expect(driven.committed.count == count)
        #expect(driven.checkpoint == nil)
    }

    @Test("learns what the cursor names mean", arguments: [PageAsk.Edge.after, .before], [true, false])
    func learnsDirection(leading: PageAsk.Edge, totals: Bool) {
        for order in [ListOrder.newestFirst, .oldestFirst] {
            var list = FakeList(rows(350, newest: Self.now))
            list.leading = leading
            list.order = order
            list.givesTotals = totals
            let driven = drive(Walk(plan: Self.plan()), &list)
            #expect(driven.isComplete, "\(order) \(leading)")
            #expect(driven.ids.count == 350)
            #expect(driven.walk.order == order)
        }
    }

    @Test("exactly one full page without totals is an end, whichever cursor name leads on", arguments: [1, 2])
    func onePage(way: Int) {
        var list = FakeList(rows(100, newest: Self.now))
        list.givesTotals = false
        list.leading = way == 1 ? .after : .before
        #expect(drive(Walk(plan: Self.plan()), &list).isComplete)
    }

    @Test("case 1: a backfill killed after its first page goes on below it and is complete only at the start")
    func resumesBelow() throws {
        var list = FakeList(rows(250, newest: Self.now))
        let killed = drive(Walk(plan: Self.plan()), &list, pages: 1, commitEveryPage: true)
        #expect(killed.end == nil)
        let point = try #require(killed.checkpoint)
        #expect(killed.committed.count == 100)
        var rest = list
        let driven = drive(Walk(resuming: point), &rest)
        #expect(driven.isComplete)
        #expect(driven.ids.isDisjoint(with: killed.committed))
        #expect(driven.ids.union(killed.committed).count == 250)
        #expect(driven.walk.plan.startedAt == Self.now)
    }

    @Test("case 1 twin: a backfill that was not killed reads each page once")
    func readsOnce() {
        var list = FakeList(rows(250, newest: Self.now))
        let driven = drive(Walk(plan: Self.plan()), &list)
        #expect(driven.isComplete)
        // Three pages and the empty one behind the last row.
        #expect(list.asks.count == 4)
        #expect(driven.walk.counters.repeatedRows == 0)
    }

    @Test("case 9: pages are committed on the way, and a resumed walk re-reads none of them")
    func durableUnits() throws {
        var list = FakeList(rows(2000, newest: Self.now))
        var walk = Walk(plan: Self.plan())
        var seen: [String: Int] = [:]
        var runs = 0
        while true {
            runs += 1
            let driven = drive(walk, &list, pages: 6, commitEveryPage: true)
            for id in driven.ids { seen[id, default: 0] += 1 }
            if driven.isComplete { break }
            walk = Walk(resuming: try #require(driven.checkpoint))
            try #require(runs < 10)
        }
        #expect(seen.count == 2000)
        #expect(seen.values.allSatisfy { $0 == 1 })
        #expect(runs == 4)
    }

    @Test("a group is committed at its row limit, after one second, and at the end")
    func groups() {
        var list = FakeList(rows(1000, newest: Self.now))
        var plan = Self.plan()
        plan.groupRows = 300
        let driven = drive(Walk(plan: plan), &list)
        #expect(driven.commits == 4)
        var idle = Walk(plan: plan)
        _ = idle.start()
        #expect(idle.handle(.groupIsOld) == [])
    }

    @Test("stop on request commits what was read and keeps the position")
    func stops() throws {
        var list = FakeList(rows(500, newest: Self.now))
        var driven = drive(Walk(plan: Self.plan()), &list, pages: 2)
        let actions = driven.walk.handle(.stopRequested)
        #expect(actions.count == 2)
        guard case .commit(let point?) = actions[0], case .finish(let end) = actions[1] else {
            Issue.record("commit and finish expected")
            return
        }
        #expect(point.ask.cursor == "kr199")
        #expect(end.verdict == .incomplete(reason: "stopped on request", resumable: true))
        #expect(driven.walk.handle(.stopRequested) == [])
    }

    @Test("only what lay settled before the walk began is proven")
    func settleLag() {
        #expect(Self.plan().provesUntil == Timestamp.at("2026-08-10T11:45:00Z"))
        var sweep = Self.plan(.sweep)
        sweep.to = Timestamp.at("2026-07-01T00:00:00Z")
        #expect(sweep.provesUntil == sweep.to)
    }

    @Test("an incremental walk asks from a day before its window: bounds and zones are not documented")
    func overlap() {
        let plan = Self.plan(.incremental, from: Timestamp.at("2026-07-31T12:00:00Z"))
        #expect(plan.firstAsk.from == Timestamp.at("2026-07-30T12:00:00Z"))
        #expect(plan.firstAsk.to == nil)
    }

    @Test("a list that shows more than its window is complete by its own count; rows outside are no news there")
    func wideWindows() {
        let from = Self.now.adding(seconds: -3 * 86_400)
        for (isExact, outside) in [(true, 1), (false, 0)] {
            var list = FakeList(rows(250, newest: Self.now))
            // The head of the list has a row from long before the window: it was changed since.
            let old = RowFacts(id: "old", createdAt: Self.now.adding(seconds: -90 * 86_400))
            list.instead[1] = PageFacts(rows: [old], next: "kold", total: 1)
            list.instead[2] = PageFacts(rows: [], next: nil, total: 1)
            var plan = Self.plan(.incremental, from: from)
            plan.isOneWay = true
            plan.hasExactWindows = isExact
            let driven = drive(Walk(plan: plan), &list)
            #expect(driven.isComplete)
            #expect(driven.walk.counters.rowsOutsideWindow == outside)
            #expect(driven.ids == ["old"])
        }
    }
}
