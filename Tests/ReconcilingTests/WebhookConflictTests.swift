import Payments
import Postgres
import Reconciling
import Testing

@Suite struct WebhookConflictTests {
    /// A scene whose provider feed was read to its end after the events were learnt.
    private func scene() throws -> Scene {
        let scene = try Scene(events: [])
        try scene.feed("provider", reach: "2026-01-20T12:00:00Z", success: "2026-01-20T12:00:00Z")
        return scene
    }

    private func conflicts(_ scene: Scene) throws -> [String] {
        try scene.breaks().filter { $0.hasPrefix("webhook_conflict") }
    }

    private func waiting(_ scene: Scene) throws -> Int64 {
        try scene.connection.query(
            "select count(*) as subjects from tieout.watch where rule = 'webhook_conflict' and reason = 'awaiting'"
        ).only().int("subjects")
    }

    private func settling(_ scene: Scene, _ id: String = "T", updated: String = "2026-01-10T10:00:00Z") throws {
        scene.terms = [Term(amount: 100, unit: .businessDays)]
        try scene.transaction(
            id, status: "SETTLING", state: "settling", money: "taken", updated: updated, rank: 40)
    }

    private func settled(
        _ scene: Scene, _ key: String = "E", of id: String = "T", time: String, rank: Int64 = 70,
        observed: String? = nil, verdict: String = "valid"
    ) throws {
        try scene.event(
            key, of: id, status: "SETTLED", state: "settled", money: "delivered", time: time, verdict: verdict,
            rank: rank,
            observed: observed)
    }

    @Test("an event ahead of what the provider shows, read again since, is a conflict; it heals when they agree")
    func ahead() throws {
        let scene = try scene()
        try settling(scene)
        try settled(scene, time: "2026-01-10T10:05:00Z")
        try scene.reconcile()
        let found = try scene.only("webhook_conflict")
        #expect(found.subject == "transaction:meld-live/T")
        #expect(found.severity == .medium && found.atRisk.isZero && found.difference?.isZero == true)
        for text in ["\"SETTLED\"", "\"SETTLING\"", "2026-01-10T10:05:00Z", "2026-01-10T10:00:00Z"] {
            #expect(found.facts.contains(text), "\(text)")
        }
        try scene.transaction("T", updated: "2026-01-10T10:04:59Z", rank: 70)
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").healed == 1)
    }

    @Test(
        "an older event is no conflict, whatever its rank; nor is one of the same state, or without proof",
        arguments: [
            ("2026-01-10T09:59:59Z", "settled", "valid"), ("2026-01-10T10:05:00Z", "settling", "valid"),
            ("2026-01-10T10:05:00Z", "settled", "invalid"), ("2026-01-10T10:05:00Z", "unknown", "valid"),
        ])
    func none(time: String, state: String, verdict: String) throws {
        let scene = try scene()
        try settling(scene)
        try scene.event(
            "E", of: "T", status: "OTHER", state: state, money: "taken", time: time, verdict: verdict, rank: 70)
        try scene.reconcile()
        #expect(try conflicts(scene).isEmpty)
    }

    @Test(
        "of the same moment the later state is ahead; an earlier state is only ahead once it is clearly younger",
        arguments: [
            ("2026-01-10T10:00:00Z", 70, 1), ("2026-01-10T10:00:00Z", 40, 0), ("2026-01-10T10:00:00Z", 10, 0),
            ("2026-01-10T10:00:01Z", 40, 1), ("2026-01-10T10:04:00Z", 10, 0), ("2026-01-10T10:05:01Z", 10, 1),
        ] as [(String, Int64, Int)])
    func ranks(time: String, rank: Int64, breaks: Int) throws {
        let scene = try scene()
        try settling(scene)
        try settled(scene, time: time, rank: rank)
        try scene.reconcile()
        #expect(try conflicts(scene).count == breaks)
    }

