import Payments
import Postgres

/// Which business days a run speaks of. They follow from its ledger time and from the account's zone and cut-off, never
/// from the schedule: a night that the clock change lets happen twice, or not at all, is a night like any other.
enum RunPeriod {
    /// Business days that a run looks back at most, however long none has come to its end.
    static let longest = 400

    /// The `days` business days that end with the one of `start`; longer where `previousEnd`, the end of the period of the
    /// last run of the job that came to its end, lies before them: what a missed night left out is made up for.
    static func of(
        _ start: Timestamp, days: Int, calendar: BusinessCalendar, previousEnd: Timestamp?
    ) throws -> Window {
        let day = calendar.day(of: start)
        var first = try calendar.start(of: calendar.day(day, adding: -(days - 1)))
        if let previousEnd, previousEnd < first {
            // Zone or cut-off may have changed since: a period begins with a business day.
            let since = try calendar.start(of: calendar.day(of: previousEnd))
            first = max(since, try calendar.start(of: calendar.day(day, adding: -(longest - 1))))
        }
        return Window(start: first, end: try calendar.end(of: day))
    }

    /// The end of the period of the last run of `job` before run `before` that came to its end; nil: there was none.
    static func previousEnd(account: Int64, job: String, before: Int64, on connection: Connection) throws -> Timestamp?
    {
        try connection.query(
            "select max(period_to) as period_to from tieout.run where account_id = $1 and job = $2 and run_id < $3 and state in ('done', 'incomplete')",
            [.int(account), .text(job), .int(before)]
        ).only().optionalTimestamp("period_to")
    }
}
