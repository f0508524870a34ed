import Payments
import Postgres
import Reconciling
import Testing

/// The matrix as data, and every row of it played through a whole evaluation.
@Suite struct StateMatrixTests {
    private struct Row {
        let book: String
        let money: String
        let state: String
        let direction: String
        let verdict: String
        var name: String { "\(direction)-\(book)-\(money)-\(state)" }
    }

    private func rows(_ scene: Scene) throws -> [Row] {
        try scene.connection.query("select * from scope.state_matrix order by book_status, money, state, direction").map
        {
            Row(
                book: try $0.text("book_status"), money: try $0.text("money"), state: try $0.text("state"),
                direction: try $0.text("direction"), verdict: try $0.text("verdict"))
        }
    }

    @Test("every row's verdict is agree, awaiting or a rule of the catalogue's order")
    func catalogued() throws {
        let scene = try Scene(events: [])
        let rows = try rows(scene)
        #expect(rows.count == 2 * 702)
        let known = Set(["agree", "awaiting"] + RuleCatalogue.order)
        #expect(rows.filter { !known.contains($0.verdict) }.map(\.name) == [])
    }

    @Test("every row, played as one order and one transaction, raises its own rule as the only headline, or no break")
    func played() throws {
        let scene = try Scene(events: [])
        try scene.keepHistory()
        try scene.source("careful", creditPolicy: "on_settled")
        for feed in ["provider", "book"] { try scene.feed(feed, source: "careful", reach: "2026-01-20T12:00:00Z") }
        // What the matrix calls paid_unsettled or taken_not_returned is due; nothing else falls due by its term.
        scene.terms = [Term(amount: 100_000, unit: .hours), Term(method: "DUE", amount: 1, unit: .hours)]
        let installed = Set(try RuleCatalogue.load(scene.library).rules.map(\.id))
        let rows = try rows(scene)
        for row in rows {
            if row.verdict == "status_regression" {
                try scene.transaction(
                    row.name, source: "careful", created: "2026-01-10T09:00:00Z", superseded: "2026-01-10T10:00:00Z")
            }
            let isDue = ["paid_unsettled", "taken_not_returned"].contains(row.verdict)
            try scene.order(row.name, source: "careful", status: row.book, direction: row.direction)
            try scene.transaction(
                row.name, source: "careful", status: row.state.uppercased(), state: row.state, money: row.money,
                refs: ["book:order=\(row.name)"], returned: row.money == "returned" ? "100" : nil, flags: [],
                direction: row.direction, method: isDue ? "DUE" : "CARD")
        }
        let outcome = try scene.reconcile()
        let loose = try scene.connection.query(
            "select currency, bucket, unexplained_sum from tieout.control_total where unexplained_sum <> 0")
        #expect(outcome.totalsTie && loose.isEmpty)
        var headlines: [String: [String]] = [:]
        for item in try scene.store.list() where item.primaryBreak == nil {
            let name = item.subject.split(whereSeparator: { ":/".contains($0) }).last.map(String.init) ?? ""
            headlines[name, default: []].append(item.rule)
        }
        for row in rows {
            let expected = installed.contains(row.verdict) ? [row.verdict] : []
            #expect(headlines[row.name, default: []] == expected, "\(row.name)")
        }
    }
}
