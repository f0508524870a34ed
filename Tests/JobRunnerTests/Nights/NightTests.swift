import Foundation
import Loading
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite("Whole nights", .serialized)
struct NightTests {
    private static let facts = [
        "transaction", "transaction_history", "book_order", "book_order_history", "webhook_event", "webhook_delivery",
        "evidence", "break", "break_event", "payment_member", "control_total", "control_total_history",
    ]

    /// Every planted break is found after night `number`, and nothing else; what differs is said.
    static func expectTruth(_ nights: SimulatedNights, _ number: Int) async throws {
        let found = try await nights.disagreement(number)
        #expect(found.isEmpty, "night \(number): \(found.joined(separator: "; "))")
    }

    @Test("two nights find the truth and nothing else; the same night once more changes no fact, break or audit row")
    func truth() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        let first = await nights.night(1)
        #expect([.breaks, .quarantined].contains(first.status), "\(first.errors)")
        try await Self.expectTruth(nights, 1)
        try nights.arrive(2)
        let second = await nights.night(2)
        #expect(second.status == .breaks, "\(second.errors)")
        try await Self.expectTruth(nights, 2)

        let before = try Self.facts.map(nights.contents)
        let again = await nights.night(2, later: 60)
        #expect(again.status == .breaks)
        #expect(try Self.facts.map(nights.contents) == before)

