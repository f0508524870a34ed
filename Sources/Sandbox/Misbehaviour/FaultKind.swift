/// What can go wrong on purpose, by the name it has in a specification.
package enum FaultKind: String, Sendable, Hashable, CaseIterable {
    // Instead of data.
    case tooMany = "429"
    case serverError = "5xx"
    case unauthorized = "401"
    case forbidden = "403"
    case redirect
    // On the way.
    case stall
    case drip
    case cut
    case hangUp = "hangup"
    case oversized
    case malformed
    case html
    case contentType = "content-type"
    case skew
    // In the list.
    case expired
    case empty
    case short
    case repeatedCursor = "repeat"
    case loop
    case offset
    case bare
    case total
    case outside
    case stranger
    case duplicate
    case bad
    case badType = "bad-type"
    case badStatus = "bad-status"
    case badField = "bad-field"
    case silent
    // In the world while it is walked.
    case insert
    case delete
    case late

    /// What it does to an answer, which decides what it can be combined with.
    package enum Effect: Sendable, Hashable {
        /// An answer without data takes the request from every other fault.
        case status
        /// Only one fault at a time disturbs how an answer travels.
        case delivery
        case content
        /// Rows are hidden for a while.
        case world
    }

    package var effect: Effect {
        switch self {
        case .tooMany, .serverError, .unauthorized, .forbidden, .redirect, .expired: .status
        case .stall, .drip, .cut, .hangUp, .oversized, .malformed, .html: .delivery
        case .contentType, .skew, .empty, .short, .repeatedCursor, .loop, .offset, .bare, .total, .outside, .stranger,
            .duplicate, .bad, .badType, .badStatus, .badField, .silent:
            .content
        case .insert, .delete, .late: .world
        }
    }

    /// Whether it changes a row by its marks: of a page, or with `on=one` the record that a single read answers.
    var spoilsRows: Bool { [.stranger, .bad, .badType, .badStatus, .badField].contains(self) }

    /// Which requests it is about unless `on` says otherwise.
    var scope: Fault.Scope {
        switch self {
        case .tooMany, .serverError, .unauthorized, .forbidden, .contentType, .skew: .all
        default: .list
        }
    }

    /// How many requests it hits unless `times` says otherwise; 0: all of them.
    var times: Int {
        switch self {
        case .tooMany, .serverError, .loop: 3
        case .redirect, .stall, .cut, .hangUp, .oversized, .malformed, .html, .expired, .empty, .repeatedCursor: 1
        case .drip: 3
        default: 0
        }
    }

    /// Whether it makes sense for a request that names a position only.
    var needsCursor: Bool { [.expired, .repeatedCursor, .loop].contains(self) }

    /// Knobs beside those that all have, each with what it is set to unless told otherwise.
    var knobs: [String: String] {
        switch self {
        case .tooMany: ["retry-after": "1", "ahead": "2"]
        case .serverError: ["status": "mixed"]
        case .redirect: ["status": "302"]
        case .stall: ["seconds": "600"]
        case .drip: ["bytes": "512", "ms": "20"]
        case .oversized: ["megabytes": "70"]
        case .skew: ["seconds": "3600"]
        case .empty: ["lie": "no"]
        case .total: ["off": "7"]
        case .short: ["rows": "7"]
        case .outside, .stranger, .duplicate, .bad, .badType, .badStatus, .badField, .insert, .delete, .late:
            ["rows": "2"]
        default: [:]
        }
    }

    /// One line of help.
    var help: String {
        switch self {
        case .tooMany:
            "429; retry-after=SECONDS, date (so many seconds as `ahead` says), garbage or none"
        case .serverError: "500, 502, 503 and 504 by turns, or status=N; the 500 is a page of HTML"
        case .unauthorized: "the key is refused"
        case .forbidden: "the key may not read this"
        case .redirect: "a redirect to another host; status=N"
        case .stall: "headers and half of the body, then silence for seconds=N"
        case .drip: "the body comes in pieces of bytes=N every ms=N"
        case .cut: "the whole length is announced, half of the body sent"
        case .hangUp: "the connection closes before a byte is sent"
        case .oversized: "megabytes=N of blanks behind the body"
        case .malformed: "half of the JSON, under its own right length"
        case .html: "a page of HTML with status 200"
        case .contentType: "the right body under the name text/plain"
        case .skew: "the server's clock is seconds=N ahead (or -N behind): Date, dates in Retry-After, errors"
        case .expired: "cursors are refused with 400"
        case .empty: "an empty page; with lie=yes it also says that nothing follows"
        case .short: "pages of rows=N, less than asked for"
        case .repeatedCursor: "new rows, but under the cursor that was sent"
        case .loop: "the first page again, whatever cursor was sent"
        case .offset: "cursors are row numbers: what is added or removed above shifts the pages"
        case .bare: "a bare array, without any count"
        case .total: "the counts promise off=N rows more than there are"
        case .outside: "rows=N that lie outside the window asked for, on each page"
        case .stranger: "rows=N of another account on each page; with on=one the record says so of itself"
        case .duplicate: "rows=N of each page twice"
        case .bad: "rows=N of each page (with on=one: the record) with an amount that is no number"
        case .badType: "rows=N of each page (with on=one: the record) whose amount has turned into an object"
        case .badStatus: "rows=N of each page (with on=one: the record) with a status that nobody knows"
        case .badField: "rows=N of each page (with on=one: the record) with a member that nobody knows"
        case .silent: "an empty list, as if there had never been a row"
        case .insert: "the newest rows=N appear only behind page `after`"
        case .delete: "rows=N of the first page vanish behind page `after`, for `times` requests (0: for good)"
        case .late: "rows=N appear only when the simulated clock is set again"
        }
    }
}
