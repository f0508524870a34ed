import Foundation
import Payments
import Testing

@Suite("Business days")
struct BusinessDayTests {
    private func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    @Test(
        "case 55: a day in Europe/Vilnius is half-open and knows no server zone",
        arguments: ["UTC", "America/Los_Angeles"])
    func vilnius(serverZone: String) throws {
        NSTimeZone.default = try #require(TimeZone(identifier: serverZone))
        defer { NSTimeZone.resetSystemTimeZone() }
        let calendar = try BusinessCalendar(zone: "Europe/Vilnius")
        let moments = [
            "2026-08-20T20:59:59Z", "2026-08-20T21:00:00Z", "2026-08-21T20:59:59.999Z", "2026-08-21T21:00:00Z",
        ]
        let days = try moments.map { calendar.day(of: try moment($0)) }
        #expect(days == ["2026-08-20", "2026-08-21", "2026-08-21", "2026-08-22"])
        let window = try calendar.window(of: "2026-08-21")
        #expect(window.description == "[2026-08-20T21:00:00Z, 2026-08-21T21:00:00Z)")
        #expect(try moments.map { window.contains(try moment($0)) } == [false, true, true, false])
    }

    @Test(
        "a day lasts 23 hours where the clocks go forward, and 25 where they go back",
        arguments: [
            ("Europe/Vilnius", "2026-03-29", 23), ("Europe/Vilnius", "2026-10-25", 25),
            ("Europe/Vilnius", "2026-08-21", 24),
            ("America/New_York", "2026-03-08", 23), ("America/New_York", "2026-11-01", 25), ("UTC", "2026-03-29", 24),
            ("Australia/Lord_Howe", "2026-04-05", 24), ("America/Sao_Paulo", "2018-11-04", 23),
            ("Atlantic/Azores", "2026-10-25", 25), ("Asia/Kolkata", "2026-03-29", 24),
        ])
    func lengths(zone: String, day: String, hours: Int64) throws {
        let calendar = try BusinessCalendar(zone: zone)
        let window = try calendar.window(of: day)
        let seconds = (window.end.microseconds - window.start.microseconds) / 1_000_000
        // Lord Howe moves by half an hour.
        #expect(seconds / 3600 == hours)
        #expect(calendar.day(of: window.start) == day)
        #expect(calendar.day(of: Timestamp(microseconds: window.end.microseconds - 1)) == day)
        #expect(calendar.day(of: window.end) == calendar.day(day, adding: 1))
        #expect(
            calendar.day(of: Timestamp(microseconds: window.start.microseconds - 1)) == calendar.day(day, adding: -1))
    }

    @Test("midnights that the clock jumps over or shows twice still begin one day each")
    func oddMidnights() throws {
        // 00:00 jumped to 01:00: the day began at that moment.
        #expect(
            try BusinessCalendar(zone: "America/Sao_Paulo").start(of: "2018-11-04").description
                == "2018-11-04T03:00:00Z")
        // 01:00 goes back to 00:00: the first midnight begins the day.
        #expect(
            try BusinessCalendar(zone: "Atlantic/Azores").start(of: "2026-10-25").description == "2026-10-25T00:00:00Z")
    }

    @Test("a cut-off stands on the wall clock, in summer and in winter")
    func cutOff() throws {
        let calendar = try BusinessCalendar(zone: "America/New_York", cutOffSeconds: 17 * 3600)
        #expect(try calendar.start(of: "2026-07-01").description == "2026-06-30T21:00:00Z")
        #expect(try calendar.start(of: "2026-12-01").description == "2026-11-30T22:00:00Z")
        #expect(try calendar.day(of: moment("2026-07-01T20:59:59.999999Z")) == "2026-07-01")
        #expect(try calendar.day(of: moment("2026-07-01T21:00:00Z")) == "2026-07-02")
        // Inside the hour that is jumped over, and inside the one shown twice.
        let early = try BusinessCalendar(zone: "America/New_York", cutOffSeconds: 2 * 3600 + 1800)
        #expect(try early.start(of: "2026-03-08").description == "2026-03-08T07:00:00Z")
        let late = try BusinessCalendar(zone: "America/New_York", cutOffSeconds: 3600 + 1800)
        #expect(try late.start(of: "2026-11-01").description == "2026-11-01T05:30:00Z")
        #expect(try late.day(of: moment("2026-11-01T06:10:00Z")) == "2026-11-01")
    }

    @Test(
        "a cut-off after noon ends the day of its own date, one at or before noon that of the date before",
        arguments: [
            (17 * 3600, "2026-11-03T10:00:00Z", "2026-11-03"), (17 * 3600, "2026-11-02T17:00:00Z", "2026-11-03"),
            (17 * 3600, "2026-11-03T17:00:00Z", "2026-11-04"), (2 * 3600, "2026-11-03T01:59:59Z", "2026-11-02"),
            (2 * 3600, "2026-11-03T02:00:00Z", "2026-11-03"), (12 * 3600, "2026-11-03T11:59:59Z", "2026-11-02"),
            (12 * 3600, "2026-11-03T12:00:00Z", "2026-11-03"), (12 * 3600 + 60, "2026-11-03T12:00:59Z", "2026-11-03"),
            (12 * 3600 + 60, "2026-11-03T12:01:00Z", "2026-11-04"), (0, "2026-11-03T00:00:00Z", "2026-11-03"),
        ])
    func whichDate(cutOff: Int, text: String, day: String) throws {
        let calendar = try BusinessCalendar(zone: "UTC", cutOffSeconds: cutOff)
        #expect(try calendar.day(of: moment(text)) == day)
        #expect(try calendar.window(of: day).contains(moment(text)))
    }

    @Test(
        "over a year every day begins where the one before ends, and holds both its edges",
        arguments: [
            "Europe/Vilnius", "America/New_York", "Africa/Cairo", "America/Havana", "Pacific/Apia", "Asia/Kathmandu",
        ])
    func seamless(zone: String) throws {
        for cutOff in [0, 90 * 60, 12 * 3600, 12 * 3600 + 1, 17 * 3600, 86_399] {
            let calendar = try BusinessCalendar(zone: zone, cutOffSeconds: cutOff)
            var day = "2026-01-01"
            for _ in 0..<366 {
                let window = try calendar.window(of: day)
                let next = calendar.day(day, adding: 1)
                #expect(try calendar.start(of: next) == window.end)
                #expect(calendar.day(of: window.start) == day)
                #expect(calendar.day(of: Timestamp(microseconds: window.end.microseconds - 1)) == day)
                day = next
            }
        }
    }

    @Test("dates count over months, leap days and years")
    func dates() throws {
        let calendar = try BusinessCalendar(zone: "UTC")
        #expect(calendar.day("2024-02-28", adding: 1) == "2024-02-29")
        #expect(calendar.day("2026-01-01", adding: -1) == "2025-12-31")
        #expect(calendar.day("2026-08-21", adding: 0) == "2026-08-21")
        let window = Window(start: try moment("2026-02-27T12:00:00Z"), end: try moment("2026-03-02T00:00:00Z"))
        #expect(calendar.days(in: window) == ["2026-02-27", "2026-02-28", "2026-03-01"])
        #expect(calendar.days(in: Window(start: window.start, end: window.start)) == [])
    }

    @Test("unknown zones, cut-offs outside a day and impossible dates are refused")
    func refused() throws {
        #expect(throws: BusinessCalendar.Fault.self) { try BusinessCalendar(zone: "Europe/Atlantis") }
        #expect(throws: BusinessCalendar.Fault.self) { try BusinessCalendar(zone: "UTC", cutOffSeconds: 86_400) }
        #expect(throws: BusinessCalendar.Fault.self) { try BusinessCalendar(zone: "UTC", cutOffSeconds: -1) }
        let calendar = try BusinessCalendar(zone: "UTC")
        for text in ["", "2026-02-30", "2026-8-21", "20260821", "2026-08-21T00:00:00Z"] {
            #expect(throws: BusinessCalendar.Fault.self) { try calendar.start(of: text) }
        }
    }

    @Test("windows: the end belongs to the next one")
    func windows() throws {
        let (a, b, c) = (Timestamp(seconds: 10), Timestamp(seconds: 20), Timestamp(seconds: 30))
        let first = Window(start: a, end: b)
        let second = Window(start: b, end: c)
        #expect(first.contains(a) && !first.contains(b) && second.contains(b))
        #expect(first.intersection(second) == nil)
        #expect(first.intersection(Window(start: Timestamp(seconds: 15), end: c))?.start == Timestamp(seconds: 15))
        #expect(Window(start: a, end: a).isEmpty)
    }
}
