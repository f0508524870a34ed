import Foundation
import Payments
import Postgres
import Sandbox
import TestSupport
import Testing

@testable import JobRunner

@Suite("The business days of a run")
struct RunPeriodTests {
    private func days(
        _ moment: String, zone: String, cutOff: Int = 0, days: Int = 1, previousEnd: String? = nil
    ) throws -> [String] {
        let calendar = try BusinessCalendar(zone: zone, cutOffSeconds: cutOff)
        let window = try RunPeriod.of(
            #require(Timestamp(moment)), days: days, calendar: calendar,
            previousEnd: previousEnd.flatMap { Timestamp($0) })
        return calendar.days(in: window)
    }

    @Test("a night that the clock change lets happen twice is one business day, both times")
    func twice() throws {
        // Europe/Vilnius goes back from 04:00 to 03:00 on 2026-10-25: 03:30 comes at 00:30Z and at 01:30Z.
        #expect(try days("2026-10-25T00:30:00Z", zone: "Europe/Vilnius") == ["2026-10-25"])
        #expect(try days("2026-10-25T01:30:00Z", zone: "Europe/Vilnius") == ["2026-10-25"])
        // America/New_York goes back from 02:00 to 01:00 on 2026-11-01: 01:30 comes at 05:30Z and at 06:30Z.
        #expect(try days("2026-11-01T05:30:00Z", zone: "America/New_York") == ["2026-11-01"])
        #expect(try days("2026-11-01T06:30:00Z", zone: "America/New_York") == ["2026-11-01"])
        // With a cut-off in the afternoon the same moments belong to the day before.
        #expect(try days("2026-11-01T06:30:00Z", zone: "America/New_York", cutOff: 17 * 3600) == ["2026-10-31"])
    }

    @Test("a night that a clock change leaves out is covered by the next, and no hour is counted twice or lost")
    func never() throws {
        // America/New_York has no 02:30 on 2026-03-08; Europe/Vilnius has no 03:30 on 2026-03-29.
        #expect(
            try days("2026-03-09T06:30:00Z", zone: "America/New_York", previousEnd: "2026-03-08T05:00:00Z")
                == ["2026-03-08", "2026-03-09"])
        let calendar = try BusinessCalendar(zone: "Europe/Vilnius")
        let window = try RunPeriod.of(
            #require(Timestamp("2026-03-30T00:30:00Z")), days: 1, calendar: calendar,
            previousEnd: Timestamp("2026-03-28T22:00:00Z"))
        #expect(calendar.days(in: window) == ["2026-03-29", "2026-03-30"])
        // 23 hours and 24.
        #expect((window.end.microseconds - window.start.microseconds) / 3_600_000_000 == 47)
    }

    @Test("two runs on one day speak of the same day; a job of several days keeps them; a long gap has an end")
    func others() throws {
        let end = "2026-06-12T00:00:00Z"
        #expect(try days("2026-06-11T02:30:00Z", zone: "UTC", previousEnd: end) == ["2026-06-11"])
        #expect(try days("2026-06-12T02:30:00Z", zone: "UTC", previousEnd: end) == ["2026-06-12"])
        #expect(try days("2026-06-12T02:30:00Z", zone: "UTC", days: 3, previousEnd: end).count == 3)
        let long = try days("2026-06-12T02:30:00Z", zone: "UTC", previousEnd: "2020-01-01T00:00:00Z")
        #expect(long.count == RunPeriod.longest && long.last == "2026-06-12")
        // The cut-off was moved meanwhile: a period still begins with a business day.
        #expect(
            try days("2026-06-12T19:00:00Z", zone: "UTC", cutOff: 17 * 3600, previousEnd: "2026-06-11T00:00:00Z").first
                == "2026-06-10")
    }

    @Test("a missed night: the next run of the job covers both days; a night that failed counts as missed")
    func missed() async throws {
        let nights = try SimulatedNights()
        try nights.arrive(1)
        _ = await nights.night(1)
        let connection = try nights.database.connection()
        func period(_ run: Int64) throws -> [String] {
            let row = try connection.query(
                "select period_from, period_to from tieout.run where run_id = $1", [.int(run)]
            ).only()
            return [try row.timestamp(0).wholeSeconds, try row.timestamp(1).wholeSeconds]
        }
        #expect(try period(1) == ["2026-06-11T00:00:00Z", "2026-06-12T00:00:00Z"])
        let third = await nights.night(3)
        #expect(third.status != .internalFailure, "\(third.errors)")
        #expect(try period(2) == ["2026-06-12T00:00:00Z", "2026-06-14T00:00:00Z"])
        let again = await nights.night(3, later: 3600)
        #expect(again.status != .internalFailure)
        #expect(try period(3) == ["2026-06-13T00:00:00Z", "2026-06-14T00:00:00Z"])
    }
}
