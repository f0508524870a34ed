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
        #expect(driven.ids.count == 6)
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
        _ = walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 150)))
        #expect(isComplete(walk.handle(.page(PageFacts(rows: [], next: nil, remaining: 0, total: 150)))) == true)
    }

    private func isComplete(_ actions: [Walk.Action]) -> Bool? {
        if case .finish(let end)? = actions.last { return end.isComplete }
        return nil
    }
}
