import Payments
import Postgres
import Reconciling
import Testing

@Suite struct SourceSilentTests {
    /// Rows that the source has shown: one every `hours`, the last at midnight of 20 January; a week of one every two hours.
    private func rows(_ scene: Scene, every hours: Int64, count: Int64 = 85, source: String = "meld-live") throws {
        for number in 0..<count {
            let created = at("2026-01-20T00:00:00Z").adding(seconds: -number * hours * 3600)
            try scene.transaction(
                "T\(number)", source: source, status: "PENDING", state: "pending", money: "none",
                created: created.description)
        }
    }

    private func silent(_ scene: Scene) throws -> [String] {
        try scene.breaks().filter { $0.hasPrefix("source_silent") }
    }

    @Test(
        "case 11: no row for twice the longest gap is silence, less is none",
        arguments: [("2026-01-20T03:59:59Z", 0), ("2026-01-20T04:00:00Z", 1)])
    func edge(reach: String, breaks: Int) throws {
        let scene = try Scene(events: [])
        try rows(scene, every: 2)
        try scene.feed("provider", reach: reach)
        let outcome = try scene.reconcile()
        #expect(try silent(scene).count == breaks && outcome.silentSources.count == breaks)
    }

    @Test("case 11: the longest gap counts, not the usual one: a weekend is no silence after a weekend")
    func weekend() throws {
        let scene = try Scene(events: [])
        try rows(scene, every: 1, count: 40)
        for (name, day) in [("friday", "16"), ("wednesday", "14"), ("monday", "12")] {
            try scene.transaction(name, created: "2026-01-\(day)T00:00:00Z")
        }
        // The gap before the row of 18 January, 09:00, is 57 hours.
        try scene.feed("provider", reach: "2026-01-24T17:59:59Z")
        try scene.reconcile(at: "2026-01-24T18:00:00Z")
        #expect(try silent(scene).isEmpty)
        try scene.feed("provider", reach: "2026-01-24T18:00:00Z")
        try scene.reconcile(at: "2026-01-24T18:30:00Z")
        #expect(try silent(scene) == ["source_silent source:meld-live medium"])
        let found = try #require(try scene.store.list().first { $0.rule == "source_silent" })
        #expect(found.facts.contains("57 hours") && found.facts.contains("2026-01-20T00:00:00Z"))
        #expect(found.dueAt == at("2026-01-24T18:00:00Z") && found.atRisk.isZero)
    }

    @Test("a gap longer than 28 days ago says nothing of today's rhythm")
    func longAgo() throws {
        let scene = try Scene(events: [])
        try rows(scene, every: 12, count: 50)
        try scene.transaction("old", created: "2025-11-01T00:00:00Z")
        try scene.feed("provider", reach: "2026-01-21T00:00:00Z")
        try scene.reconcile(at: "2026-01-21T00:30:00Z")
        #expect(try silent(scene).count == 1)
    }

    @Test("it heals with the next row; an acknowledged pause is quiet and no reason for exit 4")
    func heals() throws {
        let scene = try Scene(events: [])
        try rows(scene, every: 2)
        #expect(try scene.reconcile().silentSources == ["meld-live"])
        let id = try #require(try scene.store.list().first { $0.rule == "source_silent" }?.id)
        try scene.store.ack(id, reason: "closed for repairs", actor: "ann", now: at("2026-01-20T12:10:00Z"))
        #expect(try scene.reconcile(at: "2026-01-20T12:20:00Z").silentSources.isEmpty)
        try scene.transaction(
            "new", status: "PENDING", state: "pending", money: "none", created: "2026-01-20T12:25:00Z")
        try scene.feed("provider", reach: "2026-01-20T12:30:00Z")
        #expect(try scene.reconcile(at: "2026-01-20T12:40:00Z").healed >= 1)
        #expect(try silent(scene).isEmpty)
    }

    @Test("a source that could not be asked is not silent, one that answers is, whatever its answers prove")
    func asked() throws {
        let scene = try Scene(events: [])
        try rows(scene, every: 2)
        try scene.feed(
            "provider", reach: "2026-01-20T01:00:00Z", failingSince: "2026-01-20T12:00:00Z", failure: "status 401",
            attempt: "2026-01-20T12:00:00Z")
        try scene.reconcile()
        #expect(try silent(scene).isEmpty)
        try scene.feed(
            "provider", reach: "2026-01-20T01:00:00Z", failingSince: "2026-01-20T12:00:00Z", failure: "empty",
            attempt: "2026-01-20T12:00:00Z", pages: 1)
        try scene.reconcile(at: "2026-01-20T12:30:00Z")
        #expect(try silent(scene).count == 1)
    }

    @Test("a few rows, rows of one moment, a draining or retired source: no rhythm, no silence")
    func noRhythm() throws {
        let scene = try Scene(events: [])
        for (source, life) in [("draining", "draining"), ("gone", "retired"), ("few", "active"), ("once", "active")] {
            try scene.source(source, life: life)
            try scene.feed("provider", source: source, reach: "2026-01-20T12:00:00Z")
            let hours: Int64 = source == "once" ? 0 : source == "few" ? 24 : 2
            try rows(scene, every: hours, count: source == "few" ? 9 : 85, source: source)
        }
        try scene.reconcile()
        #expect(try silent(scene).isEmpty)
    }

    @Test("less than a week of rows is no rhythm and no silence, a week is", arguments: [(168, 0), (169, 1)])
    func short(count: Int64, breaks: Int) throws {
        let scene = try Scene(events: [])
        try rows(scene, every: 1, count: count)
        try scene.feed("provider", reach: "2026-01-20T12:00:00Z")
        try scene.reconcile()
        #expect(try silent(scene).count == breaks)
    }
}
