import Foundation
import Payments
import Postgres
import TestSupport
import Testing

@testable import Reconciling

@Suite struct RuleFileTests {
    private let header = """
        -- rule: sample
        -- title: Sample
        -- severity: high
        -- grain: payment
        -- needs: provider, book
        -- proves: absence
        -- param: window interval = 24 hours
        -- why: because
        -- fix: do it

        select 1 where now() - {window} < now()
        """

    private func fault(_ old: String, _ new: String) -> RuleFault? {
        do {
            _ = try Rule(text: header.replacing(old, with: new), file: "SQL/rules/sample.sql")
            return nil
        } catch {
            return error
        }
    }

    @Test("a header is read whole")
    func whole() throws {
        let rule = try Rule(text: header, file: "SQL/rules/sample.sql")
        #expect(rule.needs == [.provider, .book] && rule.proves == .absence && rule.severity == .high)
        #expect(rule.needsWhereSettledByLines.isEmpty)
        #expect(rule.parameters == [.init(name: "window", type: .interval, value: "24 hours")])
    }

    @Test(
        "a header that says something unknown names file and line",
        arguments: [
            ("-- grain: payment", "-- grian: payment", 4), ("severity: high", "severity: awful", 3),
            ("provider, book", "provider, books", 5), ("interval = 24", "intervall = 24", 7),
            ("-- why: because", "-- title: Again", 8), ("-- proves: absence", "-- proves:", 6),
            ("-- rule: sample", "-- rule: other", 1),
        ])
    func strict(old: String, new: String, line: Int) {
        let fault = fault(old, new)
        #expect(fault?.line == line && fault?.file == "SQL/rules/sample.sql")
    }

    @Test("what a rule needs of some sources alone is read, and is a feed")
    func someSources() throws {
        let line = "-- proves: absence\n-- needs_where_settled_by_lines: settlement"
        let rule = try Rule(text: header.replacing("-- proves: absence", with: line), file: "SQL/rules/sample.sql")
        #expect(rule.needs == [.provider, .book] && rule.needsWhereSettledByLines == [.settlement])
        #expect(fault("-- proves: absence", line.replacing("settlement", with: "settlements"))?.line == 7)
    }

    @Test("a parameter that is not declared, or not used, is a fault")
    func parameters() {
        #expect(fault("{window}", "{span}") != nil)
        #expect(fault("{window}", "interval '1 day'") != nil)
        #expect(fault("", "") == nil)
    }

    @Test("every installed rule can be read, and comes in rank order")
    func installed() throws {
        let catalogue = try RuleCatalogue.load(SQLLibrary(root: Checkout.root))
        let ids = catalogue.rules.map(\.id)
        #expect(ids.count >= 16 && ids == RuleCatalogue.order.filter(ids.contains))
    }

    @Test("the state matrix gives every combination exactly one verdict, agree, awaiting or a ranked rule")
    func matrix() throws {
        let scene = try Scene()
        var missing: [String] = []
        for book in BookStatus.allCases {
            for money in MoneyState.allCases {
                for state in PaymentState.allCases {
                    let rows = try scene.connection.query(
                        "select verdict from tieout.state_matrix where book_status = $1 and money = $2 and state = $3",
                        [.text(book.rawValue), .text(money.rawValue), .text(state.rawValue)])
                    let verdict = try rows.first?.text(0) ?? ""
                    if !(["agree", "awaiting"] + RuleCatalogue.order).contains(verdict) {
                        missing.append("\(book) \(money) \(state)")
                    }
                }
            }
        }
        #expect(missing.isEmpty)
    }

    @Test("live and as-of views have the same columns, and show the same when nothing lies between")
    func views() throws {
        let scene = try Scene()
        try scene.order("A")
        try scene.transaction("T", refs: ["book:order=A"])
        try scene.event("E", of: "T", status: "SETTLED", state: "settled", money: "delivered")
        try scene.reconcile()
        let now = ScopeProbe(scene: scene)
        let names = [
            "source", "member", "arrival", "webhook_event", "record", "reported", "transaction", "book_order",
            "payment",
        ]
        for name in names {
            let live = try now.rows(of: name, .live)
            let past = try now.rows(of: name, .asOf)
            #expect(live.columns == past.columns, "scope.\(name)")
            #expect(live.texts == past.texts && !live.texts.isEmpty, "scope.\(name)")
        }
    }

    @Test("what takes the place of a table as of a moment has all of the table's columns")
    func pastColumns() throws {
        let scene = try Scene()
        // Noted for the scope of nights alone; an earlier reading of an event has no such moment.
        let left = ["webhook_event": ["recounted_at"]]
        for table in SQLLibrary.changing.sorted() where table != "payment_member" {
            let past = try scene.library.past(table).replacing("$2", with: "now()")
            let now = try scene.connection.query("select * from tieout.\(table) limit 0", []).columnNames
            let then = try scene.connection.query("select * from (\(past)) as p limit 0", []).columnNames
            #expect(Set(then) == Set(now).subtracting(left[table] ?? []), "\(table)")
        }
        let files = Set(try FileManager.default.contentsOfDirectory(atPath: Checkout.root + "/SQL/views/as_of"))
        #expect(files == Set(SQLLibrary.changing.map { "\($0).sql" }))
    }
}

/// Reads a relation of schema `scope` under both kinds of knowledge.
struct ScopeProbe {
    let scene: Scene

    func rows(of name: String, _ knowledge: Knowledge) throws -> (columns: [String], texts: [String]) {
        try scene.connection.transaction { connection in
            _ = try Linker(library: scene.library, knowledge: knowledge).link(
                connection, account: Scene.account, asOf: at("2026-01-20T12:00:00Z"))
            let query = ScopeQuery(library: scene.library, knowledge: knowledge)
            let sql = try query.compose("select * from scope.\(name) as v where $2::timestamptz is not null")
            let values: [SQLValue] = [.int(Scene.account), .timestamp(at("2026-01-20T12:00:00Z"))]
            let columns = try connection.query(sql + " limit 0", values).columnNames
            let text = try query.compose(
                "select v::text as row from scope.\(name) as v where $2::timestamptz is not null order by 1")
            return (columns, try connection.query(text, values).map { try $0.text("row") })
        }
    }
}
