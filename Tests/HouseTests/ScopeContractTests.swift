import Reconciling
import TestSupport
import Testing

/// What a rule must keep so that a night that looks only at its news finds what looking at everything would; see "Add a rule"
/// in CONTRIBUTING.md.
@Suite("What keeps a night to its news")
struct ScopeContractTests {
    /// What a rule does against the contract; nil: nothing that a machine can see.
    static func fault(_ text: String, isOfPayments: Bool) throws -> String? {
        let code = House.code(text, comment: "--")
        if try !House.matches(#"\btieout\.[a-z_]+\b(?!\s*\()"#, in: code).isEmpty {
            return "reads a table of tieout itself, which is not limited to what is in scope"
        }
        if !isOfPayments { return nil }
        if try !House.matches(#"'(?:source|payout):"#, in: code).isEmpty {
            return "judges a source or a payout, and looks at single payments"
        }
        if code.contains("$2"), try !House.matches(#"\bnull(?:::timestamptz)?\s+as\s+due_at\b"#, in: code).isEmpty {
            return "changes its verdict with time, and returns no due_at at which to look again"
        }
        return nil
    }

    @Test("every rule keeps it")
    func rules() throws {
        for rule in try RuleTests.catalogue().rules {
            let fault = try Self.fault(rule.text, isOfPayments: rule.isOfPayments)
            #expect(fault == nil, "\(rule.id) \(fault ?? "")")
        }
    }

    @Test("who does not keep it is found out")
    func search() throws {
        #expect(try Self.fault("select * from tieout.transaction as t", isOfPayments: true) != nil)
        #expect(try Self.fault("select tieout.printed(1, 2) from scope.transaction", isOfPayments: true) == nil)
        #expect(try Self.fault("-- tieout.transaction\nselect 1", isOfPayments: true) == nil)
        #expect(try Self.fault("select 'source:' || s.source_id", isOfPayments: true) != nil)
        #expect(try Self.fault("select 'source:' || s.source_id", isOfPayments: false) == nil)
        let timely = "select null::timestamptz as due_at where t.created_at < $2"
        #expect(try Self.fault(timely, isOfPayments: true) != nil)
        #expect(try Self.fault(timely, isOfPayments: false) == nil)
        #expect(try Self.fault("select d.due_at where d.twice_at <= $2", isOfPayments: true) == nil)
    }
}
