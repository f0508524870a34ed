import Payments
import Postgres
import TestSupport
import Testing

@testable import JobRunner

@Suite("Options that rows prove")
struct LearnedOptionsTests {
    private static func account(_ options: String = "") throws -> AccountConfiguration {
        let source =
            "{provider: \"stripe\", environment: \"sandbox\", api_key: {env: \"KEY\"}\(options)}"
        let text = "{accounts: {a: {sources: {\"stripe-sandbox\": \(source)}}}}"
        return try Configuration.read(
            text: text, file: "tieout.json5", directory: ".", environment: ["KEY": "sk_test_example"]
        ).accounts[0]
    }

    private static func store(_ id: String, flag: String, on connection: Connection) throws {
        try connection.execute(
            "insert into tieout.transaction (account_id, source_id, resource, transaction_id, run_id, observed_at, "
                + "request_started_at, version_time, state_rank, created_at, direction, raw_status, state, money, is_final, "
                + "flags, evidence_pack, evidence_offset, evidence_length, raw_hash, content_hash) values (1, "
                + "'stripe-sandbox', 'transaction', $1, 1, now(), now(), now(), 50, now(), 'in', 'x', 'x', 'none', false, "
                + "array[$2], 1, 0, 0, '', '')",
            [.text(id), .text(flag)])
    }

    @Test("what all rows agree upon is learnt; a contradiction, and what is configured, is not")
    func learnt() throws {
        let database = try TestDatabase.make()
        let connection = try database.connection()
        let sql = SQLLibrary(root: Checkout.root)
        func learnt(_ options: String = "") throws -> [String: [String: String]] {
            try LearnedOptions(try Self.account(options), on: connection, sql: sql).bySource
        }
        #expect(try learnt().isEmpty)
        try Self.store("cos_1", flag: "reading_open", on: connection)
        #expect(try learnt().isEmpty)
        try Self.store("cos_2", flag: "reading_fees_on_top", on: connection)
        #expect(try learnt() == ["stripe-sandbox": ["source_amount": "excludes_fees"]])
        #expect(try learnt(", options: {source_amount: \"includes_fees\"}").isEmpty)
        try Self.store("cos_3", flag: "reading_fees_included", on: connection)
        #expect(try learnt().isEmpty)
    }

    @Test("another reading has what is stored read again; the usual one, once proven, does not")
    func digests() throws {
        func reading(_ learned: LearnedOptions = LearnedOptions(), _ options: String = "") throws -> [UInt8] {
            try SourceSet(account: try Self.account(options), root: Checkout.root, learned: learned).all[0].reading
        }
        let usual = try reading()
        #expect(try reading(LearnedOptions(), ", options: {source_amount: \"includes_fees\"}") == usual)
        #expect(try reading(LearnedOptions(), ", options: {page_limit: \"7\"}") == usual)
        #expect(try reading(LearnedOptions(), ", options: {source_amount: \"excludes_fees\"}") != usual)
        #expect(try reading(LearnedOptions(), ", options: {order_key: \"order\"}") != usual)
        let database = try TestDatabase.make()
        let connection = try database.connection()
        try Self.store("cos_2", flag: "reading_fees_on_top", on: connection)
        let learned = try LearnedOptions(try Self.account(), on: connection, sql: SQLLibrary(root: Checkout.root))
        #expect(
            try reading(learned) == (try reading(LearnedOptions(), ", options: {source_amount: \"excludes_fees\"}")))
    }
}
