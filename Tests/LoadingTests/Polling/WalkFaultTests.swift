import Payments
import Providers
import Testing

@testable import Loading

@Suite("Walk: lists that misbehave")
struct WalkFaultTests {
    static let now = WalkTests.now

    static func walk(_ limit: Int = 100) -> Walk { Walk(plan: WalkTests.plan(limit: limit)) }

    @Test("case 2: 130 rows of one second lose none at the page border", arguments: [true, false])
    func boundarySecond(totals: Bool) {
        let second = Timestamp(seconds: 1_767_225_600)
        var all = (0..<130).map { RowFacts(id: "same\($0)", createdAt: second) }
        all += (1...5).map { RowFacts(id: "later\($0)", createdAt: second.adding(seconds: Int64($0))) }
        all += (1...5).map { RowFacts(id: "earlier\($0)", createdAt: second.adding(seconds: -Int64($0))) }
        var list = FakeList(all)
        list.givesTotals = totals
        let driven = drive(Self.walk(), &list)
        #expect(driven.isComplete)
        #expect(driven.ids.count == 140)
        #expect(driven.ids.filter { $0.hasPrefix("same") }.count == 130)
    }

    @Test("case 2: the boundary second is asked again inclusively when its cursor is refused")
    func boundaryRestart() {
        let second = Timestamp(seconds: 1_767_225_600)
        var all = (0..<130).map { RowFacts(id: "same\($0)", createdAt: second) }
        all += rows(300, newest: second.adding(seconds: -86_400 * 3), step: 3600)
        var list = FakeList(all)
        // The cursor of the row inside the second at which the second page ends.
        let listed = all.sorted { ($0.createdAt?.microseconds ?? 0, $0.id) > ($1.createdAt?.microseconds ?? 0, $1.id) }
        list.expired = ["k" + listed[139].id]
        let driven = drive(Self.walk(70), &list)
        #expect(driven.ids.count == 430)
        #expect(driven.isComplete)
        #expect(driven.walk.counters.restarts == 1)
    }

    @Test("case 5: a row inserted during the walk is counted once and loses none")
    func insertion() {
        var list = FakeList(rows(6, newest: Self.now))
        list.before[2] = { $0.append(RowFacts(id: "new", createdAt: Self.now.adding(seconds: 5))) }
        let driven = drive(Self.walk(2), &list)
        #expect(driven.isComplete)
        #expect(driven.ids.count == 7 && driven.ids.contains("new"))
        // Twin: a list that stays as it is is not looked at twice.
        var still = FakeList(rows(6, newest: Self.now))
        #expect(drive(Self.walk(2), &still).isComplete)
        #expect(still.asks.count { $0.cursor == nil } == 1)
    }