        let verified = await nights.tieout(["breaks", "verify"])
        #expect(verified.status == .done && verified.output.contains("whole"))
    }

    @Test("a report made again has the same bytes, but for the manifest and the run block")
    func report() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        _ = await nights.night(1)
        let published = nights.path("reports/demo/nightly/2026-06-11/1")
        let names = try FileManager.default.contentsOfDirectory(atPath: published).sorted()
        #expect(
            Set(names).isSuperset(of: [
                "index.html", "breaks.csv", "control-totals.csv", "freshness.csv", "expired-sessions.csv",
                "transactions.csv", "summary.json", "manifest.json",
            ]))
        let again = await nights.tieout(["report", "1", "--output", nights.path("again")])
        #expect(again.status == .done, "\(again.errors)")
        let copy = nights.path("again/demo/nightly/2026-06-11/1")
        for name in names where name != "manifest.json" {
            let one = FileManager.default.contents(atPath: "\(published)/\(name)")
            #expect(one != nil && one == FileManager.default.contents(atPath: "\(copy)/\(name)"), "\(name)")
        }
        let whole = await nights.tieout(["report", "--all"])
        let all = nights.path("reports/demo/nightly-all/2026-06-11/1")
        #expect(whole.status == .done && whole.output == all + "/index.html\n", "\(whole.errors)")
        func rows(_ folder: String) throws -> Int64 {
            let text = try String(contentsOfFile: folder + "/transactions.csv", encoding: .utf8)
            return Int64(text.count { $0 == "\n" } - 1)
        }
        let stored = try nights.count("transaction")
        #expect(try rows(all) == stored && rows(published) < stored)
        #expect(try FileManager.default.contentsOfDirectory(atPath: published).sorted() == names)
    }

    @Test(
        "totals that do not tie out are a condition of their own, exit 3, whatever --fail-on says; else there is none")
    func unexplained() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        _ = await nights.night(1)
        func again(_ later: Int64) async throws -> (SimulatedNights.Result, String) {
            let moment = nights.shape.night(1).adding(seconds: later).description
            let result = await nights.tieout(["run", "nightly", "--fail-on", "none", "--now", moment])
            let latest = nights.path("reports/demo/nightly/latest/summary.json")
            return (result, try String(contentsOfFile: latest, encoding: .utf8))
        }
        let (calm, told) = try await again(60)
        #expect(calm.status == .done && told.contains("\"ties_out\" : true"), "\(calm.errors)")
        #expect(told.contains("\"conditions\" : [\n\n  ]"))
        // Of a day that no news touches.
        try nights.database.connection().execute(
            "insert into tieout.control_total (account_id, pair, source_id, business_day, direction, currency, bucket, run_id, observed_at, a_count, a_sum, b_count, b_sum, classes, unexplained_count, unexplained_sum) values (1, 'settlement-payout', 'meld-sandbox', '2026-05-01', 'in', 'EUR', 'taken', 1, '2026-06-11T00:00:00Z', 1, 99, 1, 100, '{}', 0, -1)"
        )
        let (result, summary) = try await again(120)
        #expect(result.status == .unexplained && result.status.rawValue == 3, "\(result.errors)")
        #expect(result.errors.contains("totals do not tie out") && result.errors.contains("unexplained=-1"))
        #expect(summary.contains("\"ties_out\" : false") && summary.contains("\"exit_status\" : 3"))
        #expect(summary.contains("\"conditions\" : [\n    \"unexplained\"\n  ]"))
    }

    @Test("an order of the provider to wait, failures and a cut body cost time, not rows")
    func misbehaviour() async throws {
        let trouble = try Misbehaviour("5xx:every=3:times=0:status=500,cut:after=1")
        let nights = try SimulatedNights(misbehaviour: trouble)
        let calm = try SimulatedNights()
        try nights.arrive(1)
        try calm.arrive(1)
        let result = await nights.night(1)
        #expect(result.errors.contains("request again"))
        _ = await calm.night(1)
        #expect(try nights.count("transaction") == calm.count("transaction"))
        #expect(try await nights.disagreement(1) == [])
    }

    @Test("case 1: a night stopped after its first page goes on below it, and the watermark waits for the end")
    func stopped() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        let stop = StopFlag()
        stop.request()
        let stopped = await nights.night(1, stop: stop)
        #expect(stopped.status == .tryLater)
        let goesOn = await nights.night(1, later: 60)
        #expect([.breaks, .quarantined].contains(goesOn.status), "\(goesOn.errors)")
        #expect(try await nights.disagreement(1) == [])
    }

    @Test("refused credentials end with exit 4, are never tried again, and the report says since when")
    func refusedCredentials() async throws {
        let nights = try SimulatedNights(apiKey: "wrong:key")
        try nights.arrive(1)
        let result = await nights.night(1)
        #expect(result.status == .incomplete, "\(result.errors)")
        #expect(!result.errors.contains("request again"))
        #expect(!result.errors.contains("wrong:key"))
        let sources = await nights.tieout(["sources"])
        #expect(sources.output.contains("401"), "\(sources.output)")
        let checked = await nights.tieout(["check"])
        #expect(checked.status == .usage && checked.output.contains("credentials are refused"), "\(checked.output)")
    }

    @Test("ledger time only goes forward")
    func ledgerTime() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        _ = await nights.night(1)
        let same = await nights.night(1)
        #expect(same.status == .usage && same.errors.contains("is not after"), "\(same.errors)")
        let earlier = await nights.night(1, later: -1)
        #expect(earlier.status == .usage)
        #expect(try nights.count("run") == 1)
    }

    @Test("a night that meets another's lock touches nothing and says to try later")
    func locked() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        let connection = try nights.database.connection()
        try connection.execute("insert into tieout.account (account_id, name) values (1, 'demo')")
        let other = LockHolder(bootID: "other", processNamespace: "p", process: 1, startTicks: "1", host: "elsewhere")
        try connection.execute(
            "insert into tieout.job_lock (account_id, fence, holder, expires_at) values (1, 1, $1, now() + interval '1 hour')",
            [.json(other.json)])
        let result = await nights.night(1)
        #expect(result.status == .tryLater && result.errors.contains("elsewhere"), "\(result.errors)")
        #expect(try nights.count("run") == 0)
    }

    @Test("a break is shown with its facts, acknowledged once, and stays acknowledged the next night")
    func acknowledged() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        _ = await nights.night(1)
        let listed = await nights.tieout(["breaks", "list", "--rule", "duplicate_charge", "--format", "csv"])
        let row = try #require(listed.output.split(separator: "\r\n").dropFirst().first)
        let id = try #require(row.split(separator: ",").first.map(String.init))
        let shown = await nights.tieout(["breaks", "show", id])
        #expect(shown.status == .done && shown.output.contains("against"), "\(shown.output)")
        let silent = await nights.tieout(["breaks", "ack", id])
        #expect(silent.status == .usage)
        let moment = nights.shape.night(1).adding(seconds: 3600).description
        let done = await nights.tieout(["breaks", "ack", id, "--reason", "two tickets", "--now", moment])
        #expect(done.status == .done, "\(done.errors)")
        try nights.arrive(2)
        _ = await nights.night(2)
        let after = await nights.tieout(["breaks", "show", id])
        #expect(after.output.contains("acknowledged") && after.output.contains("two tickets"), "\(after.output)")
    }

    @Test("a quarantined record is listed with its reason and place, and can be given up")
    func quarantine() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        let result = await nights.night(1)
        let listed = await nights.tieout(["quarantine", "list", "--format", "csv"])
        let rows = listed.output.split(separator: "\r\n").dropFirst()
        #expect(rows.count == 1 && listed.output.contains("type_changed"), "\(listed.output) \(result.errors)")
        let id = try #require(rows.first?.split(separator: ",").first.map(String.init))
        let silent = await nights.tieout(["quarantine", "drop", id])
        #expect(silent.status == .usage && silent.errors.contains("--reason"), "\(silent.errors)")
        let dropped = await nights.tieout(["quarantine", "drop", id, "--reason", "known at the provider"])
        #expect(dropped.status == .done, "\(dropped.errors)")
        let empty = await nights.tieout(["quarantine", "list"])
        #expect(empty.output == "quarantine: nothing is there\n")
    }
}
