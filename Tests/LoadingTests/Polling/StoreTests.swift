import Compression
import JSON
import Payments
import Postgres
import Providers
import TestSupport
import Testing

@testable import Loading

@Suite("Transaction store against PostgreSQL")
struct StoreTests {
    static let night = PollerTests.night
    static let created = night.adding(seconds: -7200)

    @Test("case 16: a field gone, a field new, a field of another type: one row in quarantine, the rest loads")
    func drift() async throws {
        var rows = PollerTests.purchases(3)
        rows[0].members += #","settlementBatch":"B1""#
        rows[1].members += #","cryptoDetails":{"totalFee":{"amount":30,"currency":"usd"}},"orderId":"O1""#
        rows[2].members = rows[2].members.replacing(#""sessionId":"S-W2","#, with: "")
        let bench = try PollingBench(rows)
        let outcome = try await bench.poll(at: Self.night)
        #expect(outcome.ending == .complete)
        #expect(outcome.counts.newlyQuarantined == 1)
        #expect(try bench.count("transaction") == 2)
        #expect(try bench.text("select path || ' ' || rows_seen from tieout.unknown_field") == "settlementBatch 1")
        let bad = try bench.connection.query("select reason, record_id, refs, raw, state from tieout.quarantine")
        #expect(bad.count == 1)
        #expect(try bad[0].text("reason") == "type_changed: cryptoDetails.totalFee number->object")
        #expect(try bad[0].text("record_id") == "W1")
        #expect(try bad[0].textArray("refs").contains("meld:order=O1"))
        #expect(try bad[0].text("raw").contains("totalFee"))

        // Met again it is not new; when the row comes well it is cleared.
        let again = try await bench.poll(at: Self.night.adding(seconds: 3600))
        #expect(again.counts.newlyQuarantined == 0)
        let good = PollerTests.purchases(3)
        bench.meld.set { $0.rows = good }
        try await bench.poll(at: Self.night.adding(seconds: 7200))
        #expect(try bench.count("quarantine", "state = 'cleared'") == 1)
        #expect(try bench.count("transaction") == 3)
    }

    @Test("case 17: a status nobody modelled is stored as it came, as unknown; the other 99 are not touched")
    func unknownStatus() async throws {
        var rows = PollerTests.purchases(100)
        rows[57] = .purchase("W57", rows[57].createdAt, status: "retry_scheduled")
        let bench = try PollingBench(rows)
        try await bench.poll(at: Self.night)
        #expect(try bench.count("transaction") == 100)
        #expect(
            try bench.count("transaction", "state = 'unknown' and money = 'unknown' and raw_status = 'retry_scheduled'")
                == 1)
        #expect(try bench.count("transaction", "state = 'settled'") == 99)
    }

    @Test("case 28, 38, 39: amounts reach numeric digit by digit; beyond the supported precision is quarantine")
    func exactAmounts() async throws {
        let amounts = [
            "3500000000000", "2147483648", "9999999999.99", "10000000000000000001e-18", "324.71",
            "0.000000000000000001",
            "115792089237316195423570985008687907853269984665640564039457584007913129639935",
        ]
        var rows = amounts.enumerated().map {
            FakeMeld.Row.purchase("A\($0.offset)", Self.created.adding(seconds: Int64($0.offset)), amount: $0.element)
        }
        rows.append(.purchase("BAD", Self.created, amount: "1e90"))
        let bench = try PollingBench(rows)
        let outcome = try await bench.poll(at: Self.night)
        #expect(outcome.counts.quarantined == 1)
        for (place, amount) in amounts.enumerated() {
            let same = try bench.count("transaction", "transaction_id = 'A\(place)' and charged = \(amount)::numeric")
            #expect(same == 1, "\(amount)")
        }
    }

    @Test("case 29: 12 000 rows of 49 columns in one group")
    func manyRows() async throws {
        let bench = try PollingBench(PollerTests.purchases(12_000))
        bench.settings.groupRows = 50_000
        try await bench.poll(at: Self.night)
        #expect(try bench.count("transaction") == 12_000)
    }