    @Test("case 5: a numbered list that shifts by an insertion shows the new row and each other one once")
    func insertionShifts() {
        // [E, D], then F is inserted: [D, C], [B, A].
        let all = rows(5, newest: Self.now)
        let new = RowFacts(id: "F", createdAt: Self.now.adding(seconds: 5))
        var walk = Self.walk(2)
        _ = walk.start()
        _ = walk.handle(.page(PageFacts(rows: Array(all[0...1]), next: "2", remaining: 3, total: 5)))
        _ = walk.handle(.page(PageFacts(rows: Array(all[1...2]), next: "3", remaining: 2, total: 6)))
        _ = walk.handle(.page(PageFacts(rows: Array(all[3...4]), next: "4", remaining: 0, total: 6)))
        #expect(walk.distinct == 5 && walk.counters.repeatedRows == 1)
        let again = walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 6)))
        var head = WalkTests.plan(limit: 2).firstAsk
        head.edge = walk.ask.edge
        #expect(again == [.fetch(head)])
        let done = walk.handle(.page(PageFacts(rows: [new, all[0]], next: "2", remaining: 4, total: 6)))
        #expect(isComplete(done) == true && walk.distinct == 6)
    }

    @Test("case 5: a total that falls while rows were read already has the walk repeated; unread rows may go")
    func deletionLowersTotal() {
        // [E, D], then D is deleted: [B, A] of 4. C was never shown.
        let all = rows(5, newest: Self.now)
        var walk = Self.walk(2)
        _ = walk.start()
        _ = walk.handle(.page(PageFacts(rows: Array(all[0...1]), next: "2", remaining: 3, total: 5)))
        _ = walk.handle(.page(PageFacts(rows: Array(all[3...4]), next: "3", remaining: 0, total: 4)))
        _ = walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 4)))
        let again = walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 4)))
        #expect(isComplete(again) == nil && walk.counters.restarts == 1)
        _ = walk.handle(.page(PageFacts(rows: [all[0], all[2]], next: "2", remaining: 2, total: 4)))
        _ = walk.handle(.page(PageFacts(rows: Array(all[3...4]), next: "3", remaining: 0, total: 4)))
        #expect(isComplete(walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 4)))) == true)
        // Twin: with cursors of its own kind nothing shifts, and one row less is found to be so.
        var list = FakeList(rows(300, newest: Self.now))
        list.before[3] = { $0.removeAll { $0.id == "r250" } }
        let driven = drive(Self.walk(), &list)
        #expect(driven.isComplete && driven.ids.count == 299)
    }

    @Test("two empty pages inside a list without totals are not its end", arguments: [2, 3])
    func emptyTwice(count: Int) {
        var list = FakeList(rows(500, newest: Self.now, step: 3600))
        list.givesTotals = false
        for request in 3..<3 + count { list.instead[request] = PageFacts(rows: [], next: nil) }
        let driven = drive(Self.walk(), &list)
        #expect(driven.isComplete)
        #expect(driven.ids.count == 500)
    }

    @Test("rows of strangers do not stand in for rows that are missing", arguments: [true, false])
    func strangersDoNotCount(counted: Bool) {
        let all = rows(300, newest: Self.now, step: 3600)
        let strangers = (0..<200).map {
            RowFacts(id: "s\($0)", createdAt: Self.now.adding(seconds: -3600 * Int64(150 + $0)), isStranger: true)
        }
        var walk = Self.walk()
        _ = walk.start()
        _ = walk.handle(.page(PageFacts(rows: Array(all[..<100]), next: "a", remaining: 200, total: 300)))
        let second = Array(all[100..<200]) + strangers
        _ = walk.handle(
            .page(PageFacts(rows: second, next: "b", remaining: counted ? 0 : 100, total: counted ? 400 : 300)))
        var actions = walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: counted ? 400 : 300)))
        if isComplete(actions) == nil {
            actions = walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: counted ? 400 : 300)))
        }
        // 100 rows are missing: the count of what came says otherwise, and is not believed.
        #expect(isComplete(actions) == nil)
    }

    @Test("case 5: a numbered list that shifts by a deletion is walked again until its total agrees")
    func deletionShifts() {
        // Pages by number: D is deleted before page 2, so C moves to page 1 and is never shown.
        let all = rows(5, newest: Self.now)
        var walk = Self.walk(2)
        _ = walk.start()
        _ = walk.handle(.page(PageFacts(rows: Array(all[0...1]), next: "2", remaining: 3, total: 5)))
        _ = walk.handle(.page(PageFacts(rows: Array(all[3...4]), next: "3", remaining: 0, total: 5)))
        _ = walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 5)))
        let repeated = walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 5)))
        #expect(repeated == [.fetch(WalkTests.plan(limit: 2).firstAsk)])
        #expect(walk.counters.restarts == 1)
        // Twin: the second walk shows C as well and is complete.
        var healed = walk
        _ = healed.handle(.page(PageFacts(rows: [all[0], all[2]], next: "2", remaining: 2, total: 4)))
        _ = healed.handle(.page(PageFacts(rows: Array(all[3...4]), next: "3", remaining: 0, total: 4)))
        let done = healed.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 4)))
        #expect(isComplete(done) == true)
        // It shows fewer than its total again: never "complete".
        _ = walk.handle(.page(PageFacts(rows: Array(all[0...1]), next: "2", remaining: 3, total: 5)))
        _ = walk.handle(.page(PageFacts(rows: Array(all[3...4]), next: "3", remaining: 0, total: 5)))
        _ = walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 5)))
        #expect(isComplete(walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 5)))) == false)
    }

    @Test(
        "case 5: a numbered list without totals whose first rows go away is walked again; twice so, it is not complete")
    func deletionWithoutTotal() {
        // D is deleted before page 2, so C moves to page 1 and is never shown.
        let all = rows(5, newest: Self.now)
        let last = PageFacts(rows: Array(all[3...4]), next: nil, saysEnd: true)
        var walk = Self.walk(2)
        _ = walk.start()
        _ = walk.handle(.page(PageFacts(rows: Array(all[0...1]), next: "2")))
        let second = walk.handle(.page(last))
        #expect(isComplete(second) == nil)
        let again = walk.handle(.page(PageFacts(rows: [all[0], all[2]], next: "2")))
        #expect(isComplete(again) == nil && walk.counters.restarts == 1)
        var healed = walk
        _ = healed.handle(.page(PageFacts(rows: [all[0], all[2]], next: "2")))
        _ = healed.handle(.page(last))
        #expect(isComplete(healed.handle(.page(PageFacts(rows: [all[0], all[2]], next: "2")))) == true)
        #expect(healed.distinct == 4)
        _ = walk.handle(.page(PageFacts(rows: [all[0], all[2]], next: "2")))
        _ = walk.handle(.page(last))
        #expect(isComplete(walk.handle(.page(PageFacts(rows: [all[0], all[3]], next: "2")))) == false)
    }

    @Test("rows of one moment that stand in another order at the second look have not gone away")
    func tiesAtTheHead() {
        let tied = ["a", "b", "c"].map { RowFacts(id: $0, createdAt: Self.now) } + rows(2, newest: Self.now, step: 60)
        var walk = Self.walk(3)
        _ = walk.start()
        _ = walk.handle(.page(PageFacts(rows: Array(tied[0...2]), next: "2")))
        _ = walk.handle(.page(PageFacts(rows: [tied[4]], next: nil, saysEnd: true)))
        let new = RowFacts(id: "new", createdAt: Self.now.adding(seconds: 5))
        #expect(isComplete(walk.handle(.page(PageFacts(rows: [new, tied[2], tied[0]], next: "2")))) == true)
    }

    @Test("an empty page inside the list is asked again, not taken for the end", arguments: [true, false])
    func emptyInside(totals: Bool) {
        var list = FakeList(rows(500, newest: Self.now))
        list.givesTotals = totals
        list.instead[3] = PageFacts(
            rows: [], next: nil, remaining: totals ? 300 : nil, total: totals ? 500 : nil)
        let driven = drive(Self.walk(), &list)
        #expect(driven.isComplete)
        #expect(driven.ids.count == 500)
    }

    @Test("an empty page that says it is the last, against the list's total, proves nothing")
    func emptyLies() {
        var list = FakeList(rows(500, newest: Self.now))
        for request in 3...12 {
            list.instead[request] = PageFacts(rows: [], next: nil, remaining: 0, total: 500)
        }
        let driven = drive(Self.walk(), &list)
        let complete = driven.isComplete
        #expect(!complete)
        #expect(driven.ids.count == 200)
    }

    @Test("a short page inside the list is not the end")
    func shortInside() {
        let all = rows(500, newest: Self.now)
        var list = FakeList(all)
        list.instead[2] = PageFacts(rows: Array(all[100..<103]), next: "kr102", remaining: 397, total: 500)
        let driven = drive(Self.walk(), &list)
        #expect(driven.isComplete)
        #expect(driven.ids.count == 500)
        #expect(driven.walk.counters.shortPages == 1)
    }

    @Test("a list that repeats one page for ever ends as incomplete")
    func loops() {
        let all = rows(500, newest: Self.now)
        var list = FakeList(all)
        let again = PageFacts(rows: Array(all[100..<200]), next: "kr199", remaining: 300, total: 500)
        for request in 2...60 { list.instead[request] = again }
        let driven = drive(Self.walk(), &list)
        #expect(driven.end != nil)
        #expect(!driven.isComplete)
        #expect(driven.walk.counters.repeatedCursors > 0)
    }

    @Test("a cursor repeated once by mistake does not end the walk")
    func repeatedOnce() {
        let all = rows(500, newest: Self.now)
        var list = FakeList(all)
        list.instead[3] = PageFacts(rows: Array(all[200..<300]), next: "kr199", remaining: 200, total: 500)
        let driven = drive(Self.walk(), &list)
        #expect(driven.isComplete)
        #expect(driven.ids.count == 500)
    }

    @Test("a page repeated once by mistake does not end the walk")
    func pageRepeatedOnce() {
        let all = rows(500, newest: Self.now)
        var list = FakeList(all)
        list.instead[3] = PageFacts(rows: Array(all[100..<200]), next: "kr199", remaining: 300, total: 500)
        let driven = drive(Self.walk(), &list)
        #expect(driven.isComplete)
        #expect(driven.ids.count == 500)
        #expect(driven.walk.counters.repeatedPages == 1)
    }

    @Test("rows outside the window are counted and are never the end")
    func outside() {
        let from = Self.now.adding(seconds: -86_400)
        let all = rows(300, newest: Self.now)
        var list = FakeList(all)
        list.instead[2] = PageFacts(
            rows: rows(100, newest: from.adding(seconds: -86_400 * 30)).map {
                RowFacts(id: "old" + $0.id, createdAt: $0.createdAt)
            }, next: "kr99", remaining: 200, total: 300)
        let driven = drive(Walk(plan: WalkTests.plan(.incremental, from: from)), &list)
        #expect(driven.ids.count == 400)
        #expect(driven.walk.counters.rowsOutsideWindow == 100)
        #expect((driven.end?.oldest).map { $0 >= from.adding(seconds: -86_400) } == true)
    }

    @Test("an expired cursor restarts below the last position; the twin with a good one does not")
    func expired() {
        var list = FakeList(rows(1000, newest: Self.now, step: 3600))
        list.expired = ["kr299"]
        let driven = drive(Self.walk(), &list)
        #expect(driven.isComplete)
        #expect(driven.ids.count == 1000)
        #expect(driven.walk.counters.restarts == 1)
        #expect(driven.walk.counters.rejectedCursors == 1)
        var good = FakeList(rows(1000, newest: Self.now, step: 3600))
        #expect(drive(Self.walk(), &good).walk.counters.restarts == 0)
    }

    @Test("a provider that rejects every cursor ends as incomplete")
    func rejectsAll() {
        var list = FakeList(rows(1000, newest: Self.now))
        list.expired = Set(list.rows.map { "k" + $0.id })
        let driven = drive(Self.walk(), &list)
        #expect(!driven.isComplete)
        #expect(driven.end != nil)
    }

    @Test("a failed request keeps the position; a refused first page does not")
    func failures() {
        var list = FakeList(rows(300, newest: Self.now))
        var driven = drive(Self.walk(), &list, pages: 1)
        guard case .commit(let point?) = driven.walk.handle(.failed("503")).first else {
            Issue.record("a kept position expected")
            return
        }
        #expect(point.ask.cursor == "kr99")
        var refused = Self.walk()
        _ = refused.start()
        #expect(refused.handle(.cursorRejected).first == .commit(nil))
    }

    @Test("totals that contradict themselves are left out of the proof")
    func strangeTotals() {
        let all = rows(150, newest: Self.now)
        var walk = Self.walk()
        _ = walk.start()
        _ = walk.handle(.page(PageFacts(rows: Array(all[..<100]), next: "a", remaining: 0, total: 150)))
        _ = walk.handle(.page(PageFacts(rows: Array(all[100...]), next: "b", remaining: 0, total: 150)))
        let end = PageFacts(rows: [], next: nil, remaining: 0, total: 150)
        _ = walk.handle(.page(end))
        // The end is asked for in another way, by the last row's time.
        guard case .fetch(let ask)? = walk.handle(.page(end)).first else {
            Issue.record("another request expected")
            return
        }
        #expect(ask.cursor == nil && ask.to == all[149].createdAt?.adding(seconds: WalkPlan.overlap))
        _ = walk.handle(.page(PageFacts(rows: Array(all[140...]), next: "b", remaining: 0, total: 10)))
        _ = walk.handle(.page(end))
        let head = walk.handle(.page(end))
        #expect(head == [.fetch(PageAsk(from: nil, to: nil, edge: walk.ask.edge, limit: 100))])
        #expect(isComplete(walk.handle(.page(PageFacts(rows: Array(all[..<100]), next: "a")))) == true)
    }

    private func isComplete(_ actions: [Walk.Action]) -> Bool? {
        if case .finish(let end)? = actions.last { return end.isComplete }
        return nil
    }
}
