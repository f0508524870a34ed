import Foundation
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite("Nights of troubled sources", .serialized)
struct SourceNightTests {
    @Test(
        "case 67: three sources, the second answers 401: two are done, its breaks are carried, the report says since when"
    )
    func threeSources() async throws {
        let nights = try ThreeSources()
        try nights.arrive(1)
        let first = await nights.night(1)
        #expect(first.status != .incomplete, "\(first.errors)")
        let before = try nights.text(
            "select count(*)::text from tieout.transaction group by source_id order by source_id")
        #expect(before.count == 3)

        try nights.setKey(1, "wrong:key")
        try nights.arrive(2)
        let second = await nights.night(2)
        #expect(second.status == .incomplete, "\(second.errors)")
        #expect(!second.errors.contains("wrong:key"))
        let polled = try nights.text(
            "select source_id || ' ' || (failing_since is null) from tieout.feed_state where feed = 'provider' order by 1"
        )
        #expect(polled == ["meld-sandbox true", "meld-three true", "meld-two false"])
        let after = try nights.text(
            "select count(*)::text from tieout.transaction group by source_id order by source_id")
        // By name: meld-sandbox, meld-three, meld-two.
        #expect(after[0] != before[0] && after[1] != before[1] && after[2] == before[2])

        let since = nights.shapes[1].night(1).adding(seconds: -900)
        let marked = try nights.text(
            "select distinct coalesce(tieout.moment(incomplete_since), 'whole') from tieout.break where source_id = 'meld-two' and state = 'open' and rule in ('duplicate_charge', 'paid_unsettled')"
        )
        #expect(marked == [String(since.microseconds)])
        let others = try nights.text(
            "select count(*)::text from tieout.break where source_id <> 'meld-two' and state = 'open' and incomplete_since is not null"
        )
        #expect(others == ["0"])
        let healed = try nights.text(
            "select count(*)::text from tieout.break where source_id = 'meld-two' and state <> 'open'")
        #expect(healed == ["0"])

        let summary = try nights.report("summary.json")
        #expect(summary.contains("\"incomplete_since\" : \"2026-06-11T02:15:00Z\"") && summary.contains("status 401"))
        #expect(summary.contains("\"complete\" : false") && summary.contains("\"exit_status\" : 4"))
        let page = try nights.report("index.html")
        let place = try #require(page.range(of: "failing since"))
        let line = page[place.lowerBound...].prefix(300)
        #expect(
            page.contains("meld-two") && line.contains("2026-06-11 02:15") && line.contains("status 401"), "\(line)")
        #expect(try nights.report("freshness.csv").contains("2026-06-11T02:15:00Z"))

        // A day later it is older than it may be: both reasons are said, and the source is a break of its own.
        try nights.arrive(3)
        let third = await nights.night(3)
        #expect(third.status == .incomplete)
        #expect(try nights.text("select subject from tieout.break where rule = 'source_stale'") == ["source:meld-two"])
        let why = try nights.text(
            "select incomplete_why from tieout.feed_state where source_id = 'meld-two' and feed = 'provider'")
        #expect(why[0].contains("older than it may be; ") && why[0].contains("status 401"))

