import Payments
import Postgres

/// Which business days a run speaks of. They follow from its ledger time and from the account's zone and cut-off, never
/// from the schedule: a night that the clock change lets happen twice, or not at all, is a night like any other.
///
/// A run sees the business day in progress unfinished, so that day belongs to the next run's period too: every moment
/// lies in the period of a run that began after it.
enum RunPeriod {
    /// Business days that a run looks back at most, however long none has come to its end.
    static let longest = 400
    /// The `days` complete business days before the one of `start`, and that one so far. It begins earlier where
    /// `previousStart`, the ledger time at which the last run of the job that came to its end began, lies before them: no
    /// later than the first business day that this run did not see to its end. So what a missed night left out is made up
    /// for. `settleLag`: seconds before its start in which a run may not have seen everything yet.
    static func of(
        _ start: Timestamp, days: Int, calendar: BusinessCalendar, previousStart: Timestamp?, settleLag: Int64
    ) throws -> Window {
        let day = calendar.day(of: start)
        var first = try calendar.start(of: calendar.day(day, adding: -days))
        if let previousStart {
            let unfinished = calendar.day(of: previousStart.adding(seconds: -settleLag))
            let since = max(
                try calendar.start(of: unfinished), try calendar.start(of: calendar.day(day, adding: -longest)))
            first = min(first, since)
        }
        return Window(start: first, end: try calendar.end(of: day))
    }

    /// When the last run of `job` before run `before` that came to its end began, in ledger time; nil: there was none.
    static func previousStart(
        account: Int64, job: String, before: Int64, on connection: Connection
    ) throws -> Timestamp? {
        try connection.query(
            "select max(ledger_time) as began from tieout.run where account_id = $1 and job = $2 and run_id < $3 and state in ('done', 'incomplete')",
            [.int(account), .text(job), .int(before)]
        ).only().optionalTimestamp("began")
    }
}

extension AccountConfiguration {
    /// The longest `settle_lag` of its sources that are polled, in seconds.
    var settleLag: Int64 { sources.filter { $0.life != .retired }.map(\.settleLagSeconds).max() ?? 0 }
}
