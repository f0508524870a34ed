import Foundation
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite("What check and quiet say", .serialized)
struct StandingTests {
    @Test("check names what waits: jobs that did not run, another reading, unknown fields, quarantine")
    func check() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        _ = await nights.night(1)
        let connection = try nights.database.connection()
        let well = await nights.tieout(["check"])
        #expect(
            well.output.contains("ok    job nightly of demo: last came to its end")
                || well.output.contains("ok   job nightly of demo: last came to its end"), "\(well.output)")
        #expect(well.output.contains("quarantine of demo: 1 records wait"))
        #expect(!well.output.contains("has changed") && !well.output.contains("a.newcomer"))
        #expect(!well.output.contains("pooler"))

        try connection.execute("update tieout.run set finished_at = finished_at - interval '3 days'")
        try connection.execute("update tieout.decoding set digest = '\\x01'")
        try connection.execute(
            "insert into tieout.unknown_field values (1, 'meld-sandbox', 'transaction', 'a.newcomer', 1, now(), 12)")
        let ill = await nights.tieout(["check"])
        #expect(ill.status == .usage)
        #expect(
            ill.output.contains("WRONG job nightly of demo") && ill.output.contains("72 hours ago"), "\(ill.output)")
        #expect(ill.output.contains("status map or mapping has changed"))
        #expect(ill.output.contains("fields that nobody modelled: a.newcomer (12 rows)"))
        let sources = await nights.tieout(["sources", "--json"])
        #expect(sources.output.contains("\"unknown fields\": \"2\""), "\(sources.output)")
    }

    @Test("check sees a pooler", .enabled(if: Pooler.program != nil, "pgbouncer is not installed"))
    func pooler() async throws {
        let pooler = try Pooler()
        let nights = try SimulatedNights()
        try nights.connect(by: pooler.conninfo(nights.database.name))
        let checked = await nights.tieout(["check"])
        #expect(checked.output.contains("pooler: there is one"), "\(checked.output)")
    }

    @Test("quiet: nothing at all where all is well; else warnings, and a last line with the status")
    func quiet() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        func run(_ later: Int64, _ more: String...) async -> SimulatedNights.Result {
            await nights.tieout(["run", "nightly", "--quiet", "--now", nights.moment(later)] + more)
        }
        let first = await run(0)
        let last = first.errors.split(separator: "\n").last ?? ""
        #expect(first.status != .done && last.contains("run finished") && last.contains("status="), "\(first.errors)")
        #expect(first.output.isEmpty && !first.errors.contains(" info "))
        let well = await run(600, "--fail-on", "none")
        #expect(well.status == .done && well.output.isEmpty && well.errors.isEmpty, "\(well.errors)")
    }
}