        // The right key: whole again, nothing is marked any more.
        try nights.setKey(1, nights.rightKey(1))
        let fourth = await nights.night(3, later: 60)
        #expect(fourth.status != .incomplete, "\(fourth.errors)")
        #expect(
            try nights.text("select count(*)::text from tieout.break where incomplete_since is not null") == ["0"])
        #expect(try nights.text("select state from tieout.break where rule = 'source_stale'") == ["resolved"])
    }

    @Test(
        "case 11: a key of another account shows an empty list: never a plain success, and the source is called silent")
    func otherAccount() async throws {
        let nights = try ThreeSources()
        try nights.arrive(1)
        _ = await nights.night(1)
        try nights.arrive(2)
        // The provider answers, and knows nothing of what it showed yesterday.
        nights.setClock(1, Timestamp(seconds: 0))
        let second = await nights.night(2)
        #expect(second.status == .incomplete, "\(second.errors)")
        #expect(second.errors.contains("vanished") && second.errors.contains("is it the right key?"))
        let watermark = try nights.text(
            "select tieout.moment(watermark) from tieout.feed_state where source_id = 'meld-two' and feed = 'provider'")
        #expect(watermark == [String(nights.shapes[1].night(1).adding(seconds: -900).microseconds)])
        // Two days without a row are longer than any pause before.
        try nights.arrive(3)
        nights.setClock(1, Timestamp(seconds: 0))
        let third = await nights.night(3)
        #expect(third.status == .incomplete && third.errors.contains("source silent"))
        let silent = try nights.text("select subject || ' ' || state from tieout.break where rule = 'source_silent'")
        #expect(silent == ["source:meld-two open"])
        // Twin: the right account again, and nothing is silent.
        nights.setClock(1, nights.shapes[1].night(3))
        let again = await nights.night(3, later: 60, "--strict")
        #expect(again.status != .incomplete, "\(again.errors)")
        #expect(try nights.text("select state from tieout.break where rule = 'source_silent'") == ["resolved"])
    }

    @Test("a quiet provider is exit 4 under --strict alone, and an acknowledged pause is not")
    func strict() async throws {
        let nights = try ThreeSources()
        try nights.arrive(1)
        _ = await nights.night(1)
        // Two days of files without anything new at any provider.
        for night in 2...3 { try nights.arrive(night) }
        for place in 0..<3 { nights.setClock(place, nights.shapes[place].night(1)) }
        let plain = await nights.night(3, later: 0, "--fail-on", "none")
        #expect(plain.status == .done, "\(plain.errors)")
        #expect(try nights.report("summary.json").contains("\"silent\""))
        let strict = await nights.night(3, later: 60, "--fail-on", "none", "--strict")
        #expect(strict.status == .incomplete, "\(strict.errors)")
        try nights.database.connection().execute(
            "update tieout.break set state = 'acknowledged' where rule = 'source_silent'")
        let known = await nights.night(3, later: 120, "--fail-on", "none", "--strict")
        #expect(known.status == .done, "\(known.errors)")
    }

    @Test(
        "a wrong webhook secret: one break of the source, no event called missing; with the right one all is as planted"
    )
    func wrongSecret() async throws {
        let nights = try SimulatedNights()
        let right = try String(contentsOfFile: nights.path("secrets/webhook-secret"), encoding: .utf8)
        let workspace = Sandbox.Workspace(directory: nights.folder)
        try workspace.write("secrets/webhook-secret", Array("not the one".utf8), isSecret: true)
        try nights.arrive(1)
        let first = await nights.night(1)
        #expect(first.status == .incomplete && first.errors.contains("more than 5 % of the events are not valid"))
        let found = try nights.database.connection().query(
            "select rule || ' ' || subject as found from tieout.break where rule like 'webhook%'"
        ).map { try $0.text("found") }
        #expect(found == ["webhook_unverified source:meld-sandbox"])
        // A run later without new events it stands, and still nothing is missing that may have come.
        _ = await nights.night(1, later: 60)
        let still = try nights.database.connection().query(
            "select count(*) as breaks from tieout.break where rule like 'webhook%' and state = 'open'")
        #expect(try still.only().int("breaks") == 1)

        try workspace.write("secrets/webhook-secret", Array(right.utf8), isSecret: true)
        let second = await nights.night(1, later: 120)
        #expect(second.status != .incomplete, "\(second.errors)")
        let closed = try nights.database.connection().query(
            "select state from tieout.break where subject = 'source:meld-sandbox' and rule = 'webhook_unverified'")
        #expect(try closed.only().text("state") == "resolved")
        // What stands now is the truth, the forged ones among it; what the lack of proof had raised has healed.
        let left = try await nights.disagreement(1).filter { !$0.hasPrefix("unexpected") || !$0.contains(" healed ") }
        #expect(left.isEmpty, "\(left.joined(separator: "; "))")
    }
}
