import Foundation
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite("A changed status map", .serialized)
struct RedecodeNightTests {
    /// SQL, Reports and Jobs, with a status map that knows one status more.
    private func changedRoot(_ nights: SimulatedNights) throws -> String {
        let root = nights.path("root")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Checkout.root + "/SQL", toPath: root + "/SQL")
        for folder in ["Reports", "Jobs"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(root)/\(folder)", withDestinationPath: "\(Checkout.root)/\(folder)")
        }
        let map = root + "/SQL/reference/status_map/meld.csv"
        let text = try String(contentsOfFile: map, encoding: .utf8)
        let status = try #require(
            try nights.database.connection().query(
                "select raw_status from tieout.transaction where state = 'unknown' limit 1"
            ).first { _ in true }?.text(0))
        let lines = text.split(separator: "\n", maxSplits: 1)
        try "\(lines[0])\n\(status),,,,,pending,10,no,none,,,,,none,a test\n\(lines[1])".write(
            toFile: map, atomically: true, encoding: .utf8)
        return root
    }

    @Test("what it newly knows is read from the kept bytes, heals its breaks, and leaves past reports as they were")
    func night() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        _ = await nights.night(1)
        let states = ["--rule", "unknown_value", "--json"]
        let before = await nights.tieout(["breaks", "list"] + states)
        #expect(before.output.contains("unknown_value"))
        nights.root = try changedRoot(nights)
        let asked = await nights.tieout([
            "run", "nightly", "--now", nights.shape.night(1).adding(seconds: 600).description,
        ])
        #expect(asked.errors.contains("decoded again"), "\(asked.errors)")
        let after = await nights.tieout(["breaks", "list"] + states)
        #expect(after.output == "[\n]\n" || after.output == "[]\n", "\(after.output)")
        let summary = try nights.database.connection().query(
            "select summary #>> '{redecoded,meld-sandbox,changed}' as changed, state from tieout.run where run_id = 2"
        ).only()
        #expect(try summary.optionalText("changed") != nil && summary.text("state") == "done")

        // A report of the first night, made again, is what it was.
        let again = await nights.tieout(["report", "1", "--output", nights.path("again")])
        #expect(again.status == .done, "\(again.errors)")
        for name in ["breaks.csv", "transactions.csv", "control-totals.csv", "index.html"] {
            let one = FileManager.default.contents(atPath: nights.path("reports/demo/nightly/2026-06-11/1/\(name)"))
            let two = FileManager.default.contents(atPath: nights.path("again/demo/nightly/2026-06-11/1/\(name)"))
            #expect(one != nil && one == two, "\(name)")
        }

        let quiet = await nights.tieout([
            "run", "nightly", "--now", nights.shape.night(1).adding(seconds: 1200).description,
        ])
        #expect(!quiet.errors.contains("decoded again") && !quiet.errors.contains("decoding again"))
    }
}
