import Foundation
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite("Signals and sudden ends", .serialized, .timeLimit(.minutes(4)))
struct InterruptionTests {
    private func nights(_ trouble: String = "") throws -> SimulatedNights {
        let nights = try SimulatedNights(
            misbehaviour: trouble.isEmpty ? Misbehaviour() : Misbehaviour(trouble))
        try nights.arrive(1)
        return nights
    }

    private func state(_ nights: SimulatedNights, _ run: Int64 = 1) throws -> String {
        try nights.database.connection().query(
            "select concat_ws(' ', state, exit_status) as state from tieout.run where run_id = $1", [.int(run)]
        ).only().text("state")
    }

    private func isFree(_ nights: SimulatedNights) throws -> Bool {
        try nights.database.connection().query("select expires_at <= now() as is_free from tieout.job_lock").only()
            .bool("is_free")
    }

    /// The next run finishes, and finds the truth.
    private func expectFinished(_ nights: SimulatedNights, later: Int64 = 600) async throws {
        let next = await nights.night(1, later: later)
        #expect([.breaks, .quarantined].contains(next.status), "\(next.errors)")
        #expect(try await nights.disagreement(1) == [])
    }

    /// Waits until a connection of the program waits for a lock of the test's.
    private func waitUntilBlocked(_ nights: SimulatedNights) throws {
        let watcher = try nights.database.connection()
        try TieoutProcess.wait("a blocked statement") {
            try watcher.query(
                "select exists (select from pg_stat_activity where datname = current_database() and application_name like 'tieout%' and wait_event_type = 'Lock' and application_name <> 'tieout-test') as is_blocked"
            ).only().bool("is_blocked")
        }
    }

    @Test("SIGTERM and SIGINT during a stalled answer or a wait: exit 75, the lock is free, the next run finishes")
    func signals() async throws {
        for (number, trouble) in [(SIGTERM, "stall:times=0"), (SIGINT, "429:times=0:retry-after=100")] {
            let nights = try nights(trouble)
            let night = try TieoutProcess.night(nights)
            try night.wait(for: trouble.hasPrefix("429") ? "request again" : "file loaded")
            if trouble.hasPrefix("stall") { try TieoutProcess.wait("orders") { try nights.count("webhook_event") > 0 } }
            night.signal(number)
            #expect(try night.status() == 75, "\(night.log)")
            #expect(night.log.contains("asked to end"))
            #expect(try state(nights) == "interrupted 75")
            #expect(try isFree(nights))
        }
    }

    @Test(
        "SIGTERM while a statement of the load, the poll or the judging waits: it is cancelled, nothing is half done")
    func blockedStatement() async throws {
        for table in ["tieout.book_order", "tieout.checkpoint", "tieout.break_chain"] {
            let nights = try nights()
            let blocker = try nights.database.connection()
            try blocker.execute("begin")
            try blocker.execute("lock table \(table) in access exclusive mode")
            let night = try TieoutProcess.night(nights)
            try waitUntilBlocked(nights)
            night.signal(SIGTERM)
            #expect(try night.status() == 75, "\(table): \(night.log)")
            try blocker.execute("rollback")
            #expect(try state(nights) == "interrupted 75")
            #expect(try isFree(nights))
            #expect(!FileManager.default.fileExists(atPath: nights.path("reports/demo/nightly/latest")))
            try await expectFinished(nights)
        }
    }

    @Test("a second signal ends at once, and so does a sudden death: the next run takes the lock over and finishes")
    func suddenEnd() async throws {
        for numbers in [[SIGTERM, SIGTERM], [SIGKILL]] {
            let nights = try nights()
            let blocker = try nights.database.connection()
            try blocker.execute("begin")
            try blocker.execute("lock table tieout.break_chain in access exclusive mode")
            let night = try TieoutProcess.night(nights)
            try waitUntilBlocked(nights)
            night.signal(numbers[0])
            if numbers.count > 1 {
                // Two of a kind at once would be one.
                try night.wait(for: "asked to end")
                night.signal(numbers[1])
            }
            #expect(try night.status() == (numbers == [SIGKILL] ? 128 + SIGKILL : 75), "\(night.log)")
            try blocker.execute("rollback")
            // Nobody gave the lock back, and nobody waits for its lease.
            #expect(try !isFree(nights))
            try await expectFinished(nights)
            #expect(try state(nights).hasPrefix("interrupted"))
        }
    }

    @Test("closed streams and a reader that goes away are no error, and nothing is written where they were")
    func streams() async throws {
        let nights = try nights()
        let closed = try TieoutProcess.night(nights, shell: "exec \"$@\" 0<&- 1>&- 2>&-")
        let status = try closed.status()
        #expect(status == 3 || status == 5)
        #expect(closed.log.isEmpty && closed.printed.isEmpty)
        #expect(try await nights.disagreement(1) == [])
        let gone = try TieoutProcess(nights, ["breaks", "list", "--state", "all"], shell: "\"$@\" | true")
        #expect(try gone.status() == 0, "\(gone.log)")
        let full = try TieoutProcess(nights, ["breaks", "list", "--state", "all"], shell: "exec \"$@\" > /dev/full")
        #expect(try full.status() == 1 && full.log.contains("could not be written"), "\(full.log)")
    }

    @Test("sessions that the server ends: exit 75 with a clear word wherever it happens, and the next run finishes")
    func terminated() async throws {
        for table in ["tieout.transaction", "tieout.break_chain"] {
            let nights = try nights()
            let blocker = try nights.database.connection()
            try blocker.execute("begin")
            try blocker.execute("lock table \(table) in access exclusive mode")
            let night = try TieoutProcess.night(nights)
            try waitUntilBlocked(nights)
            try blocker.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'tieout%' and application_name <> 'tieout-test'"
            )
            try blocker.execute("rollback")
            #expect(try night.status() == 75, "\(table): \(night.log)")
            #expect(night.log.contains("PostgreSQL") && night.log.contains("lost"), "\(night.log)")
            #expect(try state(nights) == "interrupted 75")
            #expect(try isFree(nights))
            try await expectFinished(nights)
        }
    }
}
