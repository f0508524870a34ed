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
        _ moment: String, zone: String, cutOff: Int = 0, days: Int = 1, previousStart: String? = nil
    ) throws -> [String] {
        let calendar = try BusinessCalendar(zone: zone, cutOffSeconds: cutOff)
        let window = try RunPeriod.of(
            #require(Timestamp(moment)), days: days, calendar: calendar,
            previousStart: previousStart.flatMap { Timestamp($0) }, settleLag: 900)
        return calendar.days(in: window)
    }

    @Test("a night speaks of the business day that is complete, and of the one in progress so far")
    func complete() throws {
        #expect(try days("2026-06-12T02:30:00Z", zone: "UTC") == ["2026-06-11", "2026-06-12"])
        #expect(try days("2026-06-12T02:30:00Z", zone: "UTC", days: 3).first == "2026-06-09")
        // 17:00 in New York is the cut-off: at 02:30Z the business day of the 12th has begun at 21:00Z of the 11th.
        #expect(
            try days("2026-06-12T02:30:00Z", zone: "America/New_York", cutOff: 17 * 3600)
                == ["2026-06-11", "2026-06-12"])
    }

    @Test("every moment lies in the period of a run that began after it, at whatever times runs begin")
    func everyMoment() throws {
        for (zone, cutOff) in [("UTC", 0), ("America/New_York", 17 * 3600), ("Europe/Vilnius", 0)] {
            let calendar = try BusinessCalendar(zone: zone, cutOffSeconds: cutOff)
            // Nights, missed nights, runs a few minutes after midnight and several in one day, over a clock change.
            let hours = [2.5, 26.5, 50.5, 146.5, 168.1, 192.1, 193, 194, 400.9, 430, 479.95, 503.9, 504.05, 700]
            let begin = try #require(Timestamp("2026-10-10T00:00:00Z"))
            let starts = hours.map { begin.adding(seconds: Int64($0 * 3600)) }
            var previous: Timestamp?
            var reached = starts[0]
            for start in starts {
                let period = try RunPeriod.of(
                    start, days: 1, calendar: calendar, previousStart: previous,
                    settleLag: 900)
                // What the run before may not have seen is in this one's period, and so is the whole day before.
                #expect(period.start <= reached, "\(zone) \(start)")
                #expect(try period.start <= calendar.start(of: calendar.day(calendar.day(of: start), adding: -1)))
                #expect(period.end > start)
                previous = start
                reached = start.adding(seconds: -900)
            }
        }
    }

    @Test("a night that the clock change lets happen twice is of the same business days, both times")
    func twice() throws {
        // Europe/Vilnius goes back from 04:00 to 03:00 on 2026-10-25: 03:30 comes at 00:30Z and at 01:30Z.
        let eve = ["2026-10-24", "2026-10-25"]
        #expect(try days("2026-10-25T00:30:00Z", zone: "Europe/Vilnius") == eve)
        #expect(try days("2026-10-25T01:30:00Z", zone: "Europe/Vilnius", previousStart: "2026-10-25T00:30:00Z") == eve)
        // America/New_York goes back from 02:00 to 01:00 on 2026-11-01: 01:30 comes at 05:30Z and at 06:30Z.
        #expect(try days("2026-11-01T05:30:00Z", zone: "America/New_York").last == "2026-11-01")
        #expect(try days("2026-11-01T06:30:00Z", zone: "America/New_York").last == "2026-11-01")
        // A cut-off in the afternoon ends their own date, one in the morning is still to end the date before.
        #expect(try days("2026-11-01T06:30:00Z", zone: "America/New_York", cutOff: 17 * 3600).last == "2026-11-01")
        #expect(try days("2026-11-01T06:30:00Z", zone: "America/New_York", cutOff: 9 * 3600).last == "2026-10-31")
    }

    @Test("a night that a clock change leaves out is covered by the next, and no hour is counted twice or lost")
    func never() throws {
        // America/New_York has no 02:30 on 2026-03-08; Europe/Vilnius has no 03:30 on 2026-03-29.
        #expect(
            try days("2026-03-09T06:30:00Z", zone: "America/New_York", previousStart: "2026-03-07T07:30:00Z")
                == ["2026-03-07", "2026-03-08", "2026-03-09"])
        let calendar = try BusinessCalendar(zone: "Europe/Vilnius")
        let window = try RunPeriod.of(
            #require(Timestamp("2026-03-30T00:30:00Z")), days: 1, calendar: calendar,
            previousStart: Timestamp("2026-03-28T01:30:00Z"), settleLag: 900)
        #expect(calendar.days(in: window) == ["2026-03-28", "2026-03-29", "2026-03-30"])
        // 24 hours, 23 and 24.
        #expect((window.end.microseconds - window.start.microseconds) / 3_600_000_000 == 71)
    }

    @Test("two runs on one day speak of the same days; a job of several days keeps them; a long gap has an end")
    func others() throws {
        let start = "2026-06-11T02:30:00Z"
        #expect(try days("2026-06-11T09:00:00Z", zone: "UTC", previousStart: start) == ["2026-06-10", "2026-06-11"])
        #expect(try days("2026-06-12T02:30:00Z", zone: "UTC", previousStart: start) == ["2026-06-11", "2026-06-12"])
        #expect(try days("2026-06-12T02:30:00Z", zone: "UTC", days: 3, previousStart: start).count == 4)
        let long = try days("2026-06-12T02:30:00Z", zone: "UTC", previousStart: "2020-01-01T00:00:00Z")
        #expect(long.count == RunPeriod.longest + 1 && long.last == "2026-06-12")
        // The cut-off was moved meanwhile: a period still begins with a business day.
        #expect(
            try days("2026-06-12T19:00:00Z", zone: "UTC", cutOff: 17 * 3600, previousStart: "2026-06-11T00:00:00Z")
                .first
                == "2026-06-11")
        // A run just after midnight may not have seen the last minutes of the day before.
        #expect(
            try days("2026-06-13T00:05:00Z", zone: "UTC", previousStart: "2026-06-12T00:05:00Z").first == "2026-06-11")
    }

    @Test("a missed night: the next run of the job covers its days too; a night that failed counts as missed")
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
        #expect(try period(1) == ["2026-06-10T00:00:00Z", "2026-06-12T00:00:00Z"])
        let third = await nights.night(3)
        #expect(third.status != .internalFailure, "\(third.errors)")
        #expect(try period(2) == ["2026-06-11T00:00:00Z", "2026-06-14T00:00:00Z"])
        let again = await nights.night(3, later: 3600)
        #expect(again.status != .internalFailure)
        #expect(try period(3) == ["2026-06-12T00:00:00Z", "2026-06-14T00:00:00Z"])
        try connection.execute("update tieout.run set state = 'failed' where run_id > 1")
        _ = await nights.night(3, later: 7200)
        #expect(try period(4) == ["2026-06-11T00:00:00Z", "2026-06-14T00:00:00Z"])
    }

    @Test("every transaction since the first night's period is in some night's transactions.csv")
    func everyTransaction() async throws {
        let nights = try SimulatedNights()
        var listed: Set<Substring> = []
        for number in 1...3 {
            try nights.arrive(number)
            let result = await nights.night(number)
            #expect(result.status != .internalFailure, "\(result.errors)")
            let day = nights.shape.night(number).description.prefix(10)
            let file = nights.path("reports/demo/nightly/\(day)/\(number)/transactions.csv")
            for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").dropFirst() {
                listed.insert(line.split(separator: ",", omittingEmptySubsequences: false)[2])
            }
        }
        let stored = try nights.database.connection().query(
            "select transaction_id from tieout.transaction where created_at >= '2026-06-10T00:00:00Z'")
        let missing = try stored.map { try $0.text("transaction_id") }.filter { !listed.contains(Substring($0)) }
        #expect(!stored.isEmpty && missing.isEmpty, "\(missing.count) of \(stored.count)")
    }
}
