import Payments
import Testing

@testable import Loading

/// Which deliveries a load may take for being in order without asking the database.
@Suite struct TransactionLineTests {
    private static func moment(_ eventTime: Int64, _ receivedAt: Int64) -> TransactionLine.Moment {
        TransactionLine.Moment(
            eventTime: Timestamp(seconds: eventTime), receivedAt: Timestamp(seconds: receivedAt))
    }

    private static func fits(_ moments: [TransactionLine.Moment], mayGrow: Bool = true) -> [Bool] {
        guard let first = moments.first else { return [] }
        var line = TransactionLine(first)
        return moments.dropFirst().map { line.take($0, mayGrow: mayGrow) }
    }

    /// By definition: some delivery came after one of a later event.
    private static func isOutOfOrder(_ moments: [TransactionLine.Moment]) -> Bool {
        moments.contains { a in
            moments.contains { b in a.eventTime > b.eventTime && a.receivedAt < b.receivedAt }
        }
    }

    @Test("what a second receiver took in between is in order, whichever file comes first")
    func secondReceiver() {
        let first = [Self.moment(1, 2), Self.moment(5, 6), Self.moment(9, 10)]
        let second = [Self.moment(3, 4), Self.moment(7, 8), Self.moment(11, 12)]
        #expect(Self.fits(first + second) == [true, true, true, true, true])
        #expect(Self.fits(second + first) == [true, true, true, true, true])
    }

    @Test("what came after a later event is not, and nothing of its transaction from then on")
    func outOfOrder() {
        let moments = [Self.moment(1, 2), Self.moment(9, 10), Self.moment(5, 11), Self.moment(12, 13)]
        #expect(Self.fits(moments) == [true, false, false])
    }

    @Test("where no more is remembered, whatever is older than the newest does not fit")
    func withoutMemory() {
        let moments = [Self.moment(1, 2), Self.moment(9, 10), Self.moment(5, 6)]
        #expect(Self.fits(moments, mayGrow: false) == [true, false])
        #expect(Self.fits(moments) == [true, true])
    }

    @Test("deliveries that all fit are in order in any sequence, and those that are not never all fit")
    func random() {
        var state: UInt64 = 7
        func next(_ bound: UInt64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64((state >> 33) % bound)
        }
        var broken = 0
        var whole = 0
        for _ in 0..<4000 {
            let count = 2 + next(5)
            let moments = (0..<count).map { _ in
                let event = next(12)
                // Mostly soon after the event.
                return Self.moment(event, event + (next(4) == 0 ? next(12) : 1))
            }
            let fit = Self.fits(moments).allSatisfy { $0 }
            if Self.isOutOfOrder(moments) {
                broken += 1
                #expect(!fit, "\(moments)")
            } else if Set(moments.map(\.eventTime)).count == moments.count {
                // Several arrivals of one event time need not fit; different times always do.
                whole += 1
                #expect(fit, "\(moments)")
            }
        }
        #expect(broken > 300 && whole > 300)
    }
}
