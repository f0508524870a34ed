import HTTP
import Payments
import Postgres
import Providers
import TestSupport
import Testing

@testable import Loading

/// A provider without any list: what is to be read follows from the book, from events and from what records name.
@Suite("Enumeration of a source without a list")
struct EnumerationTests {
    private let morning = EnumerationBench.night.adding(seconds: -7200)

    @Test("an order names its payment, the payment its refund, and both are read in the same run")
    func orders() async throws {
        let bench = try EnumerationBench()
        try bench.order("A-1")
        bench.dlocal.payment("T-1", order: "A-1", created: morning, members: #","refunds":[{"id":"REF-1"}]"#)
        bench.dlocal.set {
            $0.objects["refunds/REF-1"] =
                #"{"id":"REF-1","payment_id":"T-1","amount":4,"amount_refunded":4,"currency":"BRL","status":"SUCCESS","status_code":200,"created_date":"2026-08-10T01:00:00.000+0000"}"#
        }
        let outcome = try await bench.poll(night: 0)
        #expect(outcome.ending == .complete)
        #expect(outcome.backfillComplete)
        #expect(outcome.watermark == EnumerationBench.night.adding(seconds: -900))
        #expect(bench.dlocal.takeAsked() == ["orders/A-1", "payments/T-1", "refunds/REF-1"])
        #expect(
            try bench.rows("resource, transaction_id, money, returned, parent_id")
                == ["refund REF-1 returned 4 T-1", "transaction T-1 taken"])

        // All of it is final now, and nothing new names anything.
        let again = try await bench.poll(night: 1)
        #expect(again.ending == .complete)
        #expect(bench.dlocal.takeAsked() == [])
    }

    @Test("what is not final is read again each night, by its id, until it is")
    func open() async throws {
        let bench = try EnumerationBench()
        try bench.order("A-1")
        bench.dlocal.payment("T-1", "AUTHORIZED", code: "600", order: "A-1", created: morning)
        try await bench.poll(night: 0)
        #expect(bench.dlocal.takeAsked() == ["orders/A-1", "payments/T-1"])
        try await bench.poll(night: 1)
        #expect(bench.dlocal.takeAsked() == ["payments/T-1"])
        bench.dlocal.payment("T-1", "CANCELLED", code: "400", order: "A-1", created: morning)
        let third = try await bench.poll(night: 2)
        #expect(third.counts.changed == 1)
        bench.dlocal.set { $0.asked = [] }
        try await bench.poll(night: 3)
        #expect(bench.dlocal.takeAsked() == [])
    }

