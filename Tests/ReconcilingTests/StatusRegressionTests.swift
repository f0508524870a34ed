import Payments
import Postgres
import Reconciling
import Testing

@Suite struct StatusRegressionTests {
    struct Version: Sendable {
        var status: String
        var state: String
        var rank: Int64
        var isFinal: Bool

        static let pending = Version(status: "PENDING", state: "pending", rank: 10, isFinal: false)
        static let settling = Version(status: "SETTLING", state: "settling", rank: 40, isFinal: false)
        static let failed = Version(status: "FAILED", state: "failed", rank: 60, isFinal: true)
        static let declined = Version(status: "DECLINED", state: "declined", rank: 60, isFinal: true)
        static let expired = Version(status: "EXPIRED", state: "expired", rank: 64, isFinal: true)
        static let settled = Version(status: "SETTLED", state: "settled", rank: 70, isFinal: true)
        static let bankSettled = Version(status: "SETTLED", state: "settled", rank: 70, isFinal: false)
        static let disputed = Version(status: "DISPUTED", state: "disputed", rank: 80, isFinal: false)
        static let refunded = Version(status: "REFUNDED", state: "refunded", rank: 90, isFinal: true)
        static let strange = Version(status: "odd", state: "unknown", rank: 5, isFinal: false)
    }

    /// The transaction's versions, the last one current; stored in the order given by `arrival`.
    private func versions(_ scene: Scene, _ versions: [Version], arrival: [Int]? = nil) throws {
        try scene.keepHistory()
        for index in arrival ?? Array(versions.indices) {
            let version = versions[index]
            let moment = "2026-01-10T1\(index):00:00Z"
            try scene.transaction(
                "T", status: version.status, state: version.state, money: "none", updated: moment,
                superseded: index == versions.count - 1 ? nil : "2026-01-11T1\(index):00:00Z", rank: version.rank,
                isFinal: version.isFinal)
        }
    }

    private func regressions(_ scene: Scene) throws -> [Break] {
        try scene.store.list().filter { $0.rule == "status_regression" }
    }

    @Test(
        "a final state that moved to one that is not final, or lower",
        arguments: [
            [.settled, .settling], [.settled, .failed], [.refunded, .settled], [.declined, .pending],
            [.settling, .settled, .pending, .settling], [.settled, .refunded, .settled],
        ] as [[Version]])
    func regression(path: [Version]) throws {
        let scene = try Scene(events: [])
        try versions(scene, path)
        try scene.reconcile()
        let found = try #require(try regressions(scene).first)
        #expect(found.severity == .low && found.subject == "transaction:meld-live/T" && found.atRisk.isZero)
        #expect(found.facts.contains("\"\(path[path.count - 1].status)\""))
    }

    @Test(
        "no news is a regression: refunds, disputes, what lapsed and was paid after all, a state nobody modelled",
        arguments: [
            [.settled, .refunded], [.settled, .disputed], [.expired, .settling], [.expired, .pending, .settled],
            [.failed, .refunded], [.bankSettled, .failed], [.settled, .strange], [.pending, .settling, .settled],
            [.failed, .declined], [.disputed, .settled], [.failed, .settled],
        ] as [[Version]])
    func news(path: [Version]) throws {
        let scene = try Scene(events: [])
        try versions(scene, path)
        try scene.reconcile()
        #expect(try regressions(scene).isEmpty)
    }

    @Test(
        "it heals when the final state is back, and never depends on which version was learnt first", arguments: 0..<6)
    func order(turn: Int) throws {
        let scene = try Scene(events: [])
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        try versions(scene, [.pending, .settled, .settling], arrival: orders[turn])
        try scene.reconcile()
        #expect(try regressions(scene).count == 1)
        try scene.transaction("T", created: "2026-01-10T10:00:00Z", updated: "2026-01-12T10:00:00Z", rank: 70)
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").healed >= 1)
        #expect(try regressions(scene).isEmpty)
    }
}
