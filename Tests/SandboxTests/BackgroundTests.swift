import Payments
import Testing

@testable import Sandbox

/// The twin of every plant: business as usual must give a right reconciler nothing to say.
@Suite struct BackgroundTests {
    private let shape = sampleWorld.shape
    private let touched: Set<String>

    init() {
        // Whatever a plant or its twin speaks of, by order.
        let subjects = Set(sampleWorld.planted.map(\.subject) + sampleWorld.twins.map(\.subject))
        var touched: Set<String> = []
        for trade in sampleWorld.trades
        where subjects.contains(Subject.transaction(trade.id)) || subjects.contains(Subject.order(trade.bookOrder)) {
            touched.insert(trade.bookOrder)
        }
        for order in sampleWorld.orders where subjects.contains(Subject.order(order.id)) { touched.insert(order.id) }
        self.touched = touched
    }

    private func isCharge(_ trade: Trade, at moment: Timestamp) -> Bool {
        guard let status = trade.status(at: moment) else { return false }
        return [.settling, .onrampSettled, .settled].contains(status)
    }

    @Test("no untouched order is charged twice", arguments: 1...3)
    func oneChargePerOrder(night: Int) {
        let moment = shape.night(night)
        var charges: [String: Int] = [:]
        for trade in sampleWorld.visible(at: moment) where isCharge(trade, at: moment) {
            charges[trade.bookOrder, default: 0] += 1
        }
        let doubled = charges.filter { $0.value > 1 && !touched.contains($0.key) }
        #expect(doubled.isEmpty)
        // The planted ones are there.
        #expect(charges.contains { $0.value == 3 })
    }

    @Test("no untouched customer pays the same sum twice within a day")
    func noLookAlikes() {
        var seen: [String: [Trade]] = [:]
        for trade in sampleWorld.trades where isCharge(trade, at: shape.night(3)) && !touched.contains(trade.bookOrder)
        {
            let key = "\(trade.customer.externalId) \(trade.sourceCurrency) \(trade.sourceAmount.plain) \(trade.wallet)"
            seen[key, default: []].append(trade)
        }
        for trades in seen.values where trades.count > 1 {
            let times = trades.map(\.createdAt.microseconds).sorted()
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 86_400_000_000 })
        }
    }

    @Test("book and provider agree on every untouched order", arguments: 1...3)
    func agreement(night: Int) {
        let now = shape.night(night)
        let trades = Dictionary(grouping: sampleWorld.visible(at: now), by: \.bookOrder)
        for order in sampleWorld.orders where !touched.contains(order.id) {
            guard let status = order.status(at: shape.bookExport(night)) else { continue }
            let theirs = (trades[order.id] ?? []).compactMap { $0.status(at: now) }
            switch status {
            case .credited: #expect(theirs.contains(.settled), "\(order.id)")
            case .paid: #expect(!Set(theirs).isDisjoint(with: [.settling, .onrampSettled, .error]), "\(order.id)")
            case .refunded: #expect(theirs.contains(.refunded), "\(order.id)")
            case .failed: #expect(!Set(theirs).isDisjoint(with: [.failed, .declined]), "\(order.id)")
            case .cancelled: #expect(!Set(theirs).isDisjoint(with: [.cancelled, .voided]), "\(order.id)")
            case .expired:
                let unpaid: Set<Status> = [.pendingCreated, .twoFactorRequired, .authorizationExpired]
                #expect(unpaid.isSuperset(of: theirs), "\(order.id)")
            case .open, .pending: #expect(order.expiresAt > now || !theirs.isEmpty, "\(order.id)")
            case .disputed: Issue.record("nothing here is disputed")
            }
        }
    }

    @Test("every untouched final state has a delivery in the captures of its night", arguments: 1...3)
    func events(night: Int) throws {
        let heard = Set(
            Deliveries(sampleWorld).all().filter { $0.night <= night }.map { String(decoding: $0.body, as: UTF8.self) })
        let announced = heard.filter { !$0.contains("WEBHOOK_TEST") }
        var statuses: Set<String> = []
        for body in announced {
            let id = try #require(body.split(separator: "\"paymentTransactionId\":\"").last?.prefix(22))
            let status = try #require(
                body.split(separator: "\"paymentTransactionStatus\":\"").last?.prefix { $0 != "\"" })
            statuses.insert("\(id) \(status)")
        }
        let final: Set<Status> = [.settled, .failed, .declined, .cancelled, .refunded, .authorizationExpired]
        let silent = Set(sampleWorld.planted.filter { $0.rule == "webhook_missing" }.map(\.subject))
        for trade in sampleWorld.visible(at: shape.captureEnd(night).adding(seconds: -600)) {
            guard let step = trade.step(at: shape.captureEnd(night).adding(seconds: -600)), final.contains(step.status),
                !trade.quirks.contains(.imported), !silent.contains(Subject.transaction(trade.id))
            else { continue }
            #expect(statuses.contains("\(trade.id) \(step.status.rawValue)"), "\(trade.id) \(step.status)")
        }
    }
}