    @Test("case 57: finer digits, 0 against 0.00 against -0, absent against null are no difference")
    func sameContent() async throws {
        let bench = try PollingBench([.purchase("W1", Self.created, amount: "0", more: #","description":null"#)])
        try await bench.poll(at: Self.night)
        for (hour, amount) in [(1, "0.00"), (2, "-0"), (3, "0e5")] {
            bench.meld.set { $0.rows = [.purchase("W1", Self.created, amount: amount)] }
            let outcome = try await bench.poll(at: Self.night.adding(seconds: Int64(hour) * 3600))
            #expect(outcome.counts.rawOnly == 1)
            #expect(outcome.counts.changed == 0)
        }
        // Twin: a cent is a difference.
        bench.meld.set { $0.rows = [.purchase("W1", Self.created, amount: "0.01")] }
        #expect(try await bench.poll(at: Self.night.adding(seconds: 5 * 3600)).counts.changed == 1)
    }

    @Test("an older version that comes late goes straight to the history, once, and the current one stays")
    func olderVersion() async throws {
        let bench = try PollingBench([.purchase("W1", Self.created, updatedAt: Self.created.adding(seconds: 600))])
        try await bench.poll(at: Self.night)
        bench.meld.set { $0.rows = [.purchase("W1", Self.created, status: "PENDING")] }
        for hour in 1...2 { try await bench.poll(at: Self.night.adding(seconds: Int64(hour) * 3600)) }
        #expect(try bench.count("transaction", "raw_status = 'SETTLED'") == 1)
        #expect(try bench.count("transaction_history", "raw_status = 'PENDING' and superseded_at = observed_at") == 1)
    }

    @Test("the same pages in any order, any number of times, give the same tables", arguments: 0..<6)
    func anyOrder(seed: UInt64) throws {
        let bench = try PollingBench()
        let statuses = ["PENDING", "SETTLING", "SETTLED", "REFUNDED"]
        var rows: [FakeMeld.Row] = []
        for number in 0..<20 {
            for (step, status) in statuses.prefix(number % 4 + 1).enumerated() {
                let at = Self.created.adding(seconds: Int64(number))
                rows.append(
                    .purchase("W\(number)", at, status: status, updatedAt: at.adding(seconds: Int64(step) * 60)))
            }
        }
        let expected = try load(rows, on: bench, groups: 1)
        var random = SplitMix(state: seed)
        let other = try PollingBench()
        let shuffled = (rows + rows.shuffled(using: &random).prefix(30)).shuffled(using: &random)
        let facts = try load(shuffled, on: other, groups: Int(seed) + 1)
        #expect(facts == expected)
        #expect(facts.count == rows.count)
    }

    private func load(_ rows: [FakeMeld.Row], on bench: PollingBench, groups: Int) throws -> [String] {
        let mapping = try bench.handle().provider.payments.mapping
        let store = try TransactionStore(
            connection: bench.connection, context: bench.context(at: Self.night), source: "meld-live", mapping: mapping)
        let size = (rows.count + groups - 1) / groups
        for start in stride(from: 0, to: rows.count, by: size) {
            let group = try rows[start..<min(start + size, rows.count)].map { row in
                let text = "{\"id\":\"\(row.id)\",\"createdAt\":\"\(row.createdAt)\",\(row.members)}"
                let element = try JSONDocument(text).root
                return IncomingRow(
                    element: element, identity: mapping.identity(of: element), mapping: mapping,
                    requestStartedAt: Self.night, place: "test")
            }
            try store.commit(CommitGroup(rows: group))
        }
        return try bench.facts()
    }

    @Test("kept bytes lie in the pack where the version says, less personal data")
    func evidence() async throws {
        let bench = try PollingBench([
            .purchase("W1", Self.created, more: #","customer":{"id":"C1","email":"a@b.example"}"#)
        ])
        try await bench.poll(at: Self.night)
        let row = try bench.connection.query(
            "select body, evidence_offset, evidence_length from tieout.transaction join tieout.evidence using (account_id, source_id, run_id) where pack_no = evidence_pack"
        )[0]
        let body = try Zstd.decompress(try row.bytes("body"), limit: 1 << 20)
        let start = Int(try row.int("evidence_offset"))
        let kept = String(decoding: body[start..<start + Int(try row.int("evidence_length"))], as: UTF8.self)
        #expect(kept.contains("\"C1\""))
        #expect(!kept.contains("a@b.example"))
        #expect(try JSONDocument(kept).root["id"]?.string == "W1")
    }
}

/// A small generator, the same for a seed on every machine.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
