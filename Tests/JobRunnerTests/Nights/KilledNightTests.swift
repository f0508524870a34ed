import Foundation
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

/// The program itself, ended without warning at named moments of its night. `make chaos` does the same at random ones.
@Suite("Nights that are killed", .serialized)
struct KilledNightTests {
    private static let facts = [
        "select transaction_id, raw_status, content_hash from tieout.transaction",
        "select transaction_id, content_hash from tieout.transaction_history",
        "select order_id, content_hash from tieout.book_order",
        "select event_key, raw_status from tieout.webhook_event",
        // What was fetched has the time of the run that fetched it.
        "select event_key, case when not is_fetched then received_at end from tieout.webhook_delivery",
        "select rule, subject, state, severity, difference, at_risk, primary_break_id from tieout.break",
        "select rule, subject, event, state_to from tieout.break_event",
        "select record_id, reason, state from tieout.quarantine",
        "select source_id, line_id, content_hash from tieout.settlement_line",
        "select source_id, payout_id, content_hash from tieout.payout",
        "select source_id, record, record_id, file_name from tieout.settlement_listing",
        "select source_id, resource, watermark is null, backfill_complete from tieout.resource_state",
        "select source_id, feed, records from tieout.feed_state",
    ]

    /// Facts of which the two do not hold the same rows, with the first rows of either side alone; empty where they agree.
    private static func differences(_ nights: SimulatedNights, _ calm: SimulatedNights) throws -> [String] {
        func rows(_ nights: SimulatedNights, _ sql: String) throws -> [String] {
            try nights.database.connection().query("select t::text from (\(sql)) as t order by 1").map {
                try $0.text(0)
            }
        }
        return try facts.compactMap { sql in
            let (mine, its) = (try rows(nights, sql), try rows(calm, sql))
            if mine == its { return nil }
            let (more, less) = (Set(mine).subtracting(its).sorted(), Set(its).subtracting(mine).sorted())
            return "\(sql): \(mine.count) rows for \(its.count); more \(more.prefix(3)), less \(less.prefix(3))"
        }
    }

    /// Runs night 1 as a process of its own and kills it when its log first shows `word`; its exit status, over 128 where
    /// a signal ended it.
    private static func run(_ nights: SimulatedNights, later: Int64, killAt word: String?) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Checkout.root + "/.build/debug/tieout")
        let now = nights.shape.night(1).adding(seconds: later).description
        process.arguments = [
            "--config", nights.path("tieout.json5"), "--root", Checkout.root, "run", "nightly", "--now", now,
        ]
        let log = Pipe()
        process.standardError = log
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        var text = ""
        while true {
            let part = log.fileHandleForReading.availableData
            if part.isEmpty { break }
            text += String(decoding: part, as: UTF8.self)
            if let word, text.contains(word) { kill(process.processIdentifier, SIGKILL) }
        }
        process.waitUntilExit()
        return process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
    }

    @Test("case 22, case 32: a night killed five times ends with every row, delivery, break and audit line once")
    func killed() async throws {
        let calm = try SimulatedNights()
        try calm.arrive(1)
        _ = await calm.night(1)
        let nights = try SimulatedNights(misbehaviour: try Misbehaviour("drip:bytes=65536:ms=20:times=0"))
        try nights.arrive(1)
        var exits: [Int32] = []
        let moments = ["run started", "file loaded", "walk finished", "source polled", "run finished"]
        for (number, word) in moments.enumerated() {
            exits.append(try Self.run(nights, later: Int64(number), killAt: word))
        }
        #expect(exits.prefix(3).allSatisfy { $0 == 128 + SIGKILL }, "\(exits)")
        let last = try Self.run(nights, later: 60, killAt: nil)
        #expect([0, 3, 5].contains(last), "\(last)")
        #expect(try Self.differences(nights, calm) == [])
        #expect(try await nights.disagreement(1) == [])
        let verified = await nights.tieout(["breaks", "verify"])
        #expect(verified.status == .done)
        #expect(try nights.count("checkpoint") == 0)
        // Twin: a night that nobody kills holds the same already.
        #expect(try await calm.disagreement(1) == [])
    }

    @Test("case 22, case 32: so does a killed night over all providers; once more, it changes nothing")
    func everyProvider() async throws {
        func nights() throws -> SimulatedNights {
            try SimulatedNights(transactions: 60, providers: WorldPlan.allProviders)
        }
        let calm = try nights()
        try calm.arrive(1)
        let status = await calm.night(1).status
        #expect([.breaks, .quarantined].contains(status))
        let killed = try nights()
        try killed.arrive(1)
        var exits: [Int32] = []
        // In the files, in the lists of one provider while others are under way, between poll and rules, in the report.
        for (number, word) in ["file loaded", "walk finished", "source polled", "run finished"].enumerated() {
            exits.append(try Self.run(killed, later: Int64(number), killAt: word))
        }
        #expect(exits.prefix(3).allSatisfy { $0 == 128 + SIGKILL }, "\(exits)")
        for later in [60, 120] {
            let last = try Self.run(killed, later: Int64(later), killAt: nil)
            #expect([0, 3, 5].contains(last), "\(last)")
            let differences = try Self.differences(killed, calm)
            #expect(differences == [])
        }
        let vanished = try calm.count("vanished")
        #expect(vanished == 0)
        #expect(try killed.count("checkpoint") == 0)
        #expect(await killed.tieout(["breaks", "verify"]).status == .done)
    }
}