    @Test("orders that the provider does not know, or that have no payment yet, leave the poll complete")
    func unknownOrders() async throws {
        let bench = try EnumerationBench()
        try bench.order("GONE")
        try bench.order("BARE")
        bench.dlocal.set { $0.objects["orders/BARE"] = #"{"order_id":"BARE","payment_id":null,"status":"PENDING"}"# }
        let outcome = try await bench.poll(night: 0)
        #expect(outcome.ending == .complete)
        #expect(outcome.vanished == [] && outcome.unknownIDs == [])
        #expect(try bench.rows("transaction_id") == [])
    }

    @Test("an order that names a payment the provider does not know has an unknown payment, not a vanished one")
    func unknownPayment() async throws {
        let bench = try EnumerationBench()
        try bench.order("A-1")
        bench.dlocal.set { $0.objects["orders/A-1"] = #"{"order_id":"A-1","payment_id":"T-1"}"# }
        let outcome = try await bench.poll(night: 0)
        #expect(outcome.ending == .complete)
        #expect(outcome.unknownIDs == ["T-1"])
        #expect(outcome.vanished == [])
    }

    @Test("orders that nobody pays are asked for less and less, those the book calls paid each night, old ones once")
    func budget() async throws {
        let bench = try EnumerationBench()
        try bench.order("OPEN", status: "open")
        try bench.order("PAID", status: "paid")
        try bench.order("OLD", status: "paid", daysAgo: 60)
        var asked: [String: Int] = [:]
        for night in 0...40 {
            try await bench.poll(night: night)
            for path in bench.dlocal.takeAsked() { asked[path, default: 0] += 1 }
        }
        #expect(asked == ["orders/OPEN": 11, "orders/PAID": 30, "orders/OLD": 1])
    }

    @Test("an old order is asked for again when the book says something new of it")
    func changedOrder() async throws {
        let bench = try EnumerationBench()
        try bench.order("OLD", status: "expired", daysAgo: 60)
        try await bench.poll(night: 0)
        _ = bench.dlocal.takeAsked()
        try bench.connection.execute(
            "update tieout.book_order set observed_at = $1",
            [.timestamp(EnumerationBench.night.adding(seconds: 86_000))])
        try await bench.poll(night: 1)
        #expect(bench.dlocal.takeAsked() == ["orders/OLD"])
        try await bench.poll(night: 2)
        #expect(bench.dlocal.takeAsked() == [])
    }

    @Test("an open payment without money is read daily for a month, then once a week, and no more beyond half a year")
    func dormant() async throws {
        let bench = try EnumerationBench()
        try bench.order("A-1", status: "open")
        bench.dlocal.payment("T-1", "PENDING", code: "100", order: "A-1", created: morning)
        var nights: [Int] = []
        for night in [0, 1, 28, 29, 30, 31, 34, 35, 36, 42, 175, 176, 182] {
            try await bench.poll(night: night)
            if bench.dlocal.takeAsked().contains("payments/T-1") { nights.append(night) }
        }
        #expect(nights == [0, 1, 28, 29, 35, 42, 175])
    }

    @Test("an authorization that a capture has used up is read daily for a month and not for ever")
    func captured() async throws {
        let bench = try EnumerationBench()
        try bench.order("A-1")
        bench.dlocal.payment("T-0", "AUTHORIZED", code: "600", order: "A-1", created: morning)
        bench.dlocal.payment("T-9", "AUTHORIZED", code: "600", created: morning)
        try await bench.poll(night: 0, rereads: ["T-9"])
        bench.dlocal.payment("T-1", order: "A-1", created: morning, members: #","authorization_id":"T-0""#)
        try await bench.poll(night: 1, rereads: ["T-1"])
        _ = bench.dlocal.takeAsked()
        try await bench.poll(night: 2)
        #expect(bench.dlocal.takeAsked() == ["payments/T-0", "payments/T-9"])
        try await bench.poll(night: 33)
        // What is still held is looked at for as long as it is.
        #expect(bench.dlocal.takeAsked() == ["payments/T-0", "payments/T-9"])
        try await bench.poll(night: 34)
        #expect(bench.dlocal.takeAsked() == ["payments/T-9"])
    }

    @Test("what a record or an event names is read; an id that the provider does not know is asked for once")
    func named() async throws {
        let bench = try EnumerationBench()
        try bench.order("A-1", refs: ["dlocal:transaction=T-7"])
        bench.dlocal.payment("T-1", created: morning, members: #","authorization_id":"T-0""#)
        bench.dlocal.payment("T-0", "AUTHORIZED", code: "600", created: morning)
        try await bench.poll(night: 0, rereads: ["T-1", "refund/REF-5"])
        #expect(bench.dlocal.takeAsked() == ["orders/A-1", "payments/T-1", "payments/T-7", "refunds/REF-5"])
        let second = try await bench.poll(night: 1)
        // As long as the book calls the order paid, what it names is asked for with it.
        #expect(bench.dlocal.takeAsked() == ["orders/A-1", "payments/T-0", "payments/T-7"])
        #expect(second.ending == .complete)
    }

    @Test(
        "a settlement line whose payment is not stored leads to its order, and to its own id where the order is unknown"
    )
    func lines() async throws {
        let bench = try EnumerationBench()
        bench.dlocal.payment("T-1", order: "A-1", created: morning)
        bench.dlocal.payment("T-2", created: morning)
        try bench.line("L1", "charge", ["book:order=A-1", "dlocal:transaction=T-x1aaaa"])
        try bench.line("L2", "charge", ["book:order=A-2", "dlocal:transaction=T-2"])
        try bench.line("L3", "charge", ["dlocal:transaction=T-x1cccc"])
        try bench.line("L4", "fee", [])
        let outcome = try await bench.poll(night: 0)
        #expect(outcome.ending == .complete)
        #expect(
            bench.dlocal.takeAsked() == [
                "orders/A-1", "orders/A-2", "payments/T-1", "payments/T-2", "payments/T-x1cccc",
            ])
        #expect(try bench.rows("transaction_id") == ["T-1", "T-2"])
        #expect(outcome.unknownIDs == ["T-x1cccc"])
        try await bench.poll(night: 1)
        #expect(bench.dlocal.takeAsked() == [])
    }

    @Test("a line of a refund has its payment read again, which names the refund; where the refund is known nothing is")
    func refundLines() async throws {
        let bench = try EnumerationBench()
        try bench.order("A-1")
        bench.dlocal.payment("T-1", order: "A-1", created: morning)
        try await bench.poll(night: 0)
        bench.dlocal.payment("T-1", order: "A-1", created: morning, members: #","refunds":["REF-1"]"#)
        bench.dlocal.set {
            $0.asked = []
            $0.objects["refunds/REF-1"] =
                #"{"id":"REF-1","payment_id":"T-1","amount":4,"currency":"BRL","status":"SUCCESS","order_id":"A-1","created_date":"2026-08-10T01:00:00Z"}"#
        }
        try bench.line("L1", "refund", ["book:order=A-1", "dlocal:refund=R-x1"], known: 1)
        try await bench.poll(night: 1)
        #expect(bench.dlocal.takeAsked() == ["payments/T-1", "refunds/R-x1", "refunds/REF-1"])
        #expect(try bench.rows("transaction_id") == ["REF-1", "T-1"])
        try bench.line("L2", "refund", ["book:order=A-1", "dlocal:refund=R-x2"], known: 2)
        try await bench.poll(night: 2)
        #expect(bench.dlocal.takeAsked() == [])
    }

    /// A payment with an open refund, both read in night 0.
    private func refunded() async throws -> EnumerationBench {
        let bench = try EnumerationBench()
        try bench.order("A-1")
        bench.dlocal.payment("T-1", order: "A-1", created: morning, members: #","refunds":["REF-1"]"#)
        bench.dlocal.set {
            $0.objects["refunds/REF-1"] =
                #"{"id":"REF-1","payment_id":"T-1","amount":4,"currency":"BRL","status":"PENDING","order_id":"A-1","created_date":"2026-08-10T01:00:00Z"}"#
        }
        try await bench.poll(night: 0)
        #expect(try bench.rows("transaction_id") == ["REF-1", "T-1"])
        _ = bench.dlocal.takeAsked()
        return bench
    }

    @Test("a refund that its provider does not know any more is noted under its resource, asked for again, and returns")
    func vanishedRefund() async throws {
        let bench = try await refunded()
        let resources = ["transaction", "refund"]
        let refund = bench.dlocal.remove("refunds/REF-1")
        let outcome = try await bench.poll(night: 1)
        #expect(outcome.vanished == ["refund/REF-1"])
        try bench.vanished(night: 1).note(outcome, asked: [])
        let gone = try bench.vanished(night: 2).gone(of: resources)
        #expect(gone == ["refund/REF-1"])
        #expect(try bench.vanished(night: 2).gone(of: ["transaction"]) == [])
        bench.dlocal.set { $0.objects["refunds/REF-1"] = refund }
        try bench.vanished(night: 2).note(try await bench.poll(night: 2, rereads: gone), asked: gone)
        #expect(try bench.vanished(night: 3).gone(of: resources) == [])
    }

    @Test("resources that a poll had to leave out keep their rows in the feed's count, and their watermark")
    func leftOut() async throws {
        let bench = try await refunded()
        bench.dlocal.set { $0.always = (400, #"{"code":5000,"message":"Signature not match"}"#) }
        try bench.order("A-2", known: 1)
        let outcome = try await bench.poll(night: 1)
        #expect(!outcome.isComplete)
        #expect(outcome.watermark == EnumerationBench.night.adding(seconds: -900))
        let feed = try bench.connection.query(
            "select records from tieout.feed_state where feed = 'provider'"
        ).only()
        #expect(try feed.int("records") == 2)
    }

    @Test("what an unsigned event names is read where the source sends no signatures, and nowhere else")
    func unsigned() async throws {
        for counts in [true, false] {
            let bench = try EnumerationBench()
            bench.unsignedCounts = counts
            try bench.event("e1", ["dlocal:transaction=T-1"], verdict: "unsigned")
            try bench.event("e2", ["dlocal:transaction=T-2"], verdict: "invalid")
            bench.dlocal.payment("T-1", created: morning)
            try await bench.poll(night: 0)
            #expect(bench.dlocal.takeAsked() == (counts ? ["payments/T-1"] : []))
        }
    }

    @Test("a forecast counts what the poll then asks for: what is open, named, ordered or pointed at, each once")
    func forecast() async throws {
        let bench = try await refunded()
        // A refund that nobody knows is asked for within the look-back, however many complete polls have passed.
        bench.dlocal.payment("T-1", order: "A-1", created: morning, members: #","refunds":["REF-1","REF-9"]"#)
        try await bench.poll(night: 1, rereads: ["T-1"])
        try bench.order("A-2", known: 2)
        _ = bench.dlocal.takeAsked()
        let rereads = ["T-1", "T-8", "refund/REF-1", "refund/REF-9"]
        let forecast = try PollForecast(
            bench.handle(), context: bench.context(night: 3), on: bench.connection, rereads: rereads)
        try await bench.poll(night: 3, rereads: rereads)
        let asked = bench.dlocal.takeAsked()
        #expect(asked == ["orders/A-2", "payments/T-1", "payments/T-8", "refunds/REF-1", "refunds/REF-9"])
        #expect(forecast.singleReads == asked.count)
        let quiet = try PollForecast(
            bench.handle(), context: bench.context(night: 4), on: bench.connection, rereads: [])
        try await bench.poll(night: 4)
        #expect(quiet.singleReads == bench.dlocal.takeAsked().count)
    }

    @Test("refused credentials end a retry of quarantined records with the first answers, and it says so")
    func refusedRetry() async throws {
        let bench = try EnumerationBench()
        try bench.order("A-1")
        bench.dlocal.payment("T-1", order: "A-1", created: morning, members: #","amount":"spoiled""#)
        bench.dlocal.set {
            $0.objects["payments/T-1"] = $0.objects["payments/T-1"]?.replacing("\"amount\":10,", with: "")
        }
        try await bench.poll(night: 0)
        let context = bench.context(night: 1)
        let entries = try QuarantineList(connection: bench.connection, account: 1, sql: context.sql).entries()
        #expect(entries.map(\.recordID) == ["T-1"])
        bench.dlocal.set { $0.always = (400, #"{"code":5000,"message":"Signature not match"}"#) }
        let outcome = try await ElementRetry(
            source: try bench.handle(), context: context, connection: bench.connection, machine: .system(),
            isOffline: false, fetch: bench.dlocal.answer
        ).run(entries, stop: StopFlag())
        #expect(outcome.failure?.contains("the credentials are refused") == true)
    }

    @Test("refused credentials end the poll with the first answers, and the feed stays where it was")
    func refused() async throws {
        let bench = try EnumerationBench()
        for number in 0..<40 { try bench.order("A-\(number)") }
        bench.dlocal.set { $0.always = (400, #"{"code":5000,"message":"Signature not match"}"#) }
        let outcome = try await bench.poll(night: 0)
        #expect(outcome.failureText?.contains("the credentials are refused") == true)
        #expect(outcome.watermark == nil)
        // One batch of 50 is under way at once, by four.
        #expect(bench.dlocal.takeAsked().count <= 50)

        bench.dlocal.set { $0.always = (404, "NOT_FOUND") }
        let lost = try await bench.poll(night: 1)
        #expect(lost.failureText?.contains("40 unusable answers") == true)
        #expect(try bench.rows("transaction_id") == [])
    }
}
