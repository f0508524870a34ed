import Foundation
import JSON
import Payments
import Postgres
import Providers
import TestSupport

@testable import JobRunner
@testable import Loading
@testable import Sandbox

extension Check {
    static let rows = [
        Check(name: "unknown status") { provider in
            let bench = try ConformanceBench(provider, misbehaviour: spoilt(provider, "bad-status:rows=1"))
            let outcome = try await bench.night(1)
            if !outcome.isComplete { return .failed("\(outcome.ending)") }
            let stored = try bench.count("transaction", "state = 'unknown' and money = 'unknown' and raw_status <> ''")
            if stored == 0 { return .failed("none is stored as it came") }
            if hasList(bench) { return .passed }
            let (spoilt, others) = try differences(bench) { $0.contains(": retry_scheduled is ") }
            return verdict(others + (spoilt.isEmpty ? ["no record that was spoilt is stored as it came"] : []))
        },
        Check(name: "unknown field") { provider in
            let bench = try ConformanceBench(provider, misbehaviour: spoilt(provider, "bad-field:rows=1"))
            let outcome = try await bench.night(1)
            if !outcome.isComplete { return .failed("\(outcome.ending)") }
            let counted = try bench.count("unknown_field", "path like 'unheard_of%'")
            return verdict(try bench.differences() + (counted > 0 ? [] : ["no unknown field is counted"]))
        },
        Check(name: "missing and changed fields") { provider in
            let listed = try listsPayments(provider)
            let spec = "bad:rows=1:times=1,bad-type:rows=1:times=1:after=1"
            let bench = try ConformanceBench(
                provider, misbehaviour: listed ? spec : spec.replacing("times=1", with: "times=1:on=one"))
            let outcome = try await bench.night(1)
            if outcome.counts.quarantined == 0 { return .failed("a broken row was taken in") }
            if outcome.counts.new == 0 { return .failed("a broken row cost the others") }
            if !listed {
                // Each spoilt record is lost by itself; a planted one among the first two was no row before.
                let (lost, others) = try differences(bench) { $0.hasPrefix("lost ") }
                if !others.isEmpty || !(1...2).contains(lost.count) { return .failed("2 broken, but \(lost + others)") }
            }
            // The next reading shows them whole.
            let next = try await bench.night(2)
            if !next.isComplete { return .failed("the next night: \(next.ending)") }
            return verdict(try bench.differences())
        },
        Check(name: "strangers' rows") { provider in
            let spec = try listsPayments(provider) ? "stranger:rows=2" : "stranger:on=one:times=2"
            let bench = try ConformanceBench(provider, misbehaviour: spec)
            guard bench.api.provider.marks(ofShelf: "transaction").owner != nil else {
                return .notApplicable("its rows do not say whose they are")
            }
            let outcome = try await bench.night(1)
            let counted = outcome.counts.strangers > 0 ? [] : ["no stranger is counted"]
            if hasList(bench) { return verdict(try bench.differences() + counted) }
            // What says that it is somebody else's is not held, and all else is.
            let (lost, others) = try differences(bench) { $0.hasPrefix("lost ") }
            return verdict(
                others + counted + ((1...2).contains(lost.count) ? [] : ["2 of another account, but \(lost)"]))
        },
        Check(name: "sandbox and live apart") { provider in
            let modes = try Sheet(provider)?.entries("modes") ?? []
            let told = try modes.compactMap { try Subject(provider, $0).fault(ofMode: $0) }
            let bench = try ConformanceBench(provider)
            guard bench.api.source.profile.plays.contains(.testMode) else {
                return modes.isEmpty
                    ? .notApplicable("its rows do not say in which mode they were made") : verdict(told)
            }
            _ = try await bench.night(1)
            let test = try bench.count("transaction", "is_test")
            let all = try bench.count("transaction")
            return verdict(told + (test > 0 && test < all ? [] : ["\(test) of \(all) rows are test rows"]))
        },
    ]

    private static func hasList(_ bench: ConformanceBench) -> Bool { bench.source.provider.payments.lister != nil }

    private static func listsPayments(_ provider: String) throws -> Bool {
        try Subject(provider).provider.payments.lister != nil
    }

    /// A misbehaviour that spoils rows of payments: of each page of their list, or every third record where there is none.
    private static func spoilt(_ provider: String, _ spec: String) throws -> String {
        try listsPayments(provider) ? spec : spec + ":on=one:every=3"
    }

    /// What differs, apart by whether it is what was meant to.
    private static func differences(
        _ bench: ConformanceBench, meant: (String) -> Bool
    ) throws -> (meant: [String], others: [String]) {
        let all = try bench.differences()
        return (all.filter(meant), all.filter { !meant($0) })
    }

    // MARK: Webhooks

    static let webhooks = [
        Check(name: "webhooks proven over exact bytes") { provider in
            let bench = try ConformanceBench(provider)
            guard let scheme = bench.source.provider.webhooks else { return .notApplicable("it sends none") }
            let secrets = bench.api.paymentSecrets()
            let forged = bench.api.world.planted.count { $0.rule == "webhook_unverified" }
            var valid = 0
            var refused = 0
            for line in bench.api.captureLines(night: 1).split(separator: UInt8(ascii: "\n")) {
                guard let delivery = try? DeliveryLine.read(Array(line)) else { continue }
                let others = Array(secrets.values)
                guard scheme.check(delivery, also: others).verdict == .valid else {
                    refused += 1
                    continue
                }
                valid += 1
                var changed = delivery
                guard let place = changed.body.lastIndex(where: { (48...57).contains($0) }) else { continue }
                changed.body[place] = changed.body[place] == 57 ? 56 : changed.body[place] + 1
                if scheme.check(changed, also: others).verdict == .valid {
                    return .failed("another digit in the body, and still valid")
                }
                if valid == 40 { break }
            }
            if valid == 0 { return .failed("none is valid") }
            return refused <= max(3, forged * 3) ? .passed : .failed("\(refused) refused, \(valid) valid")
        },
        Check(name: "events belong to payments") { provider in
            let bench = try ConformanceBench(provider)
            guard bench.source.provider.webhooks != nil else { return .notApplicable("it sends none") }
            _ = try await bench.night(1)
            // Each proven event shares a reference with a payment, an order or a record that was read.
            let stray = try bench.connection.query(
                try SQLFixture.text("stray_events.sql"), []
            ).map { try $0.text(0) }
            let known = try bench.count("webhook_event", "verdict = 'valid' and not is_test")
            if known == 0 { return .failed("no event was proven") }
            return stray.count * 20 <= known
                ? .passed : .failed("\(stray.count) of \(known) events belong to nothing: \(stray.prefix(3))")
        },
    ]
}

/// Statements of these tests.
enum SQLFixture {
    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: Checkout.root + "/Tests/ConformanceTests/Fixtures/" + name, encoding: .utf8)
    }
}
