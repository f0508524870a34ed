import Payments
import TestSupport
import Testing

@testable import Loading

/// One record that brings no usable answer costs itself: the others are read, and it is asked for until it is read.
@Suite("Records that cannot be read by themselves")
struct UnreadTests {
    private let morning = EnumerationBench.night.adding(seconds: -7200)

    private func bench(orders: Int = 6) throws -> EnumerationBench {
        let bench = try EnumerationBench()
        for number in 1...orders {
            try bench.order("A-\(number)")
            bench.dlocal.payment("T-\(number)", order: "A-\(number)", created: morning)
        }
        return bench
    }

    @Test(
        "an order without a usable answer is set aside, the others are stored, and it is read as soon as it can be",
        arguments: [
            (500, "", "unread: status 500"), (200, "<html>", "unread: unreadable answer: "),
            (400, #"{"code":5002,"message":"x"}"#, "unread: refused with 400 5002"),
        ])
    func order(status: Int, body: String, reason: String) async throws {
        let bench = try bench()
        bench.dlocal.set { $0.broken["orders/A-3"] = (status, body) }
        let first = try await bench.poll(night: 0)
        #expect(first.ending == .complete && first.watermark != nil && first.counts.newlyQuarantined == 1)
        #expect(try bench.rows("transaction_id") == ["T-1", "T-2", "T-4", "T-5", "T-6"])
        let held = try bench.quarantine()
        #expect(held.count == 1 && held.allSatisfy { $0.hasPrefix("open - book:order=A-3 \(reason)") })

        let second = try await bench.poll(night: 40)
        #expect(second.ending == .complete && second.counts.newlyQuarantined == 0)
        bench.dlocal.set { $0.broken = [:] }
        try await bench.poll(night: 41)
        #expect(try bench.rows("transaction_id").contains("T-3"))
        #expect(try bench.quarantine().allSatisfy { $0.hasPrefix("cleared ") })
    }

    @Test(
        "a payment that its order names and that cannot be read is set aside with that order; once unknown, it is not")
    func payment() async throws {
        let bench = try bench()
        bench.dlocal.set { $0.broken["payments/T-3"] = (503, "") }
        let first = try await bench.poll(night: 0)
        #expect(first.ending == .complete)
        #expect(try bench.quarantine() == ["open T-3 book:order=A-3 unread: status 503"])
        bench.dlocal.set {
            $0.broken = [:]
            $0.objects["payments/T-3"] = nil
        }
        let second = try await bench.poll(night: 1)
        #expect(second.ending == .complete && second.unknownIDs == ["T-3"])
        #expect(try bench.quarantine() == ["cleared T-3 book:order=A-3 unread: status 503"])
    }

    @Test("a stored payment that cannot be read again waits in quarantine, and is cleared when it can")
    func again() async throws {
        let bench = try EnumerationBench()
        try bench.order("A-1")
        try bench.order("A-2")
        bench.dlocal.payment("T-1", "AUTHORIZED", code: "600", order: "A-1", created: morning)
        bench.dlocal.payment("T-2", "AUTHORIZED", code: "600", order: "A-2", created: morning)
        try await bench.poll(night: 0)
        bench.dlocal.set { $0.broken["payments/T-1"] = (500, "") }
        let second = try await bench.poll(night: 1)
        #expect(second.ending == .complete && second.vanished == [])
        #expect(try bench.quarantine() == ["open T-1  unread: status 500"])
        bench.dlocal.set { $0.broken = [:] }
        try await bench.poll(night: 2)
        #expect(try bench.quarantine() == ["cleared T-1  unread: status 500"])
    }

    @Test("a payment that was read and could not be taken in is asked for by its id until it is whole, however old")
    func broken() async throws {
        let bench = try bench()
        bench.dlocal.set { $0.broken["payments/T-3"] = (200, #"{"id":"T-3","amount":"ten","status":"PAID"}"#) }
        let first = try await bench.poll(night: 0)
        #expect(first.ending == .complete && first.counts.newlyQuarantined == 1)
        #expect(try bench.rows("transaction_id") == ["T-1", "T-2", "T-4", "T-5", "T-6"])
        _ = bench.dlocal.takeAsked()
        try await bench.poll(night: 40)
        #expect(bench.dlocal.takeAsked().filter { $0.hasPrefix("payments/") } == ["payments/T-3"])
        #expect(try bench.quarantine().map { $0.prefix(9) } == ["open T-3 "])
        bench.dlocal.set { $0.broken = [:] }
        try await bench.poll(night: 41)
        #expect(try bench.rows("transaction_id").contains("T-3"))
        #expect(try bench.quarantine().map { $0.prefix(12) } == ["cleared T-3 "])
    }

    @Test("a provider that answers nothing, or fails record after record, has failed: nothing is set aside")
    func down() async throws {
        let bench = try bench(orders: 2)
        bench.dlocal.set { $0.always = (500, "") }
        let silent = try await bench.poll(night: 0)
        #expect(silent.ending != .complete && silent.watermark == nil)
        #expect(try bench.quarantine() == [])

        let other = try self.bench(orders: 40)
        other.dlocal.set { state in
            for number in 10...30 { state.broken["orders/A-\(number)"] = (500, "") }
        }
        let failing = try await other.poll(night: 0)
        #expect(failing.ending != .complete && failing.watermark == nil)
        #expect(try other.quarantine() == [])
        #expect(other.dlocal.takeAsked().count < 40)
    }
}
