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
        "select event_key, received_at from tieout.webhook_delivery",
        "select rule, subject, state, severity, difference, at_risk, primary_break_id from tieout.break",
        "select rule, subject, event, state_to from tieout.break_event",
        "select record_id, reason, state from tieout.quarantine",
    ]

    private static func contents(_ nights: SimulatedNights) throws -> [String] {
        let connection = try nights.database.connection()
        return try facts.map { sql in
            try connection.query(
                "select coalesce(md5(string_agg(t::text, E'\\n' order by t::text collate \"C\")), '') from (\(sql)) as t"
            ).only().text(0)
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
        #expect(try Self.contents(nights) == Self.contents(calm))
        #expect(try await nights.disagreement(1) == [])
        let verified = await nights.tieout(["breaks", "verify"])
        #expect(verified.status == .done)
        #expect(try nights.count("checkpoint") == 0)
        // Twin: a night that nobody kills holds the same already.
        #expect(try await calm.disagreement(1) == [])
    }
}
