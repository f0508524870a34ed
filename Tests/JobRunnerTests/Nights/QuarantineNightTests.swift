import Foundation
import Loading
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite("Quarantine on the command line", .serialized)
struct QuarantineNightTests {
    private func night() async throws -> (SimulatedNights, String) {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        _ = await nights.night(1)
        let listed = await nights.tieout(["quarantine", "list", "--format", "csv"])
        let row = try #require(listed.output.split(separator: "\r\n").dropFirst().first)
        return (nights, try #require(row.split(separator: ",").first.map(String.init)))
    }

    private func moment(_ nights: SimulatedNights, _ minutes: Int64) -> String {
        nights.shape.night(1).adding(seconds: minutes * 60).description
    }

    @Test("a record still unreadable stays and ends with exit 5; readable by the provider's word it leaves, once")
    func retry() async throws {
        let (nights, id) = try await night()
        let kept = await nights.tieout(["quarantine", "retry", id, "--now", moment(nights, 10), "--json"])
        #expect(kept.status == .quarantined && kept.output.contains("\"kept\""), "\(kept.output) \(kept.errors)")
        // The kept text as a release that reads fees as objects would see it: simulated by making it readable.
        try nights.database.connection().execute(
            "update tieout.quarantine set raw = regexp_replace(raw, '\"(\\w*[fF]ee\\w*)\":\\{[^}]*\\}', '\"\\1\":1', 'g')"
        )
        let done = await nights.tieout(["quarantine", "retry", "--now", moment(nights, 20)])
        #expect(done.status == .done && done.output.contains("taken in"), "\(done.output) \(done.errors)")
        let again = await nights.tieout(["quarantine", "retry", id, "--now", moment(nights, 30)])
        #expect(again.status == .done && again.output.contains("taken in"), "\(again.output) \(again.errors)")
        let nothing = await nights.tieout(["quarantine", "retry", "--now", moment(nights, 40)])
        #expect(nothing.status == .done && nothing.output == "quarantine: nothing to try again\n")
        let shown = await nights.tieout(["quarantine", "show", id])
        #expect(shown.output.contains("retried") && shown.output.contains("cleared"), "\(shown.output)")
        let drop = await nights.tieout(["quarantine", "drop", id, "--reason", "late"])
        #expect(drop.status == .usage && drop.errors.contains("nothing to drop"), "\(drop.errors)")
    }

    @Test("an id that nobody knows, beside one that is known, changes nothing and is exit 2")
    func unknown() async throws {
        let (nights, id) = try await night()
        for command in [["retry", id, "Q000000000000"], ["drop", id, "Q000000000000", "--reason", "x"]] {
            let result = await nights.tieout(["quarantine"] + command + ["--now", moment(nights, 10)])
            #expect(result.status == .usage && result.errors.contains("Q000000000000"), "\(result.errors)")
        }
        #expect(try nights.count("quarantine_event") == 0)
        #expect(try nights.count("run") == 1)
    }

    @Test("dropped twice is dropped once, with the first reason; a dropped record is not tried again")
    func dropped() async throws {
        let (nights, id) = try await night()
        _ = await nights.tieout(["quarantine", "drop", id, "--reason", "a test row"])
        let twice = await nights.tieout(["quarantine", "drop", id, "--reason", "another"])
        #expect(twice.status == .done && twice.output.contains("dropped already"), "\(twice.output)")
        #expect(twice.output.contains("a test row") && !twice.output.contains("another"))
        #expect(try nights.count("quarantine_event") == 1)
        let retried = await nights.tieout(["quarantine", "retry", id, "--now", moment(nights, 10)])
        #expect(retried.status == .usage && retried.errors.contains("dropped"), "\(retried.errors)")
    }

    @Test("while a job holds the lock a retry says to try later and touches nothing; a drop needs no lock")
    func locked() async throws {
        let (nights, id) = try await night()
        let connection = try nights.database.connection()
        try connection.execute(
            "update tieout.job_lock set holder = '{\"host\": \"elsewhere\"}', expires_at = now() + interval '1 hour'")
        let result = await nights.tieout(["quarantine", "retry", "--now", moment(nights, 10)])
        #expect(result.status == .tryLater && result.errors.contains("elsewhere"), "\(result.errors)")
        #expect(try nights.count("run") == 1 && nights.count("quarantine_event") == 0)
        let drop = await nights.tieout(["quarantine", "drop", id, "--reason", "x"])
        #expect(drop.status == .done, "\(drop.errors)")
    }

    @Test("rows that a killed run set aside are new to the run that comes to its end, and to that one only")
    func killed() async throws {
        let (nights, _) = try await night()
        // As if the first night had been killed behind its last load.
        try nights.database.connection().execute("update tieout.run set state = 'running', finished_at = null")
        let next = await nights.tieout(["run", "nightly", "--fail-on", "none", "--now", moment(nights, 10)])
        #expect(next.status == .quarantined && next.errors.contains("newly quarantined"), "\(next.errors)")
        let after = await nights.tieout(["run", "nightly", "--fail-on", "none", "--now", moment(nights, 20)])
        #expect(after.status == .done, "\(after.errors)")
    }
}
