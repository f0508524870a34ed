import Payments
import Testing

@testable import Sandbox

/// One world for the tests that only look at it.
let sampleWorld = World(WorldShape(seed: 7, transactions: 1_200))

@Suite struct WorldTests {
    @Test("the same seed tells the same world, byte for byte; another seed another one")
    func determinism() {
        let again = World(WorldShape(seed: 7, transactions: 1_200))
        #expect(TruthFile.json(again) == TruthFile.json(sampleWorld))
        #expect(OrderFile.csv(again, night: 2) == OrderFile.csv(sampleWorld, night: 2))
        #expect(Deliveries(again).all().map(\.body) == Deliveries(sampleWorld).all().map(\.body))
        let other = World(WorldShape(seed: 8, transactions: 1_200))
        #expect(OrderFile.csv(other, night: 1) != OrderFile.csv(sampleWorld, night: 1))
    }

    @Test(
        "a world has the number of transactions asked for, and its plants whatever the number",
        arguments: [1, 500, 3_000])
    func sizes(count: Int) {
        let world = World(WorldShape(seed: 3, transactions: count))
        #expect(world.trades.count >= count)
        #expect(world.trades.count <= max(count + 1, 200))
        #expect(world.planted.count == sampleWorld.planted.count)
        #expect(Set(world.trades.map(\.id)).count == world.trades.count)
        #expect(Set(world.orders.map(\.id)).count == world.orders.count)
    }

    @Test("what is visible at a moment only grows with the moment, and a row's steps come in order")
    func growth() {
        let nights = (1...3).map { sampleWorld.shape.night($0) }
        let seen = nights.map { Set(sampleWorld.visible(at: $0).map(\.id)) }
        #expect(seen[0].isStrictSubset(of: seen[1]))
        #expect(seen[1].isStrictSubset(of: seen[2]))
        for trade in sampleWorld.trades {
            #expect(zip(trade.steps, trade.steps.dropFirst()).allSatisfy { $0.at < $1.at }, "\(trade.id)")
            #expect(trade.steps.first.map { $0.at == trade.createdAt } ?? false)
        }
    }

    @Test("some rows turn up after a night although they were created before it")
    func lateAppearance() {
        let night = sampleWorld.shape.night(1)
        let late = sampleWorld.trades.filter { $0.createdAt < night && $0.visibleFrom > night }
        #expect(late.count >= 2)
    }

    @Test("updatedAt moves with every change while createdAt stands still")
    func updates() {
        let first = sampleWorld.shape.night(1)
        let last = sampleWorld.shape.night(3)
        let moved = sampleWorld.visible(at: first).filter { $0.updatedAt(at: last) > $0.updatedAt(at: first) }
        #expect(moved.count > 20)
        #expect(moved.contains { $0.status(at: first) == .settled && $0.status(at: last) == .refunded })
    }

    @Test("every provider, both directions, and digits from none to eighteen occur")
    func variety() {
        let trades = sampleWorld.trades
        #expect(Set(trades.map(\.corridor.provider)) == ["MERCURYO", "BANXA", "COINBASEPAY", "STRIPE"])
        #expect(Set(trades.map(\.direction)) == [.in, .out])
        #expect(Set(trades.map(\.corridor.fiat.code)) == ["EUR", "USD", "GBP", "JPY", "KWD", "BRL"])
        #expect(trades.contains { $0.cryptoAmount.plain.split(separator: ".").last?.count == 18 })
        let statuses = Set(trades.compactMap { $0.status(at: sampleWorld.shape.night(3)) })
        #expect(statuses.isSuperset(of: [.settled, .refunded, .declined, .failed, .cancelled, .authorizationExpired]))
    }
}

@Suite struct AmountTests {
    @Test("amounts print exactly, with a currency's digits and beyond where they have more")
    func printing() {
        #expect(Amount(12_010, digits: 2).text(digits: 2) == "120.10")
        #expect(Amount(12_010, digits: 2).plain == "120.1")
        #expect(Amount(1, digits: 18).plain == "0.000000000000000001")
        #expect(Amount(92_000, digits: 3).text(digits: 3) == "92.000")
        #expect((-Amount(31_680, digits: 3)).plain == "-31.68")
        #expect(Amount(1, digits: 8).scientific == "1E-8")
        #expect(Amount(42, digits: 8).scientific == "4.2E-7")
        #expect(Amount(5, digits: 0).scientific == "5")
    }

    @Test("0.1 + 0.2 is 0.3, and a hundred thousand sums of eighteen digits lose none")
    func sums() {
        #expect(Amount(1, digits: 1) + Amount(2, digits: 1) == Amount(3, digits: 1))
        var sum = Amount.zero
        for _ in 0..<100_000 { sum += Amount(units: 9_000_000_000_000_000_000_001) }
        #expect(sum.plain == "900000000.0000000000001")
    }

    @Test("scaling cuts and never rounds up")
    func scaling() {
        #expect(Amount(1_000, digits: 2).scaled(by: 2, over: 3, digits: 2) == Amount(666, digits: 2))
    }
}
