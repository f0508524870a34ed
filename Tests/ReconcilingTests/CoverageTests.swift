import Payments
import Postgres
import Reconciling
import Testing

/// How far back a feed speaks of a payment.
@Suite struct CoverageTests {
    /// A scene whose provider shows nothing before 10:00:30, and whose book begins earlier.
    private func scene() throws -> Scene {
        let scene = try Scene(events: [])
        try scene.feed("provider", reach: "2026-01-20T12:00:00Z", from: "2026-01-10T10:00:30Z")
        return scene
    }

    private func classes(_ scene: Scene) throws -> [String] {
        try scene.connection.query(
            "select u.class || ' ' || u.rest_class as value from tieout.control_unit as u where u.pair = 'book-provider' order by 1"
        ).map { try $0.text("value") }
    }

    @Test(
        "an order half a minute older than the first record its payment has at the provider is judged: credited_unpaid")
    func firstPayment() throws {
        for isFull in [true, false] {
            let scene = try scene()
            try scene.order("A", created: "2026-01-10T10:00:00Z")
            if !isFull { try scene.reconcile(at: "2026-01-20T09:00:00Z") }
            try scene.transaction(
                "T", status: "DECLINED", state: "declined", money: "none", created: "2026-01-10T10:00:30Z",
                updated: isFull ? nil : "2026-01-20T10:00:00Z", refs: ["book:order=A"])
            let outcome = try scene.reconcile(isFull: isFull)
            #expect(try scene.breaks() == ["credited_unpaid order:A critical"], "full: \(isFull)")
            #expect(try classes(scene) == ["breaks unexplained"] && outcome.totalsTie)
        }
    }

    @Test(
        "an order older than the feed with no record in it, nor one as old as the order, is not judged: before coverage"
    )
    func older() throws {
        let scene = try scene()
        try scene.order("none", created: "2026-01-10T10:00:00Z")
        try scene.order("old", created: "2026-01-10T10:00:00Z")
        try scene.transaction(
            "T", status: "DECLINED", state: "declined", money: "none", created: "2026-01-10T10:00:20Z",
            refs: ["book:order=old"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks().isEmpty && outcome.totalsTie)
        #expect(try classes(scene) == ["before_coverage before_coverage", "before_coverage before_coverage"])
    }

    @Test(
        "a charge older than the book's first order is judged by its own order: amount_mismatch, and none where it fits"
    )
    func bookBegins() throws {
        for (amount, found) in [("90", ["amount_mismatch transaction:meld-live/T high"]), ("100", [])] {
            let scene = try Scene(events: [])
            try scene.feed("book", reach: "2026-01-20T12:00:00Z", from: "2026-01-10T10:00:30Z")
            try scene.transaction("T", created: "2026-01-10T10:00:00Z", refs: ["book:order=A"])
            try scene.order("A", amount: amount, created: "2026-01-10T10:00:30Z")
            let outcome = try scene.reconcile()
            #expect(try scene.breaks() == found && outcome.totalsTie)
            #expect(try classes(scene) == [found.isEmpty ? "matched matched" : "breaks unexplained"])
        }
    }

    @Test("what breaks although its payment could not be judged is counted where its difference stands")
    func oneClass() throws {
        let scene = try Scene(events: [])
        try scene.feed("book", reach: "2026-01-20T12:00:00Z", from: "2026-01-10T10:00:00Z")
        // The order is older than the book reaches; its charge is not, and differs.
        try scene.order("A", amount: "90", created: "2026-01-10T09:59:00Z")
        try scene.transaction("T", created: "2026-01-10T10:00:10Z", refs: ["book:order=A"])
        #expect(try scene.reconcile().totalsTie)
        #expect(try scene.breaks() == ["amount_mismatch transaction:meld-live/T high"])
        let total = try scene.connection.query(
            "select classes::text as value from tieout.control_total where pair = 'book-provider'"
        ).only()
        #expect(try total.text("value") == #"{"breaks": {"sum": "-10", "count": 1}}"#)
    }
}
