import Payments
import Postgres
import Reconciling
import Testing

@Suite struct WebhookUnverifiedTests {
    private func events(_ scene: Scene, _ count: Int, _ verdict: String, from first: Int = 0, run: Int64 = 1) throws {
        for number in first..<(first + count) {
            try scene.event(
                "E\(number)", of: "X\(number)", status: "SETTLED", state: "settled", money: "delivered",
                verdict: verdict, run: run)
        }
    }

    /// What a right key does to events that wait: they are judged again, in a later run.
    private func prove(_ scene: Scene, run: Int64) throws {
        try scene.connection.execute(
            "update tieout.webhook_event set verdict = 'valid', run_id = $1 where verdict <> 'valid'", [.int(run)])
    }

    @Test(
        "a single event without proof is a break of its own, a valid one is none; it heals when it is proven",
        arguments: ["invalid", "stale", "unsigned", "no_key"])
    func single(verdict: String) throws {
        let scene = try Scene(events: [])
        try events(scene, 30, "valid")
        try events(scene, 1, verdict, from: 30)
        try scene.reconcile()
        let found = try scene.only("webhook_unverified")
        #expect(found.rule == "webhook_unverified" && found.subject == "event:meld-live/E30")
        #expect(found.severity == .medium && found.facts.contains("\"\(verdict)\"") && found.payment == nil)
        try prove(scene, run: 2)
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").healed == 1)
    }

    @Test(
        "more than 5 % and at least 20 of a run are one break of the source; less of either is not",
        arguments: [(20, 379, 1), (20, 380, 20), (19, 0, 19), (40, 0, 1)])
    func flood(bad: Int, good: Int, breaks: Int) throws {
        let scene = try Scene(events: [])
        try events(scene, bad, "invalid")
        try events(scene, good, "valid", from: bad)
        try scene.reconcile()
        let found = try scene.breaks(without: "provider_missing", "book_missing")
        #expect(found.count == breaks)
        #expect(found.contains("webhook_unverified source:meld-live medium") == (breaks == 1))
        if breaks == 1 { #expect(try scene.only("webhook_unverified").facts.contains("\(bad) of \(bad + good)")) }
    }

    @Test("what one run learnt is not mixed with another's: 19 bad ones twice are no flood")
    func runs() throws {
        let scene = try Scene(events: [])
        try events(scene, 19, "invalid", run: 1)
        try events(scene, 19, "invalid", from: 19, run: 2)
        try scene.reconcile()
        #expect(try scene.breaks(without: "provider_missing", "book_missing").count == 38)
    }

    @Test("a flood silences webhook_missing for its source; once keys prove the events, both heal and none is missing")
    func keys() throws {
        let scene = try Scene(events: ["SETTLED"])
        try scene.source("other", events: ["SETTLED"])
        for feed in ["provider", "webhook"] { try scene.feed(feed, source: "other", reach: "2026-01-20T12:00:00Z") }
        try scene.transaction("T", source: "other")
        for number in 0..<25 { try scene.transaction("X\(number)") }
        try events(scene, 25, "no_key")
        let outcome = try scene.reconcile()
        #expect(
            try scene.breaks(without: "provider_missing", "book_missing") == [
                "webhook_unverified source:meld-live medium", "webhook_missing transaction:other/T low",
            ])
        let silence = try #require(outcome.notEvaluated.first { $0.source == "meld-live" })
        #expect(silence.rule == "webhook_missing" && silence.reason == "more than 5 % of the events are not valid")
        // A run later nothing is proven yet: the break stands, and no event is called missing that may have come.
        let later = try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(later.opened + later.healed + later.changed == 0)
        try prove(scene, run: 3)
        #expect(try scene.reconcile(at: "2026-01-20T14:00:00Z").healed == 1)
        #expect(
            try scene.breaks(without: "provider_missing", "book_missing") == ["webhook_missing transaction:other/T low"]
        )
    }

    @Test("after a flood, an event that nobody claims to have sent is still missed; one that may have come is not")
    func others() throws {
        let scene = try Scene(events: ["SETTLED"])
        try scene.transaction("X1")
        try scene.transaction("nobody")
        try events(scene, 25, "invalid")
        try scene.reconcile()
        #expect(
            try scene.breaks(without: "provider_missing", "book_missing") == [
                "webhook_unverified source:meld-live medium"
            ])
        try scene.reconcile(at: "2026-01-20T13:00:00Z")
        #expect(
            try scene.breaks(without: "provider_missing", "book_missing") == [
                "webhook_unverified source:meld-live medium", "webhook_missing transaction:meld-live/nobody low",
            ])
    }

    @Test("once the exact bytes are gone, after 30 days, an event without proof did not come")
    func cut() throws {
        let scene = try Scene(reach: "2026-02-20T12:00:00Z", events: ["SETTLED"])
        try scene.transaction("X1")
        try events(scene, 25, "invalid")
        try scene.reconcile(at: "2026-01-20T12:00:00Z")
        try scene.reconcile(at: "2026-02-20T12:00:00Z")
        #expect(
            try scene.breaks(without: "provider_missing", "book_missing") == [
                "webhook_unverified source:meld-live medium", "webhook_missing transaction:meld-live/X1 low",
            ])
    }

    @Test("a source that is declared to send no signatures has no unsigned event to explain, but a forged one")
    func declared() throws {
        let scene = try Scene(events: [])
        try scene.connection.execute(
            "update tieout.source set declaration = declaration || '{\"signature\":\"none\"}'::jsonb")
        try events(scene, 30, "unsigned")
        try events(scene, 1, "invalid", from: 30)
        try scene.reconcile()
        #expect(
            try scene.breaks(without: "provider_missing", "book_missing") == [
                "webhook_unverified event:meld-live/E30 medium"
            ])
    }

    @Test("an event without proof joins nothing and moves no money")
    func forged() throws {
        let scene = try Scene(events: [])
        try scene.order("A", status: "cancelled")
        try scene.transaction(
            "T", status: "CANCELLED", state: "cancelled", money: "none", refs: ["book:order=A"], afterTaken: "taken",
            isFinal: true)
        try scene.event(
            "E", of: "T", status: "SETTLING", state: "settling", money: "taken", time: "2026-01-10T09:59:59Z",
            verdict: "invalid", refs: ["book:order=A"])
        try scene.reconcile()
        #expect(
            try scene.breaks(without: "provider_missing", "book_missing") == [
                "webhook_unverified event:meld-live/E medium"
            ])
        #expect(try scene.only("webhook_unverified").payment == nil)
    }
}

