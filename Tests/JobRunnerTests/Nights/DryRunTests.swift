import Foundation
import JSON
import Loading
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite("A dry run", .serialized)
struct DryRunTests {
    private static let tables = [
        "account", "source", "run", "job_lock", "feed_state", "checkpoint", "loaded_file", "decoding", "quarantine",
    ]

    private func dry(_ nights: SimulatedNights, _ more: String...) async -> SimulatedNights.Result {
        await nights.tieout(["run", "nightly", "--dry-run", "--now", nights.moment(600)] + more)
    }

    private func files(_ nights: SimulatedNights) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: nights.folder).sorted()
    }

    @Test("before the first night: files, a first walk, where the report would go; nothing is written or asked")
    func first() async throws {
        let nights = try SimulatedNights(misbehaviour: Misbehaviour("401:times=0"))
        try nights.arrive(1)
        let before = try Self.tables.map(nights.contents)
        let files = try files(nights)
        let result = await dry(nights)
        #expect(result.status == .done, "\(result.errors)")
        for part in [
            "account demo", "2026-06-11", "night1.csv", "would be loaded", "backfill", "the beginning to now",
            "unknown (a first walk)", "reports/demo/nightly/2026-06-11/1",
        ] {
            #expect(result.output.contains(part), "\(part): \(result.output)")
        }
        #expect(try Self.tables.map(nights.contents) == before)
        #expect(try self.files(nights) == files)
    }

    @Test("after a night: the known files, the windows with their ends, and requests under the budget; as JSON too")
    func second() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        _ = await nights.night(1)
        let before = try Self.tables.map(nights.contents)
        let files = try files(nights)
        let result = await dry(nights)
        #expect(result.output.contains("known, skipped") && result.output.contains("incremental"), "\(result.output)")
        #expect(result.output.contains("a minute") && result.output.contains("nightly/2026-06-11/2"))
        let json = await dry(nights, "--json")
        let root = try JSONDocument(Array(json.output.utf8)).root
        let account = try #require(root["accounts"]?.elements.first { _ in true })
        let source = try #require(account["sources"]?.elements.first { _ in true })
        let window = try #require(source["windows"]?.elements.first { _ in true })
        #expect(root["exit"]?.numberText == "0" && account["refusals"].map { Array($0.elements).isEmpty } == true)
        #expect(window["walk"]?.string == "incremental" && window["from"]?.string != nil)
        #expect(source["requests"]?.numberText.flatMap { Int($0) } ?? 0 > 0)
        #expect(account["files"]?.elements.allSatisfy { $0["is_known"]?.boolValue == true } == true)
        #expect(try Self.tables.map(nights.contents) == before)
        #expect(try self.files(nights) == files)
    }

    @Test("what a job would refuse is said, with the status it would begin with: a held lock, a past moment")
    func refusals() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        _ = await nights.night(1)
        let past = await nights.tieout(["run", "nightly", "--dry-run", "--now", nights.moment()])
        #expect(past.status == .usage && past.output.contains("is not after"), "\(past.output)")
        try nights.database.connection().execute(
            "update tieout.job_lock set holder = '{\"host\": \"elsewhere\"}', expires_at = now() + interval '1 hour'")
        let held = await dry(nights)
        #expect(held.status == .tryLater && held.output.contains("elsewhere"), "\(held.output)")
    }

    @Test("missing migrations are counted and not applied; a database that does not answer is an error")
    func migrations() async throws {
        let nights = try SimulatedNights()
        let empty = try TestDatabase.empty()
        try nights.connect(by: empty.conninfo)
        let result = await dry(nights)
        #expect(result.status == .usage && result.output.contains("db migrate"), "\(result.output) \(result.errors)")
        #expect(
            try !empty.connection().query("select to_regnamespace('tieout') is not null as is_there").only()
                .bool("is_there"))
        try nights.connect(by: "host=/nonexistent")
        let gone = await dry(nights)
        #expect(gone.status == .internalFailure && gone.errors.contains("cannot be reached"))
    }

    @Test("a private cluster that does not run is not started, and not made")
    func privateCluster() async throws {
        let nights = try SimulatedNights()
        let file = nights.path("tieout.json5")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let state = nights.path("state")
        try text.replacing("database: {file: \"secrets/database\"}", with: "state_directory: \"\(state)\"")
            .write(toFile: file, atomically: true, encoding: .utf8)
        let result = await dry(nights)
        #expect(result.status == .done && result.output.contains("would be made"), "\(result.output) \(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: state))
    }
}
