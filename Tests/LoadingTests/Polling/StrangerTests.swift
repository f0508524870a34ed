import Payments
import Testing

@testable import Loading

/// A payment that somebody names and that is another account's: it is neither ours nor missing, and nobody asks again.
@Suite("Payments of another account")
struct StrangerTests {
    private static let night = Timestamp.at("2026-08-10T02:30:00Z")

    private func bench() throws -> PollingBench {
        let created = Self.night.adding(seconds: -7200)
        var foreign = FakeMeld.Row.purchase("X", created.adding(seconds: 60))
        foreign.members = foreign.members.replacing("\"ACC\"", with: "\"OTHER\"")
        foreign.hidden = true
        let bench = try PollingBench([.purchase("T1", created), foreign, .purchase("T2", created.adding(seconds: 120))])
        bench.options = ["account_id_expected": "ACC"]
        return bench
    }

    @Test("one that is read by id leaves the source complete, is remembered, and says nothing against the list")
    func named() async throws {
        let bench = try bench()
        for night in 0...1 {
            let outcome = try await bench.poll(at: Self.night.adding(seconds: Int64(night) * 3600), rereads: ["X"])
            #expect(outcome.ending == .complete && outcome.watermark != nil)
            #expect(outcome.omittedByList == 0 && outcome.unknownIDs == [] && outcome.vanished == [])
        }
        #expect(try bench.count("transaction", "transaction_id = 'X'") == 0 && bench.count("transaction") == 2)
        #expect(try bench.count("stranger", "transaction_id = 'X'") == 1 && bench.count("stranger") == 1)
        // Twin: one of ours that the list does not show speaks against the list.
        let other = try self.bench()
        other.options = [:]
        let doubted = try await other.poll(at: Self.night, rereads: ["X"])
        #expect(doubted.ending != .complete && doubted.omittedByList == 1)
        #expect(try other.count("stranger") == 0)
    }
}