/// A delivery without proof under the key of a proven event.
@Suite("webhook_unverified of a proven event's key")
struct ForgedDeliveryTests {
    private func deliver(_ scene: Scene, _ verdict: String, body: Int, at moment: String) throws {
        scene.serial += 1
        try scene.connection.execute(
            "create table if not exists tieout.webhook_delivery_all partition of tieout.webhook_delivery default")
        let moment = SQLValue.timestamp(Timestamp(moment))
        try scene.insert(
            "tieout.webhook_delivery",
            [
                ("account_id", .int(Scene.account)), ("source_id", "meld-live"), ("event_key", "E"),
                ("received_at", moment), ("delivery_digest", scene.hash(scene.serial)), ("run_id", 1),
                ("observed_at", moment), ("verdict", .text(verdict)), ("applied", .bool(verdict == "valid")),
                ("out_of_order", .bool(false)), ("body_digest", scene.hash(body)), ("kept_digest", scene.hash(body)),
                ("file_digest", scene.hash(1)), ("line_no", .int(Int64(scene.serial))),
            ])
    }

    private func found(_ verdict: String, body: Int) throws -> [Break] {
        let scene = try Scene(events: [])
        try scene.event(
            "E", of: "T", status: "SETTLED", state: "settled", money: "delivered",
            flags: body == 1 ? [] : ["body_changed"])
        try deliver(scene, "valid", body: 1, at: "2026-01-10T10:05:00Z")
        try deliver(scene, verdict, body: body, at: "2026-01-10T10:06:00Z")
        // As loading keeps it: an event names the moments of its deliveries.
        try scene.connection.execute(
            "update tieout.webhook_event set first_received_at = '2026-01-10T10:05:00Z', "
                + "last_received_at = '2026-01-10T10:06:00Z', deliveries = 2 where event_key = 'E'")
        try scene.reconcile()
        return try scene.found("webhook_unverified")
    }

    @Test("another body under a proven event's key, with a wrong signature or none, is webhook_unverified")
    func forged() throws {
        for verdict in ["invalid", "unsigned"] {
            let found = try found(verdict, body: 2)
            #expect(found.map(\.subject) == ["event:meld-live/E"])
            #expect(found.first?.facts.contains("another body") == true)
            #expect(found.first?.facts.contains("\"\(verdict)\"") == true)
        }
    }

    @Test(
        "no webhook_unverified: the same body again under an old key, another one that is proven, or one that came late",
        arguments: [("invalid", 1), ("valid", 2), ("stale", 2), ("no_key", 2)])
    func others(verdict: String, body: Int) throws {
        #expect(try found(verdict, body: body).isEmpty)
    }
}
