import Payments
import Testing

@testable import Sandbox

@Suite struct VerificationTests {
    private let truth = TruthFile.json(sampleWorld)
    private let rules = Set(Verify.usualRules)

    private func perfect(night: Int) throws -> [FoundBreak] {
        try Verification.expectations(truth: truth, night: night).filter { rules.contains($0.rule) }.map {
            FoundBreak(
                rule: $0.rule, subjects: [$0.subject], severity: $0.severity,
                state: $0.state == "healed" ? "resolved" : "open",
                difference: $0.difference, currency: $0.currency)
        }
    }

    private func verify(_ found: [FoundBreak], night: Int) throws -> Verification {
        Verification(
            expected: try Verification.expectations(truth: truth, night: night), found: found, rules: rules)
    }

    @Test("the truth agrees with itself after every night", arguments: 1...3)
    func agreement(night: Int) throws {
        let verification = try verify(try perfect(night: night), night: night)
        #expect(verification.agrees)
        #expect(verification.planted > 25)
    }

    @Test("a break that is not there, one too many, and one that differs are each told")
    func disagreement() throws {
        var found = try perfect(night: 1)
        let gone = found.removeFirst()
        found.append(
            FoundBreak(
                rule: "amount_mismatch", subjects: ["order:A-1"], severity: "high", state: "open", difference: "1",
                currency: "EUR"))
        let spoilt = try #require(found.first { $0.rule == "paid_unsettled" })
        found.removeAll { $0 == spoilt }
        found.append(
            FoundBreak(
                rule: spoilt.rule, subjects: spoilt.subjects, severity: "info", state: "open",
                difference: spoilt.difference, currency: spoilt.currency))
        let verification = try verify(found, night: 1)
        #expect(verification.missing.count == 2)
        #expect(verification.missing.contains { $0.contains(gone.subjects[0]) })
        #expect(verification.missing.contains { $0.contains("severity is info") })
        #expect(verification.unexpected == ["amount_mismatch order:A-1 open high 1 EUR"])
    }

    @Test("breaks.csv and JSON give the same breaks; trailing zeros are no difference")
    func formats() throws {
        let header = "break_id,account,rule,severity,state,source,subject,currency,difference,reason\r\n"
        let row = #"B1,demo,amount_mismatch,high,open,meld-sandbox,order:A-1,GBP,-10.00,"a, ""b"" c""# + "\r\n"
        let csv = header + row
        let json = """
            {"breaks":[{"rule":"amount_mismatch","severity":"high","state":"open","subject":"order:A-1",\
            "currency":"GBP","difference":"-10"}]}
            """
        let fromCSV = try FoundBreak.read(Array(csv.utf8))
        #expect(fromCSV.count == 1)
        #expect(try FoundBreak.read(Array(json.utf8)) == fromCSV)
        #expect(fromCSV[0].difference == "-10")
    }

    @Test("published columns without a subject match by order or by transaction")
    func parts() throws {
        let csv = "rule,severity,state,source,order_id,transaction_id\nx,low,resolved,s,A-1,W1\n"
        let found = try FoundBreak.read(Array(csv.utf8))
        #expect(found[0].subjects == ["transaction:s/W1", "order:A-1"])
        #expect(found[0].state == "healed")
    }

    @Test("a break heals, worsens and opens on the nights the truth says")
    func standing() throws {
        let nights = try (1...3).map { try Verification.expectations(truth: truth, night: $0) }
        #expect(nights[0].allSatisfy { $0.state == "open" })
        #expect(nights[1].contains { $0.state == "healed" })
        #expect(nights[1].count > nights[0].count)
        #expect(nights[2].count(where: { $0.state == "healed" }) > nights[1].count(where: { $0.state == "healed" }))
    }
}
