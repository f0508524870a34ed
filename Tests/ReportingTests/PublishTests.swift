import Crypto
import Foundation
import Postgres
import Testing

@testable import Reporting

@Suite struct PublishTests {
    @Test("publishing again finds the same bytes and changes nothing")
    func identical() throws {
        let sample = try Sample()
        try sample.addBreak(subject: "order:1")
        let first = try sample.publish()
        let second = try sample.publish()
        #expect(!first.wasPublished)
        #expect(second.wasPublished)
        #expect(first.files == second.files)
        #expect(first.manifestDigest == second.manifestDigest)
    }

    @Test("publishing again is refused where the bytes would differ, and nothing is left lying about")
    func refused() throws {
        let sample = try Sample()
        let first = try sample.publish()
        try sample.addBreak(subject: "order:1")
        #expect(throws: ReportingError.differs(path: first.path, file: "aging.csv")) { try sample.publish() }
        let job = "\(sample.output)/acme/nightly"
        #expect(try FileManager.default.contentsOfDirectory(atPath: job).sorted() == ["2026-08-21", "latest"])
        #expect(csvRows(try sample.text(first, "breaks.csv")).isEmpty)
    }

    @Test(
        "how long a reading took changes no byte, what it found does",
        arguments: [
            ("{\"pages\": 99, \"unchanged\": 7, \"retries\": 3, \"waited_ms\": 21000}", true),
            ("{\"vanished\": 1}", false),
        ])
    func work(counters: String, isSame: Bool) throws {
        let files = try ["{}", counters].map { counted in
            let sample = try Sample()
            try sample.connection.execute(
                "update tieout.feed_state set counters = counters || '{\"new\": 5}' || $1::jsonb", [.text(counted)])
            return try sample.text(sample.publish(), "freshness.csv")
        }
        #expect(files[0].contains("\"\"new\"\": 5"))
        #expect((files[0] == files[1]) == isSame)
    }

    @Test("a report made after later runs says what the first one said, byte for byte")
    func asOf() throws {
        let sample = try Sample()
        try sample.addBreak(subject: "order:1", run: 1)
        try sample.connection.execute("delete from tieout.run where run_id = 2")
        let first = try sample.publish(run: 1)
        try sample.connection.execute(Sample.sql("next_run"))
        let kept = try first.files.map { try sample.text(first, $0.name) }
        try sample.addBreak(subject: "order:2", run: 2)
        try sample.connection.execute("update tieout.feed_state set records = 99, watermark = '2026-08-25T00:00:00Z'")
        let again = try sample.publish(run: 1)
        #expect(again.wasPublished)
        #expect(try again.files.map { try sample.text(again, $0.name) } == kept)
        let later = try sample.publish(run: 2)
        #expect(csvColumn(try sample.text(later, "breaks.csv"), "subject") == ["order:1", "order:2"])
    }

    @Test("the same facts under another run id differ in the run blocks only")
    func deterministic() throws {
        let sample = try Sample()
        try sample.addBreak(subject: "order:1", run: 1)
        let first = try sample.publish()
        let other = try Sample()
        try other.connection.execute("update tieout.run set run_id = 7, host = 'host-b' where run_id = 2")
        try other.addBreak(subject: "order:1", run: 1)
        let second = try other.publish(run: 7)
        for file in first.files where file.name != "summary.json" {
            #expect(try sample.text(first, file.name) == other.text(second, file.name), "\(file.name)")
        }
        #expect(try sample.text(first, "summary.json") != other.text(second, "summary.json"))
    }

    @Test("files are 0640 and folders 0750, whatever the umask, and nothing but the run appears")
    func modes() throws {
        let sample = try Sample()
        let report = try sample.publish()
        let manager = FileManager.default
        for file in report.files.map(\.name) + ["manifest.json"] {
            let mode = try manager.attributesOfItem(atPath: "\(report.path)/\(file)")[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o640)
        }
        let mode = try manager.attributesOfItem(atPath: report.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o750)
        #expect(try manager.destinationOfSymbolicLink(atPath: "\(sample.output)/acme/nightly/latest") == "2026-08-21/2")
    }

    @Test("what a dead publish left is removed; the older run does not take the link back")
    func leftovers() throws {
        let sample = try Sample()
        let job = "\(sample.output)/acme/nightly"
        try FileManager.default.createDirectory(atPath: "\(job)/.publish-1/x", withIntermediateDirectories: true)
        _ = try sample.publish(run: 2)
        _ = try sample.publish(run: 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: job).sorted()
        #expect(names == ["2026-08-20", "2026-08-21", "latest"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(job)/latest") == "2026-08-21/2")
    }

    @Test("a second publish at the same time is told to come later")
    func busy() throws {
        let sample = try Sample()
        let held = try PublishDirectory(output: sample.output, account: "acme", job: "nightly")
        #expect(throws: ReportingError.busy(path: held.job)) { try sample.publish() }
    }

    @Test("the manifest lists every file with its digest, and the head of the audit trail")
    func manifest() throws {
        let sample = try Sample()
        try sample.addBreak(subject: "order:1")
        let report = try sample.publish()
        let text = try sample.text(report, "manifest.json")
        for file in report.files {
            let bytes = try Data(contentsOf: URL(filePath: "\(report.path)/\(file.name)"))
            #expect(Hex.encode(Digest.sha256(Array(bytes))) == file.sha256)
            #expect(bytes.count == file.bytes)
            #expect(text.contains(file.sha256))
        }
        let onDisk = try FileManager.default.contentsOfDirectory(atPath: report.path)
        #expect(Set(onDisk) == Set(report.files.map(\.name) + ["manifest.json"]))
        #expect(text.contains("\"seq\" : 1"))
    }

    @Test("a run that does not exist is said so", arguments: [3, 99])
    func missing(run: Int64) throws {
        let sample = try Sample()
        #expect(throws: ReportingError.noRun(account: 1, run: run)) { try sample.publish(run: run) }
    }

    @Test(
        "a name becomes one folder",
        arguments: [
            ("acme", "acme"), ("Lattice Payments", "Lattice-Payments-1"), ("../etc", "_..-etc-1"), ("", "_-1"),
            ("Ž", "--1"),
        ])
    func folders(name: String, folder: String) {
        #expect(folderName(name, id: 1) == folder)
    }
}
