import Payments
import Postgres
import Providers
import Testing

@testable import Loading

/// Where a store must ask what it holds, and when it tells the planner how much that is.
@Suite struct HeldSpansTests {
    private static func span(_ from: Int64, _ to: Int64) -> ClosedRange<Timestamp> {
        Timestamp(seconds: from)...Timestamp(seconds: to)
    }

    @Test("what lies between two windows is not held")
    func gap() {
        var held = HeldSpans()
        #expect(held.isEmpty && held.oldest == nil && held.held(in: Self.span(0, 100)) == nil)
        held.insert(Self.span(80, 100))
        held.insert(Self.span(10, 20))
        #expect(held.spans == [Self.span(10, 20), Self.span(80, 100)])
        #expect(held.oldest == Timestamp(seconds: 10))
        #expect(held.held(in: Self.span(21, 79)) == nil)
        #expect(held.held(in: Self.span(15, 90)) == Self.span(15, 90))
        #expect(held.held(in: Self.span(0, 50)) == Self.span(10, 20))
        // The next group begins at the moment at which the one before has ended.
        #expect(held.held(in: Self.span(60, 80)) == Self.span(80, 80))
        held.insert(Self.span(20, 80))
        #expect(held.spans == [Self.span(10, 100)])
    }

    @Test("whatever was put in is found again, in few spans, and nothing is held outside of what was asked for")
    func random() throws {
        var state: UInt64 = 11
        func next(_ bound: UInt64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64((state >> 33) % bound)
        }
        var misses = 0
        for _ in 0..<50 {
            var held = HeldSpans()
            var inside: Set<Int64> = []
            for _ in 0..<(2 * HeldSpans.limit) {
                let from = next(5000)
                let to = from + next(20)
                held.insert(Self.span(from, to))
                inside.formUnion(from...to)
                #expect(held.spans.count <= HeldSpans.limit)
                #expect(zip(held.spans, held.spans.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            }
            for _ in 0..<100 {
                let from = next(5100)
                let asked = Self.span(from, from + next(200))
                let found = held.held(in: asked)
                if let found { #expect(found.clamped(to: asked) == found) } else { misses += 1 }
                for second in inside where asked.contains(Timestamp(seconds: second)) {
                    let moment = Timestamp(seconds: second)
                    #expect(found?.contains(moment) == true)
                }
            }
        }
        #expect(misses > 100)
    }

    @Test("the planner is told when there is four times what it knows of, and not for a few rows")
    func growth() {
        var growth = TableGrowth()
        var told: [Int] = []
        for group in 1...100 {
            growth.count(5000)
            if growth.isTimeToMeasure() { told.append(group * 5000) }
        }
        #expect(told == [15_000, 65_000, 265_000])
        #expect(growth.unmeasured == 235_000)
        growth.wasMeasured()
        #expect(growth.unmeasured == 0)

        var known = TableGrowth(measured: 100_000)
        known.count(300_000)
        let isEarly = known.isTimeToMeasure()
        known.count(1)
        let isLate = known.isTimeToMeasure()
        #expect(!isEarly && isLate)
    }

    @Test("a first load tells the planner while it goes on, and the next group is asked for by an index on its span")
    func told() throws {
        let bench = try PollingBench([])
        let store = try TransactionStore(
            connection: bench.connection, context: bench.context(at: PollerTests.night), source: "meld-live",
            mapping: try bench.handle().provider.payments.mapping)
        let size = "select reltuples::bigint from pg_class where oid = 'tieout.transaction'::regclass"
        #expect(try bench.text(size) == "-1")
        try bench.store(PollerTests.purchases(10_001), in: store)
        #expect(try bench.text(size) == "10001")
        let question = try bench.context(at: PollerTests.night).sql.text("SQL/loading/known_by_creation.sql")
        let plan = try bench.connection.query(
            "explain " + question,
            [
                .int(1), .text("meld-live"), .text("transaction"), .timestamp(PollerTests.night.adding(seconds: -60)),
                .timestamp(PollerTests.night),
            ])
        #expect(try plan[0].text(0).contains("transaction_by_creation"))
    }
}