    @Test("the newest event decides: one that agrees with the provider ends the matter, whatever order they came in")
    func newest() throws {
        for flipped in [false, true] {
            let scene = try scene()
            try settling(scene)
            let steps: [() throws -> Void] = [
                { try self.settled(scene, "E1", time: "2026-01-10T10:05:00Z") },
                {
                    try scene.event(
                        "E2", of: "T", status: "SETTLING", state: "settling", money: "taken",
                        time: "2026-01-10T10:06:00Z", rank: 40)
                },
            ]
            for step in flipped ? steps.reversed() : steps { try step() }
            try scene.reconcile()
            #expect(try conflicts(scene).isEmpty)
        }
    }

    @Test(
        "an event of a passing state that was sent late is no conflict, nor one beaten by another of almost its moment")
    func sentLate() throws {
        let scene = try scene()
        try settling(scene)
        try scene.event(
            "E1", of: "T", status: "PENDING", state: "pending", money: "none", time: "2026-01-10T11:00:00.003Z",
            rank: 10)
        try scene.event(
            "E2", of: "T", status: "SETTLING", state: "settling", money: "taken", time: "2026-01-10T11:00:00Z", rank: 40
        )
        try settling(scene, "F")
        try scene.event(
            "E3", of: "F", status: "FAILED", state: "failed", money: "none", time: "2026-01-10T11:00:00.003Z", rank: 20)
        try scene.event(
            "E4", of: "F", status: "SETTLING", state: "settling", money: "taken", time: "2026-01-10T11:00:00Z", rank: 40
        )
        try scene.reconcile()
        #expect(try conflicts(scene).isEmpty)
    }

    @Test("what was not read again since the event was learnt is awaiting, not a conflict; a break meanwhile stands")
    func unread() throws {
        let scene = try Scene(events: [])
        try scene.feed("provider", reach: "2026-01-20T11:45:00Z", success: "2026-01-20T12:00:00Z")
        try settling(scene)
        // Learnt after the last poll, by `load webhooks` alone.
        try settled(scene, time: "2026-01-10T10:05:00Z", observed: "2026-01-20T12:30:00Z")
        try scene.reconcile(at: "2026-01-20T12:31:00Z")
        #expect(try conflicts(scene).isEmpty && waiting(scene) == 1)
        try scene.feed("provider", reach: "2026-01-20T12:45:00Z", success: "2026-01-20T13:00:00Z")
        try scene.reconcile(at: "2026-01-20T13:01:00Z")
        #expect(try conflicts(scene).count == 1)
        // A further event, not read again yet: nothing can be said, so nothing heals.
        try settled(scene, "E3", time: "2026-01-20T13:02:00Z", observed: "2026-01-20T13:05:00Z")
        #expect(try scene.reconcile(at: "2026-01-20T13:06:00Z").healed == 0)
        #expect(try conflicts(scene).count == 1)
    }

    @Test("an event of the last minutes before the poll is awaiting: the provider's own list may lag behind it")
    func young() throws {
        let scene = try Scene(events: [])
        try scene.feed("provider", reach: "2026-01-20T11:45:00Z", success: "2026-01-20T12:00:00Z")
        try settling(scene)
        try settled(scene, time: "2026-01-20T11:50:00Z", observed: "2026-01-20T12:00:00Z")
        try scene.reconcile()
        #expect(try conflicts(scene).isEmpty && waiting(scene) == 1)
    }

    @Test("while the provider cannot be read the conflict is carried, and a test event never makes one")
    func carried() throws {
        let scene = try scene()
        try settling(scene)
        try settled(scene, time: "2026-01-10T10:05:00Z")
        try settling(scene, "test")
        try scene.event(
            "E9", of: "test", status: "SETTLED", state: "settled", money: "delivered", time: "2026-01-10T10:05:00Z",
            rank: 70, isTest: true)
        try scene.reconcile()
        #expect(try conflicts(scene) == ["webhook_conflict transaction:meld-live/T medium"])
        try scene.feed("book", reach: "2026-01-25T12:00:00Z")
        try scene.feed("webhook", reach: "2026-01-25T12:00:00Z")
        #expect(try scene.reconcile(at: "2026-01-25T12:00:00Z").healed == 0)
        let found = try #require(try scene.store.list().first { $0.rule == "webhook_conflict" })
        #expect(found.incompleteSince == at("2026-01-20T12:00:00Z"))
    }
}
