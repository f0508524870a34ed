import Payments
import Postgres
import Reconciling
import Testing

/// One id in a source and in the one that succeeds it is one record: the newer speaks, everywhere.
@Suite struct SuccessionTests {
    private func line(events: [String] = []) throws -> Scene {
        let scene = try Scene(events: events)
        try scene.source("meld-new", succeeds: "meld-live", events: events)
        for feed in ["provider", "webhook", "book"] {
            try scene.feed(feed, source: "meld-new", reach: "2026-01-20T12:00:00Z")
        }
        return scene
    }

    private func seen(_ scene: Scene, _ pair: String) throws -> [String] {
        try scene.connection.query(
            "select concat_ws(' ', source_id, b_count, trim_scale(b_sum)) from tieout.control_total where pair = $1 order by 1",
            [.text(pair)]
        ).map { try $0.text(0) }
    }

    @Test(
        "the newer source's word counts, in totals and in rules: stuck there is paid_unsettled once, delivered there none"
    )
    func newerWins() throws {
        let scene = try line()
        try scene.order("A")
        let stuck = { (source: String) in
            try scene.transaction(
                "T1", source: source, status: "SETTLING", state: "settling", money: "taken",
                takenAt: "2026-01-10T10:00:00Z", refs: ["book:order=A"])
        }
        try stuck("meld-live")
        try stuck("meld-new")
        var outcome = try scene.reconcile()
        #expect(try scene.breaks() == ["paid_unsettled transaction:meld-new/T1 high"] && outcome.totalsTie)
        #expect(try seen(scene, "book-provider") == ["meld-new 1 100"])
        try scene.transaction("T1", source: "meld-new", refs: ["book:order=A"])
        outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
        #expect(try seen(scene, "provider-view").isEmpty)
    }

    @Test("an event that came to the older source is about the same record: not webhook_missing, and counted once")
    func events() throws {
        let scene = try line(events: ["SETTLED"])
        try scene.order("A")
        for source in ["meld-live", "meld-new"] {
            try scene.transaction("T1", source: source, refs: ["book:order=A"])
        }
        try scene.event("E", of: "T1", status: "SETTLED", state: "settled", money: "delivered")
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
        #expect(try seen(scene, "provider-webhook") == ["meld-new 1"])
        // Without it there is one event missing, not two.
        let other = try line(events: ["SETTLED"])
        try other.order("A")
        for source in ["meld-live", "meld-new"] {
            try other.transaction("T1", source: source, refs: ["book:order=A"])
        }
        try other.reconcile()
        #expect(try other.breaks() == ["webhook_missing transaction:meld-new/T1 low"])
    }

    @Test("an unknown status that the newer source knows is no unknown_value")
    func unknown() throws {
        let scene = try line()
        try scene.order("A")
        try scene.transaction("T1", status: "ODD", state: "unknown", money: "unknown", refs: ["book:order=A"])
        try scene.transaction("T1", source: "meld-new", refs: ["book:order=A"])
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
    }

    @Test("another id in the newer source is another charge")
    func another() throws {
        let scene = try line()
        try scene.order("A")
        try scene.transaction("T1", refs: ["book:order=A"])
        try scene.transaction("T2", source: "meld-new", created: "2026-01-10T10:05:00Z", refs: ["book:order=A"])
        try scene.reconcile()
        #expect(try scene.breaks() == ["duplicate_charge transaction:meld-new/T2 critical"])
    }

    @Test("through three generations the newest speaks")
    func three() throws {
        let scene = try line()
        try scene.source("meld-newest", succeeds: "meld-new")
        for feed in ["provider", "book"] {
            try scene.feed(feed, source: "meld-newest", reach: "2026-01-20T12:00:00Z")
        }
        try scene.order("A")
        for (source, amount) in [("meld-live", "90"), ("meld-newest", "100")] {
            try scene.transaction("T1", source: source, charged: amount, refs: ["book:order=A"])
        }
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
    }
}
