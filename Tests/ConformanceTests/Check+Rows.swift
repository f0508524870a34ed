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
            let bench = try ConformanceBench(provider, misbehaviour: "bad-status:rows=1")
            let outcome = try await bench.night(1)
            if !outcome.isComplete { return .failed("\(outcome.ending)") }
            let stored = try bench.count("transaction", "state = 'unknown' and money = 'unknown' and raw_status <> ''")
            if stored > 0 { return .passed }
            return try hasList(bench) ? .failed("none is stored as it came") : .notApplicable("it has no list to spoil")
        },
        Check(name: "unknown field") { provider in
            let bench = try ConformanceBench(provider, misbehaviour: "bad-field:rows=1")
            let outcome = try await bench.night(1)
            if !outcome.isComplete { return .failed("\(outcome.ending)") }
            if try !hasList(bench) { return .notApplicable("it has no list to spoil") }
            return verdict(
                try bench.differences() + (try bench.count("unknown_field") > 0 ? [] : ["no unknown field is counted"]))
        },
        Check(name: "missing and changed fields") { provider in
            let bench = try ConformanceBench(
                provider, misbehaviour: "bad:rows=1:times=1,bad-type:rows=1:times=1:after=1")
            let outcome = try await bench.night(1)
            if try !hasList(bench) { return .notApplicable("it has no list to spoil") }
            if outcome.counts.quarantined == 0 { return .failed("a broken row was taken in") }
            if outcome.counts.new == 0 { return .failed("a broken row cost the others") }
            // The next reading shows them whole.
            let next = try await bench.night(2)
            if !next.isComplete { return .failed("the next night: \(next.ending)") }
            return verdict(try bench.differences())
        },
        Check(name: "strangers' rows") { provider in
            let bench = try ConformanceBench(provider, misbehaviour: "stranger:rows=2")
            guard bench.api.provider.marks(ofShelf: "transaction").owner != nil else {
                return .notApplicable("its rows do not say whose they are")
            }
            let outcome = try await bench.night(1)
            if try !hasList(bench) { return .notApplicable("it has no list to spoil") }
            return verdict(
                try bench.differences() + (outcome.counts.strangers > 0 ? [] : ["no stranger is counted"]))
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

    private static func hasList(_ bench: ConformanceBench) throws -> Bool {
        bench.source.provider.payments.lister != nil
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
