import Payments
import Providers
import Testing

@testable import Loading

@Suite("Where a walk is split")
struct WindowSplitTests {
    static let newest = Timestamp.at("2026-08-10T00:00:00Z")

    /// A walk of pages of 10 that has read `pages` pages of rows one minute apart.
    static func walk(pages: Int, from: Timestamp? = nil, order: ListOrder = .newestFirst) -> Walk {
        var walk = Walk(
            plan: WalkPlan(kind: .backfill, from: from, to: nil, startedAt: newest, limit: 10, groupRows: 10_000))
        for page in 0..<pages {
            let numbers =
                order == .newestFirst
                ? Array(page * 10..<page * 10 + 10) : (page * 10..<page * 10 + 10).map { 9_999 - $0 }
            let rows = numbers.map { RowFacts(id: "r\($0)", createdAt: newest.adding(seconds: -60 * Int64($0))) }
            _ = walk.handle(.page(PageFacts(rows: rows, next: "k\(page)")))
        }
        return walk
    }

    @Test("the provider's own count of what remains is cut in half by the density of what was read")
    func byCount() throws {
        let split = try #require(WindowSplit(of: Self.walk(pages: 5), remaining: 1000))
        #expect(split.rowsLeft == 1000)
        // 50 rows took 49 minutes; 500 more take 490.
        #expect(split.moment == Self.newest.adding(seconds: -49 * 60 - 490 * 60))
    }

    @Test("a lower bound is never passed, and without any the walk expects as much again as it has read")
    func byBound() throws {
        let from = Self.newest.adding(seconds: -86_400)
        let bounded = try #require(WindowSplit(of: Self.walk(pages: 5, from: from), remaining: 1_000_000))
        #expect(bounded.moment > from && bounded.moment < Self.newest.adding(seconds: -49 * 60))
        let open = try #require(WindowSplit(of: Self.walk(pages: 20), remaining: nil))
        #expect(open.rowsLeft == 200)
        #expect(open.moment < Self.newest.adding(seconds: -199 * 60))
    }

    @Test("the window below is the bound where there is one, whatever the provider counts behind it")
    func byWindowBelow() throws {
        var walk = Self.walk(pages: 5)
        walk.below = WindowHead(ids: ["x"], newest: Self.newest.adding(seconds: -86_400), total: nil)
        let split = try #require(WindowSplit(of: walk, remaining: 1_000_000))
        #expect(split.rowsLeft < 1440 && split.moment > Self.newest.adding(seconds: -86_400))
    }

    @Test("nearly done, oldest first, out of order or not begun: no split")
    func none() {
        #expect(WindowSplit(of: Self.walk(pages: 5), remaining: 99) == nil)
        #expect(WindowSplit(of: Self.walk(pages: 5, order: .oldestFirst), remaining: 1000) == nil)
        #expect(WindowSplit(of: Self.walk(pages: 0), remaining: 1000) == nil)
        var disordered = Self.walk(pages: 5)
        let rows = [7, 900, 8].map { RowFacts(id: "s\($0)", createdAt: Self.newest.adding(seconds: -60 * Int64($0))) }
        _ = disordered.handle(.page(PageFacts(rows: rows, next: "z")))
        #expect(WindowSplit(of: disordered, remaining: 1000) == nil)
        // Twin: the same walk in order is split.
        #expect(WindowSplit(of: Self.walk(pages: 5), remaining: 1000) != nil)
    }

    @Test("a checkpoint keeps the window below, and one that cannot be read back leads to the walk's own end")
    func checkpoint() throws {
        var walk = Self.walk(pages: 2)
        walk.below = WindowHead(ids: ["a", "b\"c"], newest: Self.newest, total: 17)
        let back = try #require(WalkCheckpoint(json: walk.checkpoint.json))
        #expect(back == walk.checkpoint && back.below == walk.below)
        let broken = walk.checkpoint.json.replacing(
            "\"newest\":\"2026-08-10T00:00:00Z\",\"total\":17", with: "\"total\":17")
        #expect(try #require(WalkCheckpoint(json: broken)).below == nil)
        #expect(WindowName("backfill/3").base == "backfill" && WindowName("backfill/3").number == 3)
        #expect(WindowName("sweep 4").text == "sweep 4" && WindowName(base: "sweep 4", number: 2).text == "sweep 4/2")
    }
}
