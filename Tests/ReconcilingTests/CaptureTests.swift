import Payments
import Postgres
import Testing

@testable import Reconciling

/// A provider where a capture is a payment of its own that names the authorization: one purchase, two rows.
@Suite struct CaptureTests {
    private func authorized(_ scene: Scene, _ id: String = "T0", observed: String? = nil) throws {
        try scene.transaction(
            id, status: "AUTHORIZED", state: "authorized", money: "held", updated: observed, refs: ["book:order=A"],
            customer: "c1", flags: [], isFinal: false)
    }

    private func capture(
        _ scene: Scene, _ id: String = "T1", money: String = "taken", state: String = "paid", charged: String = "100",
        observed: String? = nil
    ) throws {
        try scene.transaction(
            id, status: "PAID", state: state, money: money, charged: charged, created: "2026-01-10T10:30:00Z",
            updated: observed, refs: ["book:order=A", "meld:transaction=T0"], customer: "c1", flags: [], isFinal: true,
            parent: "T0")
    }

    private func scene() throws -> Scene {
        let scene = try Scene(events: [])
        try scene.connection.execute("update tieout.source set settles_to = 'merchant'")
        try scene.order("A", status: "paid", updated: "2026-01-10T10:31:00Z")
        return scene
    }

    private func money(_ scene: Scene) throws -> [String] {
        try scene.connection.query(
            "select transaction_id || ' ' || money from scope.transaction order by transaction_id"
        ).map { try $0.text(0) }
    }

    @Test(
        "an authorization and its capture are one charge: no break, totals tie, the payment has taken 100 and holds none"
    )
    func once() throws {
        let scene = try scene()
        try authorized(scene)
        #expect(try money(scene) == ["T0 held"])
        try capture(scene)
        #expect(try money(scene) == ["T0 none", "T1 taken"])
        let outcome = try scene.reconcile()
        #expect(try scene.breaks(without: "paid_unsettled").isEmpty)
        #expect(outcome.totalsTie)
        let payment = try scene.connection.query(
            "select concat_ws(' ', transactions, coalesce(held, 0), taken) from scope.payment"
        ).only().text(0)
        #expect(payment == "2 0 100")
    }

    @Test("two payments of which neither names the other are two charges: a duplicate")
    func twice() throws {
        let scene = try scene()
        try authorized(scene)
        try scene.transaction(
            "T1", status: "PAID", state: "paid", money: "taken", created: "2026-01-10T10:30:00Z",
            refs: ["book:order=A"], customer: "c1", flags: [], isFinal: true)
        try scene.reconcile()
        #expect(try money(scene) == ["T0 held", "T1 taken"])
        #expect(try scene.breaks(without: "paid_unsettled") == ["duplicate_charge transaction:meld-live/T1 critical"])
    }

    @Test(
        "a second capture of one authorization, beyond the order, is a duplicate; captures that add up to it are none")
    func several() throws {
        let scene = try scene()
        try authorized(scene)
        try capture(scene, "T1", charged: "40")
        try capture(scene, "T2", charged: "60")
        try scene.reconcile()
        #expect(try scene.breaks(without: "paid_unsettled").isEmpty)
        try capture(scene, "T1", charged: "100")
        try capture(scene, "T2", charged: "100")
        try scene.reconcile(at: "2026-01-21T12:00:00Z")
        #expect(try scene.found("duplicate_charge").map(\.subject) == ["transaction:meld-live/T2"])
    }

    @Test("a capture that was refused leaves the authorization holding the money")
    func refused() throws {
        let scene = try scene()
        try authorized(scene)
        try capture(scene, money: "none", state: "declined")
        #expect(try money(scene) == ["T0 held", "T1 none"])
        try capture(scene, money: "returned", state: "refunded")
        #expect(try money(scene) == ["T0 none", "T1 returned"])
    }

    @Test("as of a moment before the capture was known the money is still held")
    func asOf() throws {
        let scene = try scene()
        try authorized(scene, observed: "2026-01-11T00:00:00Z")
        try capture(scene, observed: "2026-01-12T00:00:00Z")
        #expect(try asOf(scene, "2026-01-11T12:00:00Z") == ["T0 held"])
        #expect(try asOf(scene, "2026-01-12T12:00:00Z") == ["T0 none", "T1 taken"])
    }

    private func asOf(_ scene: Scene, _ moment: String) throws -> [String] {
        try scene.connection.transaction { connection in
            _ = try Linker(library: scene.library, knowledge: .asOf).link(
                connection, account: Scene.account, asOf: at(moment))
            let query = try ScopeQuery(library: scene.library, knowledge: .asOf).compose(
                "select t.transaction_id || ' ' || t.money from scope.transaction as t where t.created_at <= $2 order by 1"
            )
            return try connection.query(query, [.int(Scene.account), .timestamp(at(moment))]).map { try $0.text(0) }
        }
    }

    @Test("a settlement line that names the order alone settles the capture, and not what only held the money")
    func settled() throws {
        let scene = try scene()
        try authorized(scene)
        try capture(scene)
        let digest = SQLValue.bytes([UInt8](repeating: 1, count: 16))
        try scene.connection.execute(
            """
            insert into tieout.settlement_line (account_id, source_id, line_id, run_id, observed_at, request_started_at, version_time, state_rank, kind, type_word, state, gross, net, currency, transaction_amount, transaction_currency, settled_at, refs, file_name, file_digest, line_no, content_hash) values ($1, 'meld-live', 'L', 1, $2, $2, $2, 1, 'charge', 'CAPTURE', 'settled', 20, 19, 'EUR', 100, 'USD', $2, array['book:order=A', 'meld:transaction=T-x1'], 'f.csv', $3, 1, $3)
            """,
            [.int(Scene.account), .timestamp(at("2026-01-12T00:00:00Z")), digest])
        try scene.reconcile()
        let states = try scene.connection.query(
            "select transaction_id || ' ' || state from scope.transaction order by transaction_id"
        ).map { try $0.text(0) }
        #expect(states == ["T0 authorized", "T1 settled"])
        #expect(try scene.found("paid_unsettled").isEmpty)
    }

    @Test("a chargeback's defence after it was carried out leaves the money returned; before, nothing moved")
    func defended() throws {
        let scene = try scene()
        try scene.keepHistory()
        func received() throws {
            try scene.transaction(
                "C1", status: "DISPUTE_RECEIVED", state: "disputed", money: "none", updated: "2026-01-12T00:00:00Z",
                afterTaken: "returned", flags: [], isFinal: false, resource: "dispute", parent: "T1")
        }
        func money() throws -> String {
            try scene.connection.query("select money from scope.dispute where dispute_id = 'C1'").only().text(0)
        }
        try received()
        #expect(try money() == "none")
        try scene.transaction(
            "C1", status: "COMPLETED", state: "disputed", money: "returned", updated: "2026-01-11T00:00:00Z",
            superseded: "2026-01-12T00:00:00Z", resource: "dispute", parent: "T1")
        #expect(try money() == "returned")
    }
}
