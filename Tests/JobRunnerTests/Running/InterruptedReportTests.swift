import Foundation
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite("Reports that are cut short", .serialized, .timeLimit(.minutes(4)))
struct InterruptedReportTests {
    /// A copy of what Tieout is installed as, one of whose reports reads a table that the test can lock.
    private func installation(_ nights: SimulatedNights) throws -> String {
        let files = FileManager.default
        let root = nights.path("installation")
        try files.createDirectory(atPath: root, withIntermediateDirectories: true)
        for name in ["SQL", "Jobs"] {
            try files.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: "\(Checkout.root)/\(name)")
        }
        try files.copyItem(atPath: "\(Checkout.root)/Reports", toPath: "\(root)/Reports")
        let path = "\(root)/Reports/transactions/query.sql"
        let query = try String(contentsOfFile: path, encoding: .utf8)
        try "select q.*\nfrom (\n\(query)\n) as q\ncross join (select count(*) from public.gate) as g (gates)\n"
            .write(toFile: path, atomically: true, encoding: .utf8)
        try nights.database.connection().script("create table public.gate (id int)")
        return root
    }

    private func reports(_ nights: SimulatedNights) throws -> (latest: String?, published: [String], hidden: [String]) {
        let files = FileManager.default
        let job = nights.path("reports/demo/nightly")
        let entries = try files.contentsOfDirectory(atPath: job).sorted()
        let days = entries.filter { !$0.hasPrefix(".") && $0 != "latest" }
        return (
            try? files.destinationOfSymbolicLink(atPath: job + "/latest"),
            try days.flatMap { day in try files.contentsOfDirectory(atPath: "\(job)/\(day)").map { "\(day)/\($0)" } },
            entries.filter { $0.hasPrefix(".") }
        )
    }

    /// Every file that the manifest of the newest report names is there, with its bytes.
    private func isWhole(_ nights: SimulatedNights) async throws -> Bool {
        let folder = nights.path("reports/demo/nightly/latest")
        let manifest = try #require(
            try JSONSerialization.jsonObject(
                with: Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json"))) as? [String: Any])
        let listed = try #require(manifest["files"] as? [[String: Any]])
        return !listed.isEmpty
            && listed.allSatisfy { file in
                let name = file["name"] as? String ?? "?"
                let size = FileManager.default.contents(atPath: "\(folder)/\(name)")?.count
                return size == file["bytes"] as? Int
            }
    }

    @Test(
        "a signal or a sudden death while a report is written: the old one stands, whole; the next run's takes its place"
    )
    func publishing() async throws {
        for number in [SIGTERM, SIGKILL] {
            let nights = try SimulatedNights(transactions: 60)
            try nights.arrive(1)
            _ = await nights.night(1)
            let old = try reports(nights)
            #expect(old.latest?.hasSuffix("/1") == true && old.published.count == 1 && old.hidden.isEmpty)
            nights.root = try installation(nights)
            let blocker = try nights.database.connection()
            try blocker.execute("begin")
            try blocker.execute("lock table public.gate in access exclusive mode")
            let night = try TieoutProcess.night(nights, later: 60)
            let watcher = try nights.database.connection()
            try TieoutProcess.wait("the report") {
                try watcher.query(
                    "select exists (select from pg_locks where not granted and relation = 'public.gate'::regclass) as waits"
                ).only().bool("waits")
            }
            night.signal(number)
            #expect(try night.status() == (number == SIGKILL ? 128 + SIGKILL : 75), "\(night.log)")
            try blocker.execute("rollback")
            let cut = try reports(nights)
            #expect(cut.latest == old.latest && cut.published == old.published, "\(cut)")
            // Who is killed leaves a folder that nobody takes for a report.
            #expect(cut.hidden == (number == SIGKILL ? [".publish-2"] : []))
            #expect(try await isWhole(nights))
            // The books of that run are closed all the same, and its report can be made later.
            let made = await nights.tieout(["report", "2"])
            #expect(made.status == .done, "\(made.errors)")
            let next = await nights.night(1, later: 120)
            #expect([.done, .breaks, .quarantined].contains(next.status), "\(next.errors)")
            let new = try reports(nights)
            #expect(new.latest?.hasSuffix("/3") == true && new.published.count == 3 && new.hidden.isEmpty, "\(new)")
            #expect(try await isWhole(nights))
        }
    }
}
