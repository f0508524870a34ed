import Payments
import Postgres
import Reconciling
import Testing

@Suite struct EnvironmentMixedTests {
    private func mixed(_ scene: Scene) throws -> [Break] {
        try scene.store.list().filter { $0.rule == "environment_mixed" }
    }

    @Test("case 26: test data in a live source are high, critical where the book credited them, and in no total")
    func mixed() throws {
        let scene = try Scene(events: [])
        for number in 0..<10 {
            try scene.order("O\(number)", amount: "1000")
            try scene.transaction("T\(number)", charged: "1000", refs: ["book:order=O\(number)"])
        }
        try scene.transaction("play", charged: "999", isTest: true)
        try scene.order("bought", amount: "999")
        try scene.transaction("paid", charged: "999", refs: ["book:order=bought"], isTest: true)
        let outcome = try scene.reconcile()
        let found = try mixed(scene)
        #expect(
            found.map { "\($0.subject) \($0.severity.rawValue)" } == [
                "transaction:meld-live/paid critical", "transaction:meld-live/play high",
            ])
        #expect(found[0].facts.contains("bought") && found[0].order == "bought")
        let provider = try scene.connection.query(
            "select trim_scale(sum(b_sum))::text from tieout.control_total where pair = 'book-provider'")
        #expect(try provider.only().text(0) == "10000")
        #expect(outcome.standing[.critical] == 1)
    }

    @Test("a test event about a live transaction is high; a test of the endpoint, or one without proof, is not")
    func events() throws {
        let scene = try Scene(events: [])
        try scene.transaction("T")
        for (key, transaction, verdict) in [("E1", "T", "valid"), ("E2", "T", "invalid"), ("E3", "gone", "valid")] {
            try scene.event(
                key, of: transaction, status: "SETTLED", state: "settled", money: "delivered", verdict: verdict,
                isTest: true)
        }
        try scene.connection.execute(
            "update tieout.webhook_event set transaction_id = null, raw_status = null, refs = '{}' where event_key = 'E3'"
        )
        try scene.reconcile()
        #expect(try mixed(scene).map(\.subject) == ["event:meld-live/E1"])
        #expect(try mixed(scene).allSatisfy { $0.severity == .high })
    }

    @Test("test data of a sandbox source are not mixed with anything; its events and rows are one cause")
    func sandbox() throws {
        let scene = try Scene(events: [])
        try scene.source("sandbox", environment: "sandbox")
        try scene.transaction("S", source: "sandbox", isTest: true)
        try scene.event(
            "E", of: "S", status: "SETTLED", state: "settled", money: "delivered", source: "sandbox", isTest: true)
        try scene.transaction("L", isTest: true)
        try scene.event("F", of: "L", status: "SETTLED", state: "settled", money: "delivered", isTest: true)
        try scene.reconcile()
        #expect(try mixed(scene).map(\.subject) == ["transaction:meld-live/L"])
        // It heals when the provider corrects it.
        try scene.transaction("L")
        try scene.connection.execute("update tieout.webhook_event set is_test = false where event_key = 'F'")
        #expect(try scene.reconcile(at: "2026-01-20T13:00:00Z").healed == 1)
    }
}
